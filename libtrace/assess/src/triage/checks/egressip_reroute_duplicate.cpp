// Two policies of equal priority for one pod: which of them counts is undefined.
#include <map>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_reroute_duplicate {

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    std::map<std::pair<std::uint32_t, std::string>, Policy> seen;
    for (const Policy& p : f.policies_at(*node).all) {
      // Two dumps may mention one policy: only what has an identity can be a duplicate.
      if (p.action != "reroute" || p.uuid.empty()) continue;
      const auto [at, fresh] = seen.emplace(std::pair{p.priority, p.match}, p);
      if (fresh || at->second.uuid == p.uuid || at->second.next_hops == p.next_hops) continue;
      out.add(Claim::egressip_reroute_duplicate, node->name, "", {p.priority, p.match}, {at->second.from, p.from});
    }
  }
}

}  // namespace egressip_reroute_duplicate

const Check kEgressIpRerouteDuplicate{"egressip-reroute-duplicate",    Severity::error,     always,
                                      egressip_reroute_duplicate::run, Check::Finds::cause, Check::Effect::egress};

}  // namespace egt::assess
