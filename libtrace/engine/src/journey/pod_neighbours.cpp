#include "pod_neighbours.h"

#include <algorithm>

#include "egtrace/engine/localnet.h"
#include "stale_neighbours.h"

namespace egt::engine {
namespace {

using cluster::Node;

// The default MAC of OVN-Kubernetes for an IPv4 address (util.IPAddrToHWAddr).
MacAddr conventional_mac(const IpAddr& a) { return MacAddr{0x0a5800000000ULL | a.as_v4()}; }

// Behind a localnet port neither router nor neighbours are OVN's.
bool is_physical(const Node& node, const PodNetwork& pod) {
  return !pod.network.empty() && localnet_of(node, pod.logical_switch).port != nullptr;
}

}  // namespace

const Workload* workload_with(const Workloads& workloads, const MacAddr& mac, const IpAddr& address) {
  for (const PodSide& side : workloads.objects_with(address))
    if (side.mac() == mac)
      if (const Workload* pod = workloads.with_id(side.port_name(), "")) return pod;
  const Workload* pod = workloads.with_address(address, "");
  return pod != nullptr && pod->network.mac == mac ? pod : nullptr;
}

// By its key, or, as one network has one in each namespace, by its switch.
bool PodNeighbours::is_on_network(const PodSide& side, const PodNetwork& network) const {
  if ((side.on != nullptr ? side.on->network : std::string()) == network.network) return true;
  if (side.on == nullptr || network.logical_switch.empty()) return false;
  const Workload* port = workloads_.with_id(side.port_name(), "");
  return port != nullptr && port->network.logical_switch == network.logical_switch;
}

std::optional<MacAddr> PodNeighbours::find_mac(const Node& node, const PodNetwork& pod, const IpAddr& address) const {
  const bool physical = is_physical(node, pod);
  std::optional<MacAddr> mac;
  for (const ovn::LogicalPort& port : node.ovn.ports)
    for (const Prefix& p : port.addresses)
      if (p.address == address && port.mac && (!physical || port.datapath == pod.logical_switch)) mac = port.mac;
  if (!mac && !physical)
    for (const host::Link& link : node.host.links.value)
      for (const host::Address& a : link.addresses)
        if (a.prefix.address == address && link.mac) mac = link.mac;
  if (!mac && !physical)
    for (const host::Neighbour& n : node.host.neighbours.value)
      if (n.address == address && is_usable(n)) mac = n.mac;
  if (!mac)
    for (const PodSide& other : workloads_.objects_with(address))
      if (other.mac() && is_on_network(other, pod)) mac = other.mac();
  if (mac || !physical) return mac;
  // Whose address its own devices alone show.
  if (const Workload* other = workloads_.with_address(address, "", &pod.network); other != nullptr && other->network.mac)
    return other->network.mac;
  const DeviceIndex::Device* owner = devices_.only_with_address(address);
  return (owner != nullptr ? mac_of(owner->end()) : std::nullopt).value_or(kSomeNeighbour);
}

PodNextHop PodNeighbours::next_hop(const Node& node, const PodNetwork& pod, const IpAddr& destination) const {
  // The pod's subnet: from the pod's own prefix, else from the router port whose network holds the pod's address.
  const ovn::LogicalPort* gateway_port = nullptr;
  Prefix subnet = Prefix::host(destination);
  std::optional<IpAddr> gateway;
  for (const Prefix& own : pod.addresses) {
    if (own.address.family != destination.family) continue;
    if (!own.is_host()) subnet = own.network();
    for (const auto& [port, logical_switch] : router_ports_.of(node)) {
      // Networks may use the same addresses: the one whose switch has the pod's port counts.
      if (!pod.logical_switch.empty() && !logical_switch.empty() && pod.logical_switch != logical_switch) continue;
      for (const Prefix& network : port->addresses)
        if (!network.is_host() && network.contains(own.address)) {
          gateway_port = port;
          gateway = network.address;
          if (own.is_host()) subnet = network.network();
        }
    }
  }
  for (const IpAddr& g : pod.gateways)
    if (g.family == destination.family) gateway = g;

  // OVN-Kubernetes gives a node's router the first address of the pod subnet; no dump said so.
  const bool guessed = !gateway && !subnet.is_host() && !is_physical(node, pod);
  if (guessed) gateway = IpAddr{subnet.address.family, subnet.network().address.value + 1};

  const bool on_link = !subnet.is_host() && subnet.contains(destination);
  PodNextHop hop;
  hop.address = on_link ? destination : gateway.value_or(destination);
  const bool by_router = !on_link && gateway_port != nullptr && gateway_port->mac;
  hop.mac = by_router ? gateway_port->mac : find_mac(node, pod, hop.address);
  if (!hop.mac && hop.address.is_v4() && (gateway || on_link)) {
    hop.mac = conventional_mac(hop.address);
    hop.by_convention = true;
  }
  hop.by_convention |= guessed && !on_link;
  return hop;
}

}  // namespace egt::engine
