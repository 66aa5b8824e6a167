#include "lagging_nodes.h"

#include "report.h"

namespace egt::explain {

void LaggingNodes::doubt_one(WayReport& way, const std::string& name, const Words& words) const {
  const cluster::Node* node = cluster_.node(name);
  if (node == nullptr) return;
  const auto& judged = judged_.of(*node, [&] { return agreement_of(cluster_, *node); });
  if (!judged) return doubt_drop(way, name, words);
  if (judged->complete()) return;
  const Agreement& agreement = *judged;
  std::vector<Provenance> from;
  for (const auto* some : {&agreement.missing, &agreement.orphaned})
    if (!some->empty()) from.push_back(some->front());
  assume({engine::Supposition::flows_stay, {name}, {std::uint64_t{agreement.missing.size()}, std::uint64_t{agreement.orphaned.size()}},
          std::move(from)},
         words, way);
}

// Flows that would have let the packet pass may be missing where no logical flows can be compared.
void LaggingNodes::doubt_drop(WayReport& way, const std::string& node, const Words& words) const {
  const bool stops_in_ovn = way.verdict != "delivered" && way.stopped_at && way.stopped_at->node == node &&
                            way.stopped_at->layer == layer_name(engine::Layer::ovn);
  if (stops_in_ovn) assume({engine::Supposition::flows_not_compared, {node}}, words, way);
}

void LaggingNodes::doubt(WayReport& way, const Words& words) const {
  for (const std::string& name : way.ovn_nodes) doubt_one(way, name, words);
  for (std::vector<FollowUp>* next : {&way.reply, &way.continued})
    for (FollowUp& follow_up : *next) {
      for (WayReport& later : follow_up.ways) doubt(later, words);
      follow_up.confidence = common_confidence(follow_up.ways);
    }
}

}  // namespace egt::explain
