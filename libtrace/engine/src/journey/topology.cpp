#include "topology.h"

#include <algorithm>

#include "egtrace/engine/link_answer.h"
#include "egtrace/ovn/southbound.h"
#include "ovn/logical_node.h"

namespace egt::engine {
namespace {

using cluster::Node;

// Bridges and internal ports of Open vSwitch share the MAC of the NIC below them; a frame arrives on the NIC.
bool is_ovs_internal(const Node& node, const std::string& device) {
  const auto place = node.port(device);
  return place.port != nullptr && place.port->type == "internal";
}

bool ends_a_wire(const Node& node, const host::Link& link) {
  if (!link.mac || link.mac->is_zero() || link.link_type == "loopback") return false;
  if (is_ovs_internal(node, link.name)) return false;
  static constexpr std::string_view kStacked[] = {"bridge", "bond", "vlan", "vrf", "dummy", "openvswitch", "macvlan"};
  if (std::find(std::begin(kStacked), std::end(kStacked), link.kind) != std::end(kStacked)) return false;
  if (const auto place = node.port(link.name); place.port != nullptr) return !is_workload(*place.port);
  return link.is_up();
}

bool usable(host::NeighbourState s) {
  using enum host::NeighbourState;
  return s != failed && s != incomplete;
}

std::optional<MacAddr> mac_of(const WireEnd& end) {
  const host::Link* link = end.node->host.link(end.device);
  return link != nullptr && link->is_up() ? link->mac : std::nullopt;
}

// What the machine that has the address on `owner` says: each of its devices on the link may answer. `asked`: all devices
// on the link; of a machine that has none of them no dump tells on which link it is.
std::vector<std::optional<MacAddr>> owner_answers(const WireEnd& owner, const std::vector<WireEnd>& asked,
                                                  const LinkQuestion& q) {
  std::vector<std::optional<MacAddr>> answers;
  bool on_link = false;
  for (const WireEnd& end : asked) {
    if (end.node != owner.node) continue;
    on_link = true;
    if (answers_for_own(end.node->host, end.device, owner.device, q)) answers.push_back(mac_of(end));
  }
  const host::Link* link = owner.node->host.link(owner.device);
  const bool loopback = link != nullptr && link->link_type == "loopback";
  if (!on_link && !loopback) answers.push_back(mac_of(owner));
  return answers;
}

// The default MAC of OVN-Kubernetes for an IPv4 address (util.IPAddrToHWAddr).
MacAddr conventional_mac(const IpAddr& a) { return MacAddr{0x0a5800000000ULL | a.as_v4()}; }

}  // namespace

Topology::Topology(const cluster::Cluster& cluster) : workloads_(cluster) {
  for (const auto& node : cluster.nodes) {
    for (const ovn::LogicalPort& port : node->ovn.ports)
      if (port.on_router) router_ports_[node.get()].push_back(&port);
    for (const host::Link& link : node->host.links.value) {
      if (link.link_type == "loopback") {
        for (const host::Address& a : link.addresses)
          if (!a.prefix.address.is_loopback()) loopback_owners_[a.prefix.address].push_back({node.get(), link.name});
        continue;
      }
      for (const host::Address& a : link.addresses) {
        owners_[a.prefix.address].push_back({node.get(), link.name});
        if (!a.prefix.is_host() && !a.prefix.address.is_link_local())
          subnets_[a.subnet()].push_back({node.get(), link.name});
      }
      const bool macvlan = link.kind == "macvlan" && link.is_up();
      if (macvlan && link.mac)
        by_mac_[*link.mac].push_back({node.get(), wire_device(*node, link.name)});
      else if (ends_a_wire(*node, link))
        by_mac_[*link.mac].push_back({node.get(), link.name});
      else if (!link.is_up() && link.mac && !link.mac->is_zero())
        down_by_mac_[*link.mac].push_back({node.get(), link.name});
    }
    // A bond answers with its own MAC, which its members share only while they are enslaved.
    for (const host::Link& link : node->host.links.value)
      if (link.kind == "bond" && link.mac && !by_mac_.contains(*link.mac))
        by_mac_[*link.mac].push_back({node.get(), wire_device(*node, link.name)});
  }
}

const LogicalNode& Topology::logical(const Node& node) const {
  return *logical_.get_or(&node, [&] { return std::make_shared<const LogicalNode>(node); });
}

std::vector<WireEnd> Topology::takers(const Node& sender, const MacAddr& mac) const {
  std::vector<WireEnd> ends;
  const auto found = by_mac_.find(mac);
  if (found == by_mac_.end()) return ends;
  for (const WireEnd& end : found->second)
    if (end.node != &sender && std::find(ends.begin(), ends.end(), end) == ends.end()) ends.push_back(end);
  return ends;
}

WireEnd Topology::dead_end(const Node& sender, const MacAddr& mac) const {
  const auto found = down_by_mac_.find(mac);
  if (found == down_by_mac_.end()) return {};
  for (const WireEnd& end : found->second)
    if (end.node != &sender) return end;
  return {};
}

std::string Topology::device_with(const Node& node, const MacAddr& mac) const {
  if (const auto found = by_mac_.find(mac); found != by_mac_.end())
    for (const WireEnd& end : found->second)
      if (end.node == &node) return end.device;
  return {};
}

const Node* Topology::owner(const IpAddr& address) const {
  const auto found = owners_.find(address);
  if (found == owners_.end()) return nullptr;
  const Node* only = found->second.front().node;
  for (const WireEnd& end : found->second)
    if (end.node != only) return nullptr;  // an address of every node, such as a masquerade address
  return only;
}

bool Topology::is_shared(const IpAddr& address) const { return owner(address) == nullptr && owners_.contains(address); }

namespace {

bool is_gateway(const Node& node, const IpAddr& address) {
  const auto& routes = address.is_v4() ? node.host.routes_v4.value : node.host.routes_v6.value;
  return std::any_of(routes.begin(), routes.end(), [&](const host::Route& r) {
    return std::any_of(r.next_hops.begin(), r.next_hops.end(), [&](const host::NextHop& h) { return h.via == address; });
  });
}

}  // namespace

std::optional<Topology::Owner> Topology::owner_behind(const Node& sender, const MacAddr& mac, Family family) const {
  std::optional<Owner> misled;
  bool may_be_right = false;
  const auto consider = [&](const IpAddr& address, const Provenance& entry) {
    if (address.family != family || (address.is_link_local() && !is_gateway(sender, address))) return;
    const auto found = owners_.find(address);
    const bool only = found != owners_.end() && found->second.size() == 1 && found->second.front().node != &sender;
    const auto own = only ? mac_of(found->second.front()) : std::nullopt;
    if (!own || *own == mac) may_be_right = true;
    else if (!misled) misled = Owner{address, found->second.front().node, *own, entry};
  };
  for (const host::Neighbour& n : sender.host.neighbours.value)
    if (n.mac == mac && usable(n.state)) consider(n.address, n.from);
  for (const openflow::TunnelNeighbour& n : sender.datapath.neighbours)
    if (n.mac == mac) consider(n.address, n.from);
  if (sender.ovn.southbound != nullptr)
    for (const ovn::sb::MacBinding& b : sender.ovn.southbound->mac_bindings)
      if (const auto address = IpAddr::parse(b.ip); address && MacAddr::parse(b.mac) == mac) consider(*address, b.from);
  return may_be_right ? std::nullopt : misled;
}

// Devices of other machines that have an address of one of the subnets of `device`; once for each of these.
std::vector<WireEnd> Topology::link_of(const Node& node, std::string_view device) const {
  std::vector<WireEnd> ends;
  const host::Link* link = node.host.link(device);
  if (link == nullptr) return ends;
  for (const host::Address& a : link->addresses) {
    const auto found = a.prefix.is_host() ? subnets_.end() : subnets_.find(a.subnet());
    if (found == subnets_.end()) continue;
    for (const WireEnd& end : found->second)
      if (end.node != &node) ends.push_back(end);
  }
  return ends;
}

std::optional<NeighbourOracle::Answer> Topology::resolve(const Node& node, std::string_view device, const IpAddr& address,
                                         const std::optional<IpAddr>& asker) const {
  const LinkQuestion question{address, asker};
  const std::vector<WireEnd> asked = link_of(node, device);
  std::optional<MacAddr> answer;
  bool several = false;
  const auto hear = [&](const std::optional<MacAddr>& mac) {
    several = several || (mac && answer && *mac != *answer);
    if (mac) answer = mac;
  };
  for (const auto* owners : {&owners_, &loopback_owners_})
    if (const auto found = owners->find(address); found != owners->end())
      for (const WireEnd& end : found->second)
        if (end.node != &node)
          for (const auto& mac : owner_answers(end, asked, question)) hear(mac);
  if (!answer)
    for (const WireEnd& end : asked)
      if (answers_for_others(end.node->host, end.device, question)) hear(mac_of(end));
  if (several) return std::nullopt;
  if (answer) return Answer{*answer};
  if (const auto mac = pod_answer(node, device, address)) return Answer{*mac, true};
  if (node.host_presumed && !is_shared(address)) return Answer{kSomeNeighbour};
  return std::nullopt;
}

// OVN answers ARP and neighbour discovery for the pods of a logical switch and for its router, and a pod for itself.
std::optional<MacAddr> Topology::pod_answer(const Node& node, std::string_view device, const IpAddr& address) const {
  const auto place = node.port(device);
  if (place.bridge == nullptr || place.bridge != node.integration_bridge()) return std::nullopt;
  if (const auto ports = router_ports_.find(&node); ports != router_ports_.end())
    for (const ovn::LogicalPort* port : ports->second)
      if (std::any_of(port->addresses.begin(), port->addresses.end(), [&](const Prefix& p) { return p.address == address; })) return port->mac;
  const Workload* pod = workloads_.with_address(address, node.name);
  return pod != nullptr && pod->bridge == place.bridge ? pod->network.mac : std::nullopt;
}

std::string Topology::wire_device(const Node& node, const std::string& device) const {
  std::string current = device;
  for (int depth = 0; depth < 8; ++depth) {
    const host::Link* link = node.host.link(current);
    if (link == nullptr) return current;
    std::string below;
    if (link->kind == "vlan" || link->kind == "macvlan") below = link->peer;
    if (link->kind == "bond")
      for (const host::Link& member : node.host.links.value)
        if (member.master == link->name && member.has_carrier() && below.empty()) below = member.name;
    if (below.empty() || node.host.link(below) == nullptr) return current;
    current = below;
  }
  return current;
}

std::string Topology::macvlan_for(const Node& node, const std::string& parent, const MacAddr& mac) const {
  for (const host::Link& link : node.host.links.value)
    if (link.kind == "macvlan" && link.mac == mac && link.is_up() && link.peer == parent) return link.name;
  return {};
}

Topology::PodNextHop Topology::pod_next_hop(const Node& node, const PodNetwork& pod, const IpAddr& destination) const {
  // The pod's subnet: from the pod's own prefix, else from the router port whose network holds the pod's address.
  const ovn::LogicalPort* gateway_port = nullptr;
  Prefix subnet = Prefix::host(destination);
  std::optional<IpAddr> gateway;
  for (const Prefix& own : pod.addresses) {
    if (own.address.family != destination.family) continue;
    if (!own.is_host()) subnet = own.network();
    const auto router_ports = router_ports_.find(&node);
    if (router_ports == router_ports_.end()) continue;
    for (const ovn::LogicalPort* port : router_ports->second)
      for (const Prefix& network : port->addresses)
        if (!network.is_host() && network.contains(own.address)) {
          gateway_port = port;
          gateway = network.address;
          if (own.is_host()) subnet = network.network();
        }
  }
  for (const IpAddr& g : pod.gateways)
    if (g.family == destination.family) gateway = g;

  // OVN-Kubernetes gives a node's router the first address of the pod subnet; no dump said so.
  const bool guessed = !gateway && !subnet.is_host();
  if (guessed) gateway = IpAddr{subnet.address.family, subnet.network().address.value + 1};

  const bool on_link = !subnet.is_host() && subnet.contains(destination);
  PodNextHop hop;
  hop.address = on_link ? destination : gateway.value_or(destination);
  if (on_link || !gateway_port || !gateway_port->mac) {
    for (const ovn::LogicalPort& port : node.ovn.ports)
      for (const Prefix& p : port.addresses)
        if (p.address == hop.address && port.mac) hop.mac = port.mac;
    if (!hop.mac)
      for (const host::Link& link : node.host.links.value)
        for (const host::Address& a : link.addresses)
          if (a.prefix.address == hop.address && link.mac) hop.mac = link.mac;
    if (!hop.mac)
      for (const host::Neighbour& n : node.host.neighbours.value)
        if (n.address == hop.address && n.mac && usable(n.state)) hop.mac = n.mac;
    if (!hop.mac)
      for (const cluster::Pod* other : workloads_.objects_with(hop.address))
        if (other->mac) hop.mac = other->mac;
  } else {
    hop.mac = gateway_port->mac;
  }
  if (!hop.mac && hop.address.is_v4() && (gateway || on_link)) {
    hop.mac = conventional_mac(hop.address);
    hop.by_convention = true;
  }
  hop.by_convention |= guessed && !on_link;
  return hop;
}

}  // namespace egt::engine
