// The gateway router of a pod's node has no route for the pod to its external gateway.
#include <algorithm>

#include "common/look.h"
#include "egtrace/ovn/rows/nb.h"
#include "triage/checks.h"

namespace egt::assess {
namespace external_gateway_route_missing {

bool knows_routes(const cluster::Node& node) {
  return std::any_of(node.ovn.complete_tables.begin(), node.ovn.complete_tables.end(), [](const auto& entry) {
    return entry.first == "NB Logical_Router_Static_Route" || entry.first.starts_with("NB Logical_Router_Static_Route of GR_");
  });
}

bool has_route(const cluster::Node& node, const KnownPod& pod, const std::vector<IpAddr>& gateways) {
  for (const auto route : rows_of<rows::nb::LogicalRouterStaticRoute>(node.ovn.rows)) {
    if (route.policy() != "src-ip") continue;
    const auto prefix = Prefix::parse(route.ip_prefix());
    const auto hop = IpAddr::parse(route.nexthop());
    if (!prefix || !prefix->is_host() || !hop || std::find(gateways.begin(), gateways.end(), *hop) == gateways.end()) continue;
    if (std::any_of(pod.addresses.begin(), pod.addresses.end(), [&](const IpAddr& a) { return prefix->contains(a); }))
      return true;
  }
  return false;
}

void run(const Facts& f, Findings& out) {
  for (const cluster::ExternalRoute& route : f.cluster.objects.external_routes) {
    if (route.next_hops.empty()) continue;
    for (const KnownPod* pod : selected_by(route, f.cluster.objects, f.pods)) {
      const cluster::Node* node = f.cluster.node(pod->node);
      if (node == nullptr) continue;
      if (!knows_routes(*node)) {
        out.lacks(Lack::static_routes, {pod->node});
        continue;
      }
      if (pod->address(route.next_hops.front().family) == nullptr || has_route(*node, *pod, route.next_hops)) continue;
      out.about(*pod);
      out.add(Claim::external_gateway_route_missing, pod->node, "AdminPolicyBasedExternalRoute " + route.name,
              {pod->full_name(), route.next_hops.front()}, {route.from});
    }
  }
}

}  // namespace external_gateway_route_missing

const Check kExternalGatewayRouteMissing{"external-gateway-route-missing", Severity::error, needs_external_routes,
                                         external_gateway_route_missing::run};

}  // namespace egt::assess
