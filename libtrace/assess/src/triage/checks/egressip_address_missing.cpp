// The node that is to host an egress IP of its own networks does not have the address.
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_address_missing {

void run(const Facts& f, Findings& out) {
  for (const EgressPlace& place : f.places) {
    const cluster::Node* node = f.cluster.node(place.node);
    if (place.network != EgressNetwork::host || node == nullptr) continue;
    if (!node->host.links.present || !node->host.address_list_complete) {
      out.lacks(Lack::addresses, {place.node});
      continue;
    }
    if (node->host.owner_of(place.address) != nullptr) continue;
    out.add(Claim::egressip_address_missing, place.node, place.name(), {place.address},
            {place.object->from, node->host.links.from});
  }
}

}  // namespace egressip_address_missing

const Check kEgressIpAddressMissing{"egressip-address-missing", Severity::error, needs_egress_ips, egressip_address_missing::run};

}  // namespace egt::assess
