// Bridges of a node with their ports, MAC addresses, groups and OpenFlow flows.
#pragma once

#include <string>
#include <vector>

#include "lookup/asked.h"
#include "lookup/flow_origins.h"
#include "lookup/match_list.h"

namespace egt::explain {

class BridgeLookup {
 public:
  BridgeLookup(const Asked& asked, const Names& names, MatchList& matches) : asked_(asked), matches_(matches), origins_(names) {}

  void find(const cluster::Node& node);
  void find_flows_with_mark(const cluster::Node& node, std::uint32_t mark);

 private:
  void interfaces(const cluster::Node& node, const openflow::Bridge& bridge);
  void flows_with_cookie(const cluster::Node& node, const openflow::Bridge& bridge);
  void flows_with_address(const cluster::Node& node, const openflow::Bridge& bridge);
  void list_flows(const cluster::Node& node, const openflow::Bridge& bridge, const std::string& kind,
                  const std::vector<openflow::FlowIndex>& flows);

  const Asked& asked_;
  MatchList& matches_;
  FlowOrigins origins_;
};

}  // namespace egt::explain
