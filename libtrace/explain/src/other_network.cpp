#include "other_network.h"

#include "report.h"

namespace egt::explain {

std::optional<PathReport> path_on_other_network(const Resolved& from, const Resolved& to, const Words& words) {
  const Resolved& pod = from.network.empty() ? to : from;
  if (pod.network.empty()) return std::nullopt;
  PathReport path;
  path.verdict = Verdict::inconclusive;
  path.confidence = Confidence::assumed;
  path.stopped_at = report_stop({from.node, engine::Layer::ovn, {}, {engine::Reason::user_defined_network, {pod.name, pod.network}}}, words);
  path.summary = path.stopped_at->why;
  return path;
}

}  // namespace egt::explain
