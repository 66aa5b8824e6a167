#include "lagging_nodes.h"

#include "report.h"

namespace egt::explain {

const std::optional<Agreement>& LaggingNodes::agreement(const cluster::Node& node) const {
  return judged_->of(node, [&] { return agreement_of(cluster_, node); });
}

void LaggingNodes::assume_current_on(PathReport& path, const std::string& name, const Words& words) const {
  const cluster::Node* node = cluster_.node(name);
  if (node == nullptr) return;
  const auto& judged = agreement(*node);
  if (!judged) {
    assume_disconnected(path, *node, words);
    return assume_drop_stays(path, name, words);
  }
  if (judged->complete()) return;
  const Agreement& agreement = *judged;
  std::vector<Provenance> from;
  for (const auto* some : {&agreement.missing, &agreement.orphaned})
    if (!some->empty()) from.push_back(some->front());
  assume({engine::Supposition::flows_stay,
          {name},
          {std::uint64_t{agreement.missing.size()}, std::uint64_t{agreement.orphaned.size()}},
          std::move(from)},
         words, path);
}

// No logical flows show which of its flows ovn-controller would change once it is connected again.
void LaggingNodes::assume_disconnected(PathReport& path, const cluster::Node& node, const Words& words) const {
  const auto& controller = node.ovn.controller;
  if (controller && controller->reached && !controller->connected)
    assume({engine::Supposition::flows_not_updated, {node.name}, {}, {controller->from}}, words, path);
}

// Flows that would have let the packet pass may be missing where no logical flows can be compared.
void LaggingNodes::assume_drop_stays(PathReport& path, const std::string& node, const Words& words) const {
  const bool stops_in_ovn = path.verdict != Verdict::delivered && path.stopped_at && path.stopped_at->node == node &&
                            path.stopped_at->layer == layer_name(engine::Layer::ovn);
  if (stops_in_ovn) assume({engine::Supposition::flows_not_compared, {node}}, words, path);
}

void LaggingNodes::assume_current(PathReport& path, const Words& words) const {
  for (const std::string& name : path.ovn_nodes) assume_current_on(path, name, words);
  for (std::vector<FollowUp>* next : {&path.reply, &path.continued})
    for (FollowUp& follow_up : *next) {
      for (PathReport& later : follow_up.paths) assume_current(later, words);
      follow_up.confidence = common_confidence(follow_up.paths);
    }
}

}  // namespace egt::explain
