// A pod that an egress object selects leaves with another source address, by whichever way.
#include <fmt/format.h>

#include <algorithm>

#include "common/evidence.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egress_leak {

bool is_expected(const EgressClaim& claim, const std::string& source) {
  return std::any_of(claim.addresses.begin(), claim.addresses.end(),
                     [&](const IpAddr& a) { return a.to_string() == source; });
}

void judge(const Facts& f, const KnownPod& pod, const EgressClaim& claim, Findings& out) {
  explain::Question q;
  const Target target = outside(f.cluster, claim.family);
  const auto from = explain::parse_point(pod.full_name()), to = explain::parse_point(target.address.to_string());
  if (!from || !to) return;
  q.from = *from;
  q.to = *to;
  q.one_way = true;
  const auto x = f.explainer.explain(q);
  if (!x) return;
  for (const explain::WayReport& way : x->ways) {
    if (way.verdict != "delivered" || !way.source_seen || is_expected(claim, way.source_seen->ip)) continue;
    if (!way.gaps.empty()) {
      for (const Gap& gap : way.gaps) out.lacks(fmt::format("{} of {} ({})", gap.what, gap.node, gap.command));
      continue;
    }
    explain::Evidence lines = deciding_evidence(way);
    for (auto& line : evidence(f.cluster, {f.telling_line(claim.from)})) lines.push_back(std::move(line));
    out.about(pod);
    out.add(
        fmt::format("Pod {} is to leave as {} by {}, but {} sees {}.", pod.full_name(),
                    claim.addresses.front().to_string(), claim.object, target.address.to_string(), way.source_seen->ip),
        way.egress ? way.egress->node : pod.node, claim.object, std::move(lines),
        fmt::format("egtrace explain SNAPSHOT --from {} --to {}", pod.full_name(), target.address.to_string()));
    return;
  }
}

void run(const Facts& f, Findings& out) {
  for_each_claimed_pod(f, [&](const KnownPod& pod, const EgressClaim& claim) {
    if (!out.has_cause(claim.object)) judge(f, pod, claim, out);
  });
}

}  // namespace egress_leak

const Check kEgressLeak{"egress-leak", "A selected pod that leaves with another address", Severity::error,
                        needs_egress_ips_or_services, egress_leak::run, Check::Finds::consequence};

}  // namespace egt::assess
