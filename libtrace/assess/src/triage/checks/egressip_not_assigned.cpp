// An EgressIP that no node hosts: its pods leave as their nodes.
#include <fmt/format.h>

#include "triage/checks.h"

namespace egt::assess {
namespace egressip_not_assigned {

void run(const Facts& f, Findings& out) {
  for (const cluster::EgressIp& eip : f.cluster.objects.egress_ips) {
    for (const IpAddr& address : eip.addresses) {
      bool assigned = false;
      for (const auto& item : eip.status) assigned |= item.address == address;
      if (assigned) continue;
      out.add(fmt::format("No node hosts egress IP {} of EgressIP {}.", address.to_string(), eip.name), "",
              "EgressIP " + eip.name, {eip.from},
              "See that a node has label k8s.ovn.org/egress-assignable and a network that holds the address "
              "(oc get nodes -o yaml, annotation k8s.ovn.org/host-cidrs), and that ovnkube-cluster-manager reaches it "
              "on port 9107.");
    }
  }
}

}  // namespace egressip_not_assigned

const Check kEgressIpNotAssigned{"egressip-not-assigned", "An egress IP that no node hosts", Severity::error,
                                 needs_egress_ips, egressip_not_assigned::run};

}  // namespace egt::assess
