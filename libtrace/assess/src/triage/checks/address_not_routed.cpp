// An address of the cluster to which no router outside leads: no node announces it, or the route is gone.
#include <algorithm>
#include <set>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace address_not_routed {

struct Wanted {
  IpAddr address;
  Claim claim{};  // that it is not routed
  std::string object;
  std::string by;  // the node that is to announce it, or the service
  Provenance from;
};

std::vector<Wanted> wanted(const Facts& f) {
  std::vector<Wanted> all;
  for (const EgressPlace& place : f.places)
    if (!place.pods.empty())
      all.push_back({place.address, Claim::egressip_not_routed, place.name(), place.node, place.object->from});
  for (const cluster::Service& s : f.cluster.objects.services) {
    const auto endpoints = endpoints_of(s, f.cluster.objects, f.all_pods);
    for (const IpAddr& a : s.load_balancer_ips)
      if (std::any_of(endpoints.begin(), endpoints.end(), [&](const auto& e) { return e.address.family == a.family; }))
        all.push_back({a, Claim::service_address_not_routed, "Service " + s.full_name(), s.full_name(), s.from});
  }
  return all;
}

// A node that hands packets to cluster nodes directly.
bool is_next_to_cluster(const Facts& f, const cluster::Node& node, Family family) {
  for (const std::string& name : cluster_nodes(f.cluster))
    if (const auto address = node_address(f.cluster, name, family)) {
      const engine::RouteAnswer answer = route_from_outside(f.cluster, node, *address);
      if (!answer.hops.empty() && answer.hops.front().route->to.length > 0 && !answer.hops.front().get().via) return true;
    }
  return false;
}

enum class Leads { nowhere, away, elsewhere };

Leads leads(const engine::RouteAnswer& answer) {
  if (answer.is_for_me() || answer.kind == engine::RouteAnswer::Kind::unknown) return Leads::elsewhere;
  if (answer.hops.empty()) return Leads::nowhere;
  return answer.hops.front().route->to.length == 0 ? Leads::away : Leads::elsewhere;  // who is right among nodes others check
}

void judge(const Facts& f, const Wanted& w, const std::vector<const cluster::Node*>& routers, Findings& out) {
  const cluster::Node* first = nullptr;
  const host::Route* by_default = nullptr;
  for (const cluster::Node* router : routers) {
    const engine::RouteAnswer answer = route_from_outside(f.cluster, *router, w.address);
    if (leads(answer) == Leads::elsewhere) return;
    if (first != nullptr) continue;
    first = router;
    if (leads(answer) == Leads::away) by_default = answer.hops.front().route;
  }
  if (first == nullptr) return;
  const auto& routes = routes_of(*first, w.address.family);
  out.add(w.claim, first->name, w.object, {w.address, by_default != nullptr, w.by},
          {by_default != nullptr ? by_default->from : routes.from, w.from});
}

void run(const Facts& f, Findings& out) {
  const auto nodes = outside_nodes(f.cluster);
  std::set<IpAddr> asked;
  for (const Wanted& w : wanted(f)) {
    if (!asked.insert(w.address).second) continue;
    std::vector<const cluster::Node*> routers;
    for (const cluster::Node* node : nodes) {
      const auto& routes = routes_of(*node, w.address.family);
      if (routes.present && !routes.partial && is_next_to_cluster(f, *node, w.address.family)) routers.push_back(node);
    }
    if (routers.empty())
      out.lacks(Lack::upstream_routes);
    else
      judge(f, w, routers, out);
  }
}

}  // namespace address_not_routed

const Check kAddressNotRouted{"address-not-routed", Severity::error, always, address_not_routed::run};

}  // namespace egt::assess
