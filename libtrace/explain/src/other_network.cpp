#include "other_network.h"

#include "report.h"

namespace egt::explain {

std::optional<PathReport> path_on_other_network(const Resolved& from, const Resolved& to, const Words& words) {
  const Resolved& pod = from.network.name.empty() ? to : from;
  if (pod.network.name.empty()) return std::nullopt;
  const auto reason = pod.network.perhaps ? engine::Reason::primary_network_unknown : engine::Reason::user_defined_network;
  PathReport path;
  path.verdict = Verdict::inconclusive;
  path.confidence = Confidence::assumed;
  path.stopped_at = report_stop({from.node, engine::Layer::ovn, {}, {reason, {pod.name, pod.network.name}}}, words);
  path.summary = path.stopped_at->why;
  return path;
}

}  // namespace egt::explain
