// A host sends to a next hop at a MAC address that its owner does not have: an entry by hand, or a second node that answers.
#include <algorithm>

#include "triage/checks.h"

namespace egt::assess {
namespace neighbour_wrong {

bool is_of(const explain::StopReport& stop, const cluster::Node& node, const host::Neighbour& n) {
  return stop.node == node.name && stop.reason == engine::Reason::neighbour_is_stranger &&
         std::find(stop.place.about.begin(), stop.place.about.end(), engine::Detail{n.address}) != stop.place.about.end();
}

void judge(const Facts& f, const cluster::Node& node, const host::Neighbour& n, Findings& out) {
  const cluster::Node* owner = f.cluster.owner_of(n.address);
  const host::Link* link = owner == nullptr ? nullptr : owner->host.owner_of(n.address);
  if (!n.mac || link == nullptr || link->mac == n.mac) return;
  if (!out.explain_all([&](const explain::StopReport& stop) { return is_of(stop, node, n); })) return;
  const bool by_hand = n.state == host::NeighbourState::permanent;
  out.add(by_hand ? Claim::neighbour_set_wrong : Claim::neighbour_learned_wrong, node.name, "",
          {n.address, *n.mac, owner->name, link->name, link->mac, n.device}, {n.from, link->from});
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    if (!node->host.neighbours.present) out.lacks(Lack::neighbours, {node->name});
    for (const host::Neighbour& n : node->host.neighbours.value)
      if (n.state != host::NeighbourState::failed) judge(f, *node, n, out);
  }
}

}  // namespace neighbour_wrong

const Check kNeighbourWrong{"neighbour-wrong", Severity::error, always, neighbour_wrong::run};

}  // namespace egt::assess
