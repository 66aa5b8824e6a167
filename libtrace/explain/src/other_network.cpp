#include "other_network.h"

#include "report.h"

namespace egt::explain {

std::optional<PathReport> path_on_other_network(const Resolved& from, const Resolved& to, const Words& words) {
  const auto is_open = [](const Resolved& end) {
    return !end.network.name.empty() && (end.network.perhaps || end.network.without_port);
  };
  const Resolved& pod = is_open(from) ? from : to;
  if (!is_open(pod)) return std::nullopt;
  const auto reason = pod.network.perhaps ? engine::Reason::primary_network_unknown : engine::Reason::user_defined_network;
  PathReport path;
  path.verdict = Verdict::inconclusive;
  path.confidence = Confidence::assumed;
  path.stopped_at = report_stop({from.node, engine::Layer::ovn, {}, {reason, {pod.name, pod.network.name}}}, words);
  path.summary = path.stopped_at->why;
  return path;
}

}  // namespace egt::explain
