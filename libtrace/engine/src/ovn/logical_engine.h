// Runs one packet through the logical flows of a node of which no dump has the OpenFlow flows: what the integration bridge
// would do with it if ovn-controller has realised them. Connections are tracked in the zones that ovn-controller gives out.
#pragma once

#include "egtrace/engine/ovs.h"
#include "ovn/logical_node.h"

namespace egt::engine {

// What a walk reads and changes besides: as OvsEngine's.
struct LogicalWalk {
  const LogicalNode& logical;
  const cluster::Node& node;
  NetworkState& network_state;
  Record& record;
  Chooser& chooser;
  const OvsOptions& options;
};

// As OvsEngine::run(); `bridge` is the integration bridge.
OvsResult run_logical_flows(const LogicalWalk& walk, const openflow::Bridge& bridge, std::uint32_t in_port,
                            const FlowKey& packet);

}  // namespace egt::engine
