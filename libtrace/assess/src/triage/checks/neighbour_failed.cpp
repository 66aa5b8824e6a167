// A next hop that does not reply ARP or neighbour solicitation.
#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace neighbour_failed {

bool is_next_hop(const cluster::Node& node, const host::Neighbour& n) {
  const auto& routes = routes_of(node, n.address.family).value;
  return std::any_of(routes.begin(), routes.end(), [&](const host::Route& route) {
    return std::any_of(route.next_hops.begin(), route.next_hops.end(),
                       [&](const host::NextHop& hop) { return hop.via == n.address; });
  });
}

bool is_of(const explain::StopReport& stop, const cluster::Node& node, const host::Neighbour& n) {
  const bool is_unresolved =
      stop.reason == engine::Reason::neighbour_unresolved || stop.reason == engine::Reason::neighbour_discovery_lost;
  return stop.node == node.name && is_unresolved &&
         std::any_of(stop.place.about.begin(), stop.place.about.end(), [&](const engine::Detail& d) {
           const auto* address = std::get_if<IpAddr>(&d);
           return address != nullptr && *address == n.address;
         });
}

void judge(const cluster::Node& node, const host::Neighbour& n, Findings& out) {
  if (is_cluster_node(node) && has_no_wire(node, n.device)) return;  // which uplink-down reports
  const bool harms = out.explain_all([&](const explain::StopReport& stop) { return is_of(stop, node, n); });
  if (!harms && !is_next_hop(node, n)) return;
  out.weigh(harms ? Severity::error : Severity::note);
  out.add(Claim::neighbour_failed, node.name, "", {n.address, n.address.family, n.device}, {n.from});
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    if (!node->host.neighbours.present) out.lacks(Lack::neighbours, {node->name});
    for (const host::Neighbour& n : node->host.neighbours.value)
      if (n.state == host::NeighbourState::failed || n.state == host::NeighbourState::incomplete) judge(*node, n, out);
  }
}

}  // namespace neighbour_failed

const Check kNeighbourFailed{"neighbour-failed", Severity::error, always, neighbour_failed::run};

}  // namespace egt::assess
