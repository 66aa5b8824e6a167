#include "stale_neighbours.h"

#include <algorithm>

#include "egtrace/ovn/southbound.h"
#include "pod_neighbours.h"

namespace egt::engine {
namespace {

using cluster::Node;

bool is_gateway(const Node& node, const IpAddr& address) {
  const auto& routes = address.is_v4() ? node.host.routes_v4.value : node.host.routes_v6.value;
  return std::any_of(routes.begin(), routes.end(), [&](const host::Route& r) {
    return std::any_of(r.next_hops.begin(), r.next_hops.end(), [&](const host::NextHop& h) { return h.via == address; });
  });
}

}  // namespace

bool is_usable(const host::Neighbour& n) {
  return n.mac && n.state != host::NeighbourState::failed && n.state != host::NeighbourState::incomplete;
}

std::optional<StaleNeighbours::Owner> StaleNeighbours::owner_with_other_mac(const Node& sender, const IpAddr& address,
                                                                            const MacAddr& mac, const Provenance& entry) const {
  const DeviceIndex::Device* owner = devices_.only_with_address(address);
  if (owner == nullptr || owner->node->identity() == &sender) return std::nullopt;
  const auto own = mac_of(owner->end());
  return own && *own != mac ? std::optional(Owner{address, owner->node->get(), *own, entry}) : std::nullopt;
}

StaleNeighbours::Bindings StaleNeighbours::bindings_by_mac(const Node& node) {
  Bindings all;
  if (node.ovn.southbound == nullptr) return all;
  for (const ovn::sb::MacBinding& b : node.ovn.southbound->mac_bindings)
    if (const auto address = IpAddr::parse(b.ip); address)
      if (const auto mac = MacAddr::parse(b.mac)) all[*mac].emplace_back(*address, b.from);
  return all;
}

std::optional<StaleNeighbours::Owner> StaleNeighbours::owner_behind(const Node& sender, const MacAddr& mac, Family family) const {
  std::optional<Owner> misled;
  bool may_be_right = false;
  const auto consider = [&](const IpAddr& address, const Provenance& entry) {
    if (address.family != family || (address.is_link_local() && !is_gateway(sender, address))) return;
    if (workload_with(workloads_, mac, address) != nullptr) return;  // OVN's own networks are behind no wire
    const DeviceIndex::Device* owner = devices_.only_with_address(address);
    const bool of_other = owner != nullptr && owner->node->identity() != &sender;
    const auto own = of_other ? mac_of(owner->end()) : std::nullopt;
    if (!own || *own == mac)
      may_be_right = true;
    else if (!misled)
      misled = Owner{address, owner->node->get(), *own, entry};
  };
  for (const host::Neighbour& n : sender.host.neighbours.value)
    if (n.mac == mac && is_usable(n)) consider(n.address, n.from);
  // A switch in the kernel sends tunnels by the host's neighbours.
  if (sender.has_userspace_datapath())
    for (const openflow::TunnelNeighbour& n : sender.datapath.neighbours)
      if (n.mac == mac) consider(n.address, n.from);
  const Bindings& bindings = mac_bindings_.of(sender, [&] { return bindings_by_mac(sender); });
  if (const auto found = bindings.find(mac); found != bindings.end())
    for (const auto& [address, from] : found->second) consider(address, from);
  return may_be_right ? std::nullopt : misled;
}

}  // namespace egt::engine
