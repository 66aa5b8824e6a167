// An EgressIP that no node hosts: its pods leave as their nodes.
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_not_assigned {

void run(const Facts& f, Findings& out) {
  for (const cluster::EgressIp& eip : f.cluster.objects.egress_ips) {
    for (const IpAddr& address : eip.addresses) {
      bool assigned = false;
      for (const auto& item : eip.status) assigned |= item.address == address;
      if (assigned) continue;
      out.add(Claim::egressip_not_assigned, "", "EgressIP " + eip.name, {address}, {eip.from});
    }
  }
}

}  // namespace egressip_not_assigned

const Check kEgressIpNotAssigned{"egressip-not-assigned", Severity::error, needs_egress_ips, egressip_not_assigned::run};

}  // namespace egt::assess
