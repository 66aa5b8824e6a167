// A gateway router has no route for what leaves the cluster: OVN drops it before it reaches the node's external bridge.
#include <algorithm>
#include <map>
#include <string>

#include "common/evidence.h"
#include "common/look.h"
#include "triage/checks.h"
#include "triage/nb_rows.h"

namespace egt::assess {
namespace gateway_route_missing {

namespace nb = rows::nb;

struct Router {
  nb::LogicalRouter row;
  std::vector<Prefix> links;   // networks of the ports that lead to the external bridge
  std::vector<Prefix> routes;  // destinations of its static routes
};

// Such a router has routes that no row of the northbound database mentions (options:dynamic-routing, ovn-nb(5)).
bool learns_routes(const nb::LogicalRouter& router) {
  const auto options = router.options();
  return std::any_of(options.begin(), options.end(), [](const auto& o) { return o.first.starts_with("dynamic-routing"); });
}

// OVN-Kubernetes marks the port that has the node's own address (external_ids:gateway-physical-ip).
std::vector<Router> gateway_routers(const cluster::Node& node) {
  std::vector<Router> all;
  for (const nb::LogicalRouter row : rows_of<nb::LogicalRouter>(node.ovn.rows)) {
    if (learns_routes(row)) continue;
    Router router{row, {}, {}};
    for (const auto& port : rows_named<nb::LogicalRouterPort>(node, row.ports()))
      if (port.external_ids().contains("gateway-physical-ip"))
        for (const std::string& network : port.networks())
          if (const auto prefix = Prefix::parse(network)) router.links.push_back(*prefix);
    for (const auto& route : rows_named<nb::LogicalRouterStaticRoute>(node, row.static_routes()))
      if (const auto prefix = Prefix::parse(route.ip_prefix()); prefix && route.policy() != "src-ip")
        router.routes.push_back(*prefix);
    if (!router.links.empty()) all.push_back(std::move(router));
  }
  return all;
}

bool leads_out(const Router& router, Family family) {
  return std::any_of(router.links.begin(), router.links.end(), [&](const Prefix& p) { return p.address.family == family; });
}

bool has_route(const Router& router, const IpAddr& to) {
  const auto contains = [&](const Prefix& p) { return p.contains(to); };
  return std::any_of(router.routes.begin(), router.routes.end(), contains) ||
         std::any_of(router.links.begin(), router.links.end(), contains);
}

// A request to the outside that a flow of the node's integration bridge drops, and no policy of an object.
bool is_dropped_in_ovn(const AuditRow& row, const cluster::Node& node) {
  if (!is_outside(row.to_kind) || !row.stopped_at || !is_failure(row) || row.fails != explain::Direction::request) return false;
  const explain::StopReport& stop = *row.stopped_at;
  if (stop.node != node.name || stop.reason != engine::Reason::flow_drops || !stopped_for(stop).empty() ||
      stop.place.about.empty())
    return false;
  const auto* bridge = std::get_if<std::string>(&stop.place.about.front());
  return bridge != nullptr && node.integration_bridge() != nullptr && node.bridge(*bridge) == node.integration_bridge();
}

using Rows = std::vector<const AuditRow*>;

std::map<std::string, Rows> dropped_by_node(const Facts& f) {
  std::map<std::string, Rows> all;
  for (const AuditRow& row : f.connections()) {
    const cluster::Node* node = row.stopped_at ? f.cluster.node(row.stopped_at->node) : nullptr;
    if (node != nullptr && is_dropped_in_ovn(row, *node)) all[node->name].push_back(&row);
  }
  return all;
}

void judge(const cluster::Node& node, const Router& router, Family family, const Rows& dropped, Findings& out) {
  std::string to;
  for (const AuditRow* row : dropped) {
    const auto address = IpAddr::parse(row->to);
    if (!address || address->family != family || has_route(router, *address)) continue;
    out.explain(*row->stopped_at);
    if (to.empty()) to = row->to;
  }
  if (to.empty()) return;
  out.add(Claim::gateway_has_no_route, node.name, "", {router.row.name(), to}, {router.row.from()});
}

void run(const Facts& f, Findings& out) {
  const std::map<std::string, Rows> dropped = dropped_by_node(f);
  for (const auto& node : f.cluster.nodes) {
    if (!is_cluster_node(*node)) continue;
    if (!has_complete(*node, "Logical_Router") || !has_complete(*node, "Logical_Router_Port") ||
        !has_complete(*node, "Logical_Router_Static_Route")) {
      out.lacks(Lack::routes_of_routers, {node->name});
      continue;
    }
    const auto rows = dropped.find(node->name);
    if (rows == dropped.end()) continue;
    for (const Router& router : gateway_routers(*node))
      for (const Family family : {Family::v4, Family::v6})
        if (leads_out(router, family)) judge(*node, router, family, rows->second, out);
  }
}

}  // namespace gateway_route_missing

const Check kGatewayRouteMissing{"gateway-route-missing", Severity::error, always, gateway_route_missing::run};

}  // namespace egt::assess
