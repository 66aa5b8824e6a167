#include "lagging_nodes.h"

#include <fmt/format.h>

namespace egt::explain {

std::set<std::string> nodes_of_ovn(const engine::Course& course, const cluster::Cluster& cluster, const Names& names) {
  std::set<std::string> nodes;
  for (const engine::Step& step : course.record.steps) {
    const auto* match = std::get_if<engine::TableMatch>(&step.kind);
    if (match == nullptr || nodes.contains(step.node)) continue;
    const cluster::Node* node = cluster.node(step.node);
    if (node == nullptr || match->cookie == 0) continue;
    if (match->on == node->integration_bridge() || names.has_logical_flow(*node, match->cookie)) nodes.insert(step.node);
  }
  return nodes;
}

std::set<std::string> nodes_of_ovn(const WayReport& way) {
  std::set<std::string> nodes;
  for (const Hop& hop : way.hops)
    if (!hop.lflows.empty()) nodes.insert(hop.node);
  return nodes;
}

void LaggingNodes::doubt(WayReport& way, const std::set<std::string>& over, const Words& words) const {
  for (const std::string& name : over) {
    const cluster::Node* node = cluster_.node(name);
    if (node == nullptr) continue;
    const auto& judged = judged_.of(*node, [&] { return agreement_of(cluster_, *node); });
    if (!judged || judged->complete()) continue;
    const Agreement& agreement = *judged;
    std::vector<Provenance> from;
    for (const auto* some : {&agreement.missing, &agreement.orphaned})
      if (!some->empty()) from.push_back(some->front());
    way.assumptions.push_back({fmt::format("the flows of {} stay as they are", name),
                               fmt::format("they are not what OVN says: {} logical flows have no OpenFlow flow, {} cookies "
                                           "have no logical flow", agreement.missing.size(), agreement.orphaned.size()),
                               words.evidence(from)});
    way.confidence = "assumed";
  }
}

}  // namespace egt::explain
