// Runs one packet through the logical flows of a node of which no dump has the OpenFlow flows: what the integration bridge
// would do with it if ovn-controller has realised them. Connections are tracked in the zones that ovn-controller gives out.
#pragma once

#include "egtrace/engine/ovs.h"
#include "ovn/logical_node.h"

namespace egt::engine {

class LogicalEngine {
 public:
  LogicalEngine(const LogicalNode& logical, const cluster::Node& node, World& world, Record& record, Chooser& chooser,
                OvsOptions options)
      : logical_(logical), node_(node), world_(world), record_(record), chooser_(chooser), options_(std::move(options)) {}

  // As OvsEngine::run(); `bridge` is the integration bridge.
  OvsResult run(const openflow::Bridge& bridge, std::uint32_t in_port, const FlowKey& packet);

 private:
  const LogicalNode& logical_;
  const cluster::Node& node_;
  World& world_;
  Record& record_;
  Chooser& chooser_;
  OvsOptions options_;
};

}  // namespace egt::engine
