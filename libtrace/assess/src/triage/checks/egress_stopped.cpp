// What a pod sends by an egress address is stopped on its way: by a network policy, which may be meant, or by another
// rule.
#include <fmt/format.h>

#include <algorithm>

#include "common/evidence.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egress_stopped {

void judge(const Facts& f, const KnownPod& pod, const EgressClaim& claim, Findings& out) {
  const Target target = outside(f.cluster, claim.family);
  const auto from = explain::parse_point(pod.full_name()), to = explain::parse_point(target.address.to_string());
  if (!from || !to) return;
  explain::Question q;
  q.from = *from;
  q.to = *to;
  const auto x = f.explainer.explain(q);
  if (!x) return;
  for (const explain::WayReport& way : x->ways) {
    if ((way.verdict != "dropped" && way.verdict != "rejected") || !way.stopped_at) continue;
    // The policies that isolate the pod, as far as objects tell.
    explain::Evidence lines = deciding_evidence(way);
    std::string isolating;
    for (const cluster::NetworkPolicy& p : f.policies.network_policies)
      if (p.egress && p.namespace_ == pod.namespace_ && pod.object != nullptr && p.pods.matches(pod.object->labels)) {
        isolating += fmt::format("{}NetworkPolicy {}/{}", isolating.empty() ? "" : ", ", p.namespace_, p.name);
        for (auto& line : evidence(f.cluster, {p.from})) lines.push_back(std::move(line));
      }
    out.add(fmt::format("What pod {} sends by {} is {} on {}, {}: {}{}.", pod.full_name(), claim.object, way.verdict,
                        way.stopped_at->node, way.stopped_at->where, way.stopped_at->why,
                        isolating.empty() ? "" : " (" + isolating + " isolates the pod)"),
            way.stopped_at->node, claim.object, std::move(lines),
            isolating.empty()
                ? fmt::format("egtrace explain SNAPSHOT --from {} --to {}", pod.full_name(), target.address.to_string())
                : "If the pod is meant to leave, the policy needs an egress rule for its destinations.");
    return;
  }
}

void run(const Facts& f, Findings& out) {
  for (const KnownPod& pod : f.pods)
    for (const Family family : {Family::v4, Family::v6}) {
      const EgressClaim* claim = f.claims.of(pod.full_name(), family);
      if (claim != nullptr && claim->taken_up && pod.address(family) != nullptr) judge(f, pod, *claim, out);
    }
}

std::string lacks(const Facts& f) {
  return f.cluster.objects.egress_ips.empty() && f.cluster.objects.egress_services.empty() ? needs_egress_ips(f) : "";
}

}  // namespace egress_stopped

const Check kEgressStopped{"egress-stopped", "What an egress address's pods send is stopped on the way", Severity::note,
                           egress_stopped::lacks, egress_stopped::run};

}  // namespace egt::assess
