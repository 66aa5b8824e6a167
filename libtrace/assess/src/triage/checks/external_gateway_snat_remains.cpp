// Pods that leave by a gateway of their own keep their address; a SNAT row of the node is still there.
#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace external_gateway_snat_remains {

void run(const Facts& f, Findings& out) {
  for (const cluster::ExternalRoute& route : f.cluster.objects.external_routes)
    for (const KnownPod* pod : selected_by(route, f.cluster.objects, f.pods)) {
      const cluster::Node* node = f.cluster.node(pod->node);
      if (node == nullptr) continue;
      for (const NatRow& row : nat_rows_of(*node).all) {
        const auto logical = Prefix::parse(row.logical_ip);
        if (row.type != "snat" || !logical || !logical->is_host()) continue;
        if (std::find(pod->addresses.begin(), pod->addresses.end(), logical->address) == pod->addresses.end()) continue;
        // A gateway of one family leaves the other one to the node.
        if (std::none_of(route.next_hops.begin(), route.next_hops.end(),
                         [&](const IpAddr& a) { return a.family == logical->address.family; }))
          continue;
        out.about(*pod);
        out.add(Claim::external_gateway_snat_remains, pod->node, "AdminPolicyBasedExternalRoute " + route.name,
                {pod->full_name(), row.external_ip}, {row.from, route.from});
      }
    }
}

}  // namespace external_gateway_snat_remains

const Check kExternalGatewaySnatRemains{"external-gateway-snat-remains", Severity::warning, needs_external_routes,
                                        external_gateway_snat_remains::run};

}  // namespace egt::assess
