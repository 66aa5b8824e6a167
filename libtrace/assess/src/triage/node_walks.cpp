#include "triage/node_walks.h"

#include <set>
#include <string_view>
#include <utility>

#include "common/evidence.h"

namespace egt::assess {
namespace {

void walk(const Facts& f, const KnownPod& to, const IpAddr& address, std::vector<LostFromNode>& lost) {
  const auto sender = explain::parse_point("node:" + to.node), receiver = explain::parse_point(address.to_string());
  if (!sender || !receiver) return;
  explain::Question q;
  q.from = *sender;
  q.to = *receiver;
  q.proto = address.is_v4() ? "icmp" : "icmp6";
  q.only_deciding = true;
  const auto x = f.explainer.explain(q);
  if (!x) return;
  for (const LostWalk& one : lost_walks(*x))
    if (stopped_for(*one.walk).empty()) lost.push_back({&to, one.direction, *one.walk->stopped_at, deciding_evidence(*one.walk)});
}

}  // namespace

std::vector<LostFromNode> lost_from_nodes(const Facts& f) {
  std::vector<LostFromNode> lost;
  std::set<std::pair<std::string_view, Family>> walked;
  for (const KnownPod& pod : f.pods) {
    const cluster::Node* node = pod.host_network ? nullptr : f.cluster.node(pod.node);
    if (node == nullptr || !node->host.links.present || node->host_presumed) continue;
    for (const Family family : {Family::v4, Family::v6})
      if (const IpAddr* address = pod.address(family); address != nullptr && walked.emplace(pod.node, family).second)
        walk(f, pod, *address, lost);
  }
  return lost;
}

}  // namespace egt::assess
