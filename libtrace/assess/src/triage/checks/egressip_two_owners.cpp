// Two nodes have one egress IP: both answer for it, and answers reach the wrong one.
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_two_owners {

void run(const Facts& f, Findings& out) {
  for (const EgressPlace& place : f.places)
    for (const auto& node : f.cluster.nodes) {
      if (node->name == place.node) continue;
      for (const host::Link& link : node->host.links.value)
        for (const host::Address& a : link.addresses)
          if (a.prefix.address == place.address)
            out.add(Claim::egressip_two_owners, node->name, place.name(), {place.address, link.name, place.node, a.prefix},
                    {a.from, place.object->from});
    }
}

}  // namespace egressip_two_owners

const Check kEgressIpTwoOwners{"egressip-two-owners", Severity::error, needs_egress_ips, egressip_two_owners::run};

}  // namespace egt::assess
