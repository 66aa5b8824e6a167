// A pod that an egress object selects leaves with another source address, on any path.
#include <map>
#include <utility>

#include "common/evidence.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egress_leak {

// As audit finds it: a row that leaks. Dumps missing behind the point at which the address was seen change nothing of it.
void report(const Facts& f, const KnownPod& pod, const EgressClaim& claim, const AuditRow& row, Findings& out) {
  explain::Evidence lines = row.evidence;
  for (auto& line : evidence(f.cluster, {claim.from})) lines.push_back(std::move(line));
  out.about(pod);
  out.add(Claim::egress_leak, row.egress_node.empty() ? pod.node : row.egress_node, claim.object,
          {pod.full_name(), claim.addresses.front(), row.to, row.source_seen->ip}, std::move(lines));
}

// The first leaking row of a pod and family of addresses.
using Leaks = std::map<std::pair<std::string, Family>, const AuditRow*>;

Leaks leaks_in(const std::vector<AuditRow>& rows) {
  Leaks leaks;
  for (const AuditRow& row : rows)
    if (row.leak) leaks.try_emplace({row.namespace_ + "/" + row.pod, IpAddr::parse(row.ip)->family}, &row);
  return leaks;
}

void run(const Facts& f, Findings& out) {
  const Leaks leaks = leaks_in(f.connections());
  for (const auto& [pod, claim] : f.claimed_pods()) {
    if (out.has_cause(claim->object, pod->full_name())) continue;
    if (const auto leak = leaks.find({pod->full_name(), claim->family}); leak != leaks.end())
      report(f, *pod, *claim, *leak->second, out);
  }
}

}  // namespace egress_leak

const Check kEgressLeak{"egress-leak", Severity::error, needs_egress_ips_or_services, egress_leak::run,
                        Check::Finds::consequence};

}  // namespace egt::assess
