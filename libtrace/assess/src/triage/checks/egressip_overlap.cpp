// Two EgressIPs select one pod: only one of them counts, and which is not defined.
#include <map>

#include "triage/checks.h"

namespace egt::assess {
namespace egressip_overlap {

void run(const Facts& f, Findings& out) {
  std::map<std::string, const cluster::EgressIp*> first;
  for (const cluster::EgressIp& eip : f.cluster.objects.egress_ips)
    for (const KnownPod* pod : selected_by(eip, f.cluster.objects, f.pods)) {
      const auto [at, fresh] = first.emplace(pod->full_name(), &eip);
      if (fresh || at->second == &eip) continue;
      out.about(*pod);
      out.add(Claim::egressip_overlap, "", "EgressIP " + eip.name, {at->second->name, pod->full_name()},
              {at->second->from, eip.from, pod->object->from});
    }
}

}  // namespace egressip_overlap

const Check kEgressIpOverlap{"egressip-overlap", Severity::warning, needs_egress_ips, egressip_overlap::run};

}  // namespace egt::assess
