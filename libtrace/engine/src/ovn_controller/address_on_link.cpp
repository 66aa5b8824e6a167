#include "ovn_controller/address_on_link.h"

#include <algorithm>

#include "host/neighbour.h"

namespace egt::engine {

std::optional<AnsweredAddress> address_on_link(const cluster::Node& node, const NeighbourOracle& neighbours,
                                               const IpAddr& address) {
  for (const ovn::LogicalPort& port : node.ovn.ports)   // a router's port answers for itself
    if (port.on_router && port.mac &&
        std::any_of(port.addresses.begin(), port.addresses.end(), [&](const Prefix& p) { return p.address == address; }))
      return AnsweredAddress{*port.mac, {Supposition::owner_answers_ovn, {address, *port.mac}, {node.name, port.name}, {port.from}}};
  for (const host::Link& link : node.host.links.value)
    for (const host::Address& own : link.addresses) {
      if (own.prefix.is_host() || !own.subnet().contains(address) || own.prefix.address == address) continue;
      const NeighbourAnswer found = find_neighbour(node, link.name, address, own.prefix.address, neighbours);
      if (found.kind != NeighbourAnswer::Kind::mac) continue;
      AnsweredAddress answer{found.mac, {Supposition::owner_answers_ovn, {address, found.mac}, {node.name, link.name}, {}}};
      if (found.from_dump) answer.assumption.evidence.push_back(found.entry->from);
      return answer;
    }
  return std::nullopt;
}

}  // namespace egt::engine
