// Traffic for a service with externalTrafficPolicy Local is routed to a node that has no endpoint of it.
#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace service_local_without_endpoint {

void run(const Facts& f, Findings& out) {
  const auto nodes = outside_nodes(f.cluster);
  if (nodes.empty()) out.lacks(Lack::upstream_routes);
  for (const cluster::Service& service : f.cluster.objects.services) {
    if (service.external_traffic_policy != "Local") continue;
    const auto endpoints = endpoints_of(service, f.cluster.objects, f.all_pods);
    for (const IpAddr& address : service.load_balancer_ips)
      for (const cluster::Node* router : nodes) {
        const engine::RouteAnswer answer = route_from_outside(f.cluster, *router, address);
        for (const engine::RouteHop& hop : answer.hops) {
          const cluster::Node* to = hop.get().via ? f.cluster.owner_of(*hop.get().via) : nullptr;
          if (to == nullptr || !is_cluster_node(*to)) continue;
          if (std::any_of(endpoints.begin(), endpoints.end(), [&](const auto& e) { return e.node == to->name; })) continue;
          out.add(Claim::service_local_without_endpoint, router->name, "Service " + service.full_name(),
                  {address, service.full_name(), to->name, *hop.get().via}, {hop.route->from, service.from});
          out.explain_from_outside(service, to->name);
        }
      }
  }
}

}  // namespace service_local_without_endpoint

const Check kServiceLocalWithoutEndpoint{"service-local-without-endpoint", Severity::error, needs_services,
                                         service_local_without_endpoint::run};

}  // namespace egt::assess
