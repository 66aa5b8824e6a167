// The router between networks that a ClusterNetworkConnect connects has a port for each network of layer 2, and for each node of one of layer
// 3, and a route to what is behind it (ensureConnectRouterStaticRoutes of OVN-Kubernetes, ovn/controller/networkconnect/topology.go).
#include <algorithm>
#include <string>
#include <vector>

#include "egtrace/ovn_kubernetes/names.h"
#include "triage/checks.h"
#include "triage/nb_rows.h"

namespace egt::assess {
namespace network_connect_route_missing {

namespace nb = rows::nb;

std::vector<IpAddr> next_hops(const cluster::Node& node, const nb::LogicalRouter& router) {
  std::vector<IpAddr> all;
  for (const auto& route : rows_named<nb::LogicalRouterStaticRoute>(node, router.static_routes()))
    if (const auto hop = IpAddr::parse(route.nexthop())) all.push_back(*hop);
  return all;
}

// Without any route of a family the networks may be connected for services alone.
bool is_unused(const Prefix& link, const std::vector<IpAddr>& hops) {
  return std::none_of(hops.begin(), hops.end(), [&](const IpAddr& hop) { return link.contains(hop); }) &&
         std::any_of(hops.begin(), hops.end(), [&](const IpAddr& hop) { return hop.family == link.address.family; });
}

void judge(const cluster::Node& node, const nb::LogicalRouter& router, Findings& out) {
  const std::vector<IpAddr> hops = next_hops(node, router);
  const std::string object = router.name().substr(ovnk::kConnectRouter.size());
  for (const auto& port : rows_named<nb::LogicalRouterPort>(node, router.ports())) {
    if (!port.name().starts_with(ovnk::kConnectRouterToRouter)) continue;
    for (const std::string& network : port.networks())
      if (const auto link = Prefix::parse(network); link && is_unused(*link, hops))
        out.add(Claim::connect_router_has_no_route, node.name, "ClusterNetworkConnect " + object, {router.name(), port.name()},
                {port.from(), router.from()});
  }
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    if (!is_cluster_node(*node)) continue;
    const bool has_ports_and_routes =
        has_complete(*node, "Logical_Router_Port") && has_complete(*node, "Logical_Router_Static_Route");
    bool lacks = !has_complete(*node, "Logical_Router");
    for (const nb::LogicalRouter router : rows_of<nb::LogicalRouter>(node->ovn.rows)) {
      if (!router.name().starts_with(ovnk::kConnectRouter)) continue;
      if (has_ports_and_routes)
        judge(*node, router, out);
      else
        lacks = true;
    }
    if (lacks) out.lacks(Lack::routes_of_routers, {node->name});
  }
}

}  // namespace network_connect_route_missing

const Check kNetworkConnectRouteMissing{"network-connect-route-missing", Severity::error, always,
                                        network_connect_route_missing::run};

}  // namespace egt::assess
