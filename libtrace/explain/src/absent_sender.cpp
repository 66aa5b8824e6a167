#include "absent_sender.h"

#include <algorithm>
#include <utility>

#include "dumped_inputs.h"
#include "report.h"

namespace egt::explain {
namespace {

using engine::Input;
using engine::Reason;

bool has_whole_flows(const cluster::Node& node) {
  const openflow::Bridge* bridge = node.integration_bridge();
  return bridge != nullptr && bridge->flows && !bridge->flows_partial;
}

PathReport undecided(const cluster::Cluster& cluster, const Words& words, const std::string& node, engine::Cause why, engine::MissingInput missing) {
  PathReport path;
  path.verdict = Verdict::inconclusive;
  path.confidence = Confidence::assumed;
  path.stopped_at = report_stop({node, engine::Layer::ovs, {}, std::move(why)}, words);
  path.gaps.push_back(gap_besides_dumps(missing, cluster));
  path.summary = path.stopped_at->why;
  return path;
}

}  // namespace

std::optional<PathReport> path_of_absent_sender(const cluster::Cluster& cluster, const Resolved& from, const std::string& sender,
                                                const Words& words) {
  const bool absent = !from.node.empty() && cluster.handle(from.node) == nullptr;
  const cluster::Node* node = absent || from.node.empty() ? nullptr : cluster.node(from.node);
  const bool whole = node != nullptr ? has_whole_flows(*node)
                                     : std::any_of(cluster.nodes.begin(), cluster.nodes.end(), [](const auto& n) { return has_whole_flows(*n); });
  if (!whole) return std::nullopt;
  if (const auto address = from.kind == "pod" ? IpAddr::parse(from.name) : std::nullopt) {
    engine::Cause why = from.node.empty() ? engine::Cause{Reason::pod_unknown, {*address}}
                                          : engine::Cause{Reason::pod_unknown_on, {*address, from.node}};
    return undecided(cluster, words, from.node, std::move(why), {absent ? from.node : "", absent ? Input::node_dumps : Input::pod_with_address, {*address}});
  }
  if (absent) return undecided(cluster, words, from.node, {Reason::node_not_dumped, {from.node, sender}}, {from.node, Input::node_dumps, {}});
  if (from.kind == "pod" && node != nullptr)
    return undecided(cluster, words, from.node, {Reason::pod_without_port, {sender, from.node}}, {from.node, Input::port_of_pod, {sender}});
  return std::nullopt;
}

}  // namespace egt::explain
