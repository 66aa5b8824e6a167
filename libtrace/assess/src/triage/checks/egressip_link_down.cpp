// The link with the egress IP is down.
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_link_down {

void run(const Facts& f, Findings& out) {
  for (const EgressPlace& place : f.places) {
    const cluster::Node* node = f.cluster.node(place.node);
    const host::Link* link = node != nullptr ? node->host.owner_of(place.address) : nullptr;
    if (link == nullptr || (link->is_up() && link->has_carrier())) continue;
    out.add(Claim::egressip_link_down, place.node, place.name(), {link->name, place.address, link->is_up()},
            {link->from, place.object->from});
  }
}

}  // namespace egressip_link_down

const Check kEgressIpLinkDown{"egressip-link-down", Severity::error, needs_egress_ips, egressip_link_down::run};

}  // namespace egt::assess
