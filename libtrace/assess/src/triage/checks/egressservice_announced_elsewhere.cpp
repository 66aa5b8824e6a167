// The address of an EgressService is announced by nodes that do not host it.
#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressservice_announced_elsewhere {

void run(const Facts& f, Findings& out) {
  const auto nodes = outside_nodes(f.cluster);
  if (nodes.empty()) out.lacks(Lack::upstream_routes);
  for (const cluster::EgressService& e : f.cluster.objects.egress_services) {
    const cluster::Service* service = f.cluster.objects.services.find(e.namespace_, e.name);
    if (service == nullptr || e.host.empty() || e.host == "ALL" || e.source_ip_by == "Network") continue;
    for (const IpAddr& address : service->load_balancer_ips)
      for (const cluster::Node* router : nodes) {
        const engine::RouteAnswer answer = route_from_outside(f.cluster, *router, address);
        for (const engine::RouteHop& hop : answer.hops) {
          const cluster::Node* to = hop.get().via ? f.cluster.owner_of(*hop.get().via) : nullptr;
          if (to == nullptr || !is_cluster_node(*to) || to->name == e.host) continue;
          out.add(Claim::egressservice_announced_elsewhere, router->name, "EgressService " + e.full_name(),
                  {address, to->name, e.host, e.namespace_, e.name}, {hop.route->from, e.from});
        }
      }
  }
}

}  // namespace egressservice_announced_elsewhere

const Check kEgressServiceAnnouncedElsewhere{"egressservice-announced-elsewhere", Severity::error, needs_egress_services,
                                             egressservice_announced_elsewhere::run};

}  // namespace egt::assess
