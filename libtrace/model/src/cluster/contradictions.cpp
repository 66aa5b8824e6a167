#include "contradictions.h"

#include <algorithm>
#include <utility>

namespace egt::cluster {

void add_contradiction(Node& node, Contradiction c) {
  if (std::find(node.contradictions.begin(), node.contradictions.end(), c) == node.contradictions.end())
    node.contradictions.push_back(std::move(c));
}

void doubt_bridge(Node& node, const openflow::Bridge& bridge, Conflict conflict, std::vector<std::string> names) {
  add_contradiction(node, {Contradiction::About::bridge, bridge.name, std::nullopt, conflict, std::move(names)});
}

void notice_contradictions(const Cluster& cluster, const DumpsBySize& dumps, Node& node) {
  look_at_ports(node);
  look_at_datapath_types(node);
  look_at_switch_routes(node);
  look_at_pods(cluster.objects, node);
  look_at_flows(cluster, node);
  look_at_copies(cluster, dumps, node);
  look_at_rules(cluster, dumps, node);
}

}  // namespace egt::cluster
