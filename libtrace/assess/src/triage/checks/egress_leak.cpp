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

void judge(const Facts& f, const KnownPod& pod, const EgressClaim& claim, const std::vector<WayOut>& ways, Findings& out) {
  const std::string outside_address = outside(f.cluster, claim.family).address.to_string();
  for (const WayOut& way : ways) {
    if (way.verdict != "delivered" || !way.source_seen || is_expected(claim, *way.source_seen)) continue;
    if (!way.gaps.empty()) {
      for (const Gap& gap : way.gaps) out.lacks(fmt::format("{} of {} ({})", gap.what, gap.node, gap.command));
      continue;
    }
    explain::Evidence lines = way.deciding;
    for (auto& line : evidence(f.cluster, {f.telling_line(claim.from)})) lines.push_back(std::move(line));
    out.about(pod);
    out.add(
        fmt::format("Pod {} is to leave as {} by {}, but {} sees {}.", pod.full_name(),
                    claim.addresses.front().to_string(), claim.object, outside_address, *way.source_seen),
        way.egress_node.empty() ? pod.node : way.egress_node, claim.object, std::move(lines),
        fmt::format("egtrace explain SNAPSHOT --from {} --to {}", pod.full_name(), outside_address));
    return;
  }
}

void run(const Facts& f, Findings& out) {
  for (std::size_t i = 0; i < f.claimed_pods().size(); ++i) {
    const auto& [pod, claim] = f.claimed_pods()[i];
    if (!out.has_cause(claim->object)) judge(f, *pod, *claim, f.leaving()[i], out);
  }
}

}  // namespace egress_leak

const Check kEgressLeak{"egress-leak", "A selected pod that leaves with another address", Severity::error,
                        needs_egress_ips_or_services, egress_leak::run, Check::Finds::consequence};

}  // namespace egt::assess
