#include "inconsistencies.h"

#include <algorithm>
#include <utility>

namespace egt::cluster {

void add_inconsistency(Node& node, Inconsistency c) {
  if (std::find(node.inconsistencies.begin(), node.inconsistencies.end(), c) == node.inconsistencies.end())
    node.inconsistencies.push_back(std::move(c));
}

void add_bridge_conflict(Node& node, const openflow::Bridge& bridge, Conflict conflict, std::vector<std::string> names) {
  add_inconsistency(node, {Inconsistency::About::bridge, bridge.name, std::nullopt, conflict, std::move(names)});
}

void find_inconsistencies(const Cluster& cluster, const DumpsBySize& dumps, Node& node) {
  look_at_ports(node);
  look_at_datapath_types(node);
  look_at_switch_routes(node);
  look_at_pods(cluster.objects, node);
  look_at_flows(cluster, node);
  look_at_copies(cluster, dumps, node);
  look_at_rules(cluster, dumps, node);
}

}  // namespace egt::cluster
