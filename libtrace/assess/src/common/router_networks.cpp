#include "common/router_networks.h"

#include <algorithm>

#include "egtrace/ovn/rows/nb.h"

namespace egt::assess {
namespace {

namespace nb = rows::nb;
using ovn::as;

std::string output_port_of(const ovn::Row& row) {
  if (const auto route = as<nb::LogicalRouterStaticRoute>(row)) return route->output_port();
  const auto policy = as<nb::LogicalRouterPolicy>(row);
  return policy ? policy->output_port() : std::string();
}

// A route to IPv4 by a next hop of IPv6 is taken by newer releases alone.
bool is_of_one_family(const ovn::Row& row, std::string_view next_hop) {
  const auto route = as<nb::LogicalRouterStaticRoute>(row);
  const auto prefix = route ? Prefix::parse(route->ip_prefix()) : std::nullopt;
  const auto address = IpAddr::parse(next_hop);
  return !prefix || !address || prefix->address.is_v4() == address->is_v4();
}

}  // namespace

std::vector<std::string> next_hops_of(const ovn::Row& row) {
  std::vector<std::string> all;
  if (const auto route = as<nb::LogicalRouterStaticRoute>(row)) {
    if (route->nexthop() != "discard") all.push_back(route->nexthop());
  } else if (const auto policy = as<nb::LogicalRouterPolicy>(row); policy && policy->action() == "reroute") {
    all = policy->nexthops();
    if (all.empty()) all.push_back(policy->nexthop());
  }
  std::erase(all, "");
  return all;
}

RouterNetworks::RouterNetworks(const ovn::Ovn& ovn) {
  for (const nb::LogicalRouter router : ovn::rows_of<nb::LogicalRouter>(ovn.rows)) {
    knows_routers_ = true;
    if (router.enabled().value_or(true)) routers_[router.name()].ports = router.ports().size();
  }
  std::set<std::string> disabled;
  for (const nb::LogicalRouterPort port : ovn::rows_of<nb::LogicalRouterPort>(ovn.rows))
    if (!port.enabled().value_or(true)) disabled.insert(port.name());
  for (const ovn::LogicalPort& port : ovn.ports) {
    const auto router = port.on_router && !disabled.contains(port.name) ? routers_.find(port.datapath) : routers_.end();
    if (router == routers_.end()) continue;
    router->second.names.insert(port.name);
    router->second.networks.insert(router->second.networks.end(), port.addresses.begin(), port.addresses.end());
  }
}

Reach RouterNetworks::reach(const Router& router, std::string_view next_hop) const {
  const auto address = IpAddr::parse(next_hop);
  if (!address) return Reach::unknown;
  const bool on_one =
      std::any_of(router.networks.begin(), router.networks.end(), [&](const Prefix& p) { return p.contains(*address); });
  if (on_one || (address->is_link_local() && !router.names.empty())) return Reach::reached;
  return router.names.size() == router.ports && router.ports > 0 ? Reach::not_reached : Reach::unknown;
}

Reach RouterNetworks::reach_of(const ovn::Row& row) const {
  const auto router = routers_.find(ovn::text_of(row, "router"));
  if (router == routers_.end()) return Reach::unknown;
  if (const std::string port = output_port_of(row); !port.empty())
    return router->second.names.contains(port) ? Reach::reached : Reach::unknown;
  if (const auto policy = as<nb::LogicalRouterPolicy>(row); policy && policy->action() == "jump") return Reach::unknown;
  std::set<Reach> found;
  for (const std::string& next_hop : next_hops_of(row))
    found.insert(is_of_one_family(row, next_hop) ? reach(router->second, next_hop) : Reach::unknown);
  if (found.empty()) return Reach::reached;
  return found.size() == 1 ? *found.begin() : Reach::unknown;
}

}  // namespace egt::assess
