// A router sends what is addressed to an egress IP to a node that does not host it.
#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_upstream_wrong_node {

void judge(const Facts& f, const EgressPlace& place, const cluster::Node& router, Findings& out) {
  const engine::RouteAnswer answer = route_from_outside(f.cluster, router, place.address);
  for (const engine::RouteHop& hop : answer.hops) {
    const cluster::Node* to = hop.get().via ? f.cluster.owner_of(*hop.get().via) : nullptr;
    if (to == nullptr || !is_cluster_node(*to) || to->name == place.node) continue;
    std::vector<Provenance> proof{hop.route->from, place.object->from};
    if (!place.pods.empty())
      for (const Provenance& line : layers_of(f, place, *place.pods.front())) proof.push_back(line);
    out.add(Claim::egressip_routed_to_other_node, router.name, place.name(), {place.address, to->name, place.node}, proof);
  }
}

// On its own network the router asks by ARP: the neighbour entry shows which node answered.
void judge_neighbour(const EgressPlace& place, const cluster::Node& node, const cluster::Node& router, Findings& out) {
  const host::Link* link = node.host.owner_of(place.address);
  for (const host::Neighbour& n : router.host.neighbours.value) {
    if (n.address != place.address || !n.mac || link == nullptr || !link->mac || *n.mac == *link->mac) continue;
    if (n.state == host::NeighbourState::failed || n.state == host::NeighbourState::incomplete) continue;
    const bool own = std::any_of(node.host.links.value.begin(), node.host.links.value.end(),
                                 [&](const host::Link& l) { return l.mac == n.mac; });
    if (own) continue;
    out.add(Claim::egressip_resolved_to_other_device, router.name, place.name(), {place.address, *n.mac, place.node},
            {n.from, link->from, place.object->from});
  }
}

void run(const Facts& f, Findings& out) {
  const auto nodes = outside_nodes(f.cluster);
  if (nodes.empty()) out.lacks(Lack::upstream_routes_and_neighbours);
  for (const EgressPlace& place : f.places)
    for (const cluster::Node* router : nodes) {
      judge(f, place, *router, out);
      if (const cluster::Node* node = f.cluster.node(place.node)) judge_neighbour(place, *node, *router, out);
    }
}

}  // namespace egressip_upstream_wrong_node

const Check kEgressIpUpstreamWrongNode{"egressip-upstream-wrong-node",    Severity::error,     needs_egress_ips,
                                       egressip_upstream_wrong_node::run, Check::Finds::cause, Check::Effect::egress};

}  // namespace egt::assess
