// A host sends to a next hop at a MAC address that its owner does not have: an entry by hand, or a second machine that answers.
#include <fmt/format.h>

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
  out.add(fmt::format("{} sends to {} at {}{}, but the address is {}'s{}.", node.name, n.address.to_string(), n.mac->to_string(),
                      by_hand ? " (a permanent entry)" : "", owner->name,
                      link->mac ? fmt::format(", on {} at {}", link->name, link->mac->to_string()) : ""),
          node.name, "", {n.from, link->from},
          by_hand ? fmt::format("ip neigh del {} dev {} on {}.", n.address.to_string(), n.device, node.name)
                  : fmt::format("A second machine replies: arping -I {} {} on {} shows which MACs.", n.device, n.address.to_string(), node.name));
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    if (!node->host.neighbours.present) out.lacks(fmt::format("neighbours of {} (ip neigh)", node->name));
    for (const host::Neighbour& n : node->host.neighbours.value)
      if (n.state != host::NeighbourState::failed) judge(f, *node, n, out);
  }
}

}  // namespace neighbour_wrong

const Check kNeighbourWrong{"neighbour-wrong", "A neighbour entry with another machine's MAC", Severity::error, always,
                            neighbour_wrong::run};

}  // namespace egt::assess
