#include "topology.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <unordered_map>

#include "device_stack.h"
#include "egtrace/engine/link_answer.h"
#include "egtrace/engine/localnet.h"
#include "egtrace/ovn/southbound.h"
#include "link_exchange.h"
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
  static constexpr std::string_view kStacked[] = {"bridge", "vrf", "dummy", "openvswitch"};
  if (joins_legs(link) || shares_device(link) || vlan_of(node.host, link)) return false;
  if (std::find(std::begin(kStacked), std::end(kStacked), link.kind) != std::end(kStacked)) return false;
  if (const auto place = node.port(link.name); place.port != nullptr) return !is_workload(*place.port);
  return link.is_up();
}

// The bond or team of a leg; else the device itself.
const host::Link& joining(const host::Host& host, const host::Link& link) {
  const host::Link* master = link.master.empty() ? nullptr : host.link(link.master);
  return master != nullptr && joins_legs(*master) ? *master : link;
}

// A leg that carries no frames while another does.
bool is_idle_leg(const host::Host& host, const host::Link& link) {
  const host::Link& bond = joining(host, link);
  if (&bond == &link) return false;
  const host::Link* first = below(host, bond);
  return first != nullptr && first != &link;
}

// The end of the wire below a device. Below a bridge that is its uplink.
void add_foot(const Node& node, const host::Link& link, std::vector<WireEnd>& ends) {
  std::string foot = foot_of(node.host, link.name).device;
  const host::Link* bridge = node.host.link(foot);
  if (bridge != nullptr && bridge->kind == "bridge") {
    const Uplink uplink = uplink_of(node.host, *bridge);
    if (uplink.port == nullptr) return;
    foot = foot_of(node.host, uplink.port->name).device;
  }
  if (!is_ovs_internal(node, foot)) ends.push_back({&node, std::move(foot)});
}

bool usable(host::NeighbourState s) {
  using enum host::NeighbourState;
  return s != failed && s != incomplete;
}

std::optional<MacAddr> mac_of(const WireEnd& end) {
  const host::Link* link = end.node->host.link(end.device);
  return link != nullptr && link->is_up() ? link->mac : std::nullopt;
}

// What the node that has the address on `owner` says: each of its devices on the link may answer. `asked`: those; of a
// node that has none of them no dump shows on which link it is.
std::vector<std::optional<MacAddr>> owner_answers(const cluster::NodeHandle& node, const std::string& owner,
                                                  const std::vector<std::string>& asked, const LinkQuestion& q) {
  std::vector<std::optional<MacAddr>> answers;
  for (const std::string& device : asked)
    if (answers_for_own(node->host, device, owner, q)) answers.push_back(mac_of({node.get(), device}));
  const auto& links = node.links().value;
  const auto link = std::find_if(links.begin(), links.end(), [&](const host::Link& l) { return l.name == owner; });
  const bool loopback = link != links.end() && link->link_type == "loopback";
  if (asked.empty() && !loopback) answers.push_back(link != links.end() && link->is_up() ? link->mac : std::nullopt);
  return answers;
}

std::vector<RouterPort> ports_on_routers(const Node& node) {
  std::vector<RouterPort> ports;
  std::unordered_map<std::string_view, std::string_view> switch_of;
  for (const ovn::LogicalPort& port : node.ovn.ports)
    if (!port.on_router) switch_of.emplace(port.name, port.datapath);
  for (const ovn::LogicalPort& port : node.ovn.ports)
    if (port.on_router) {
      const auto peer = switch_of.find(port.peer);
      ports.push_back({&port, peer == switch_of.end() ? std::string_view() : peer->second});
    }
  return ports;
}

// The default MAC of OVN-Kubernetes for an IPv4 address (util.IPAddrToHWAddr).
MacAddr conventional_mac(const IpAddr& a) { return MacAddr{0x0a5800000000ULL | a.as_v4()}; }

}  // namespace

struct Topology::LinkWalks {
  std::mutex mutex;
  SwitchSessions sessions;
};

Topology::~Topology() = default;

Topology::Topology(const cluster::Cluster& cluster)
    : link_walks_(std::make_unique<LinkWalks>()),
      cluster_(cluster),
      workloads_(cluster),
      router_ports_(cluster),
      mac_bindings_(cluster) {
  for (const cluster::NodeHandle& node : cluster.nodes) {
    for (const host::Link& link : node.links().value) {
      if (link.link_type == "loopback") {
        for (const host::Address& a : link.addresses)
          if (!a.prefix.address.is_loopback()) loopback_owners_[a.prefix.address].push_back({&node, link.name});
        continue;
      }
      for (const host::Address& a : link.addresses) {
        owners_[a.prefix.address].push_back({&node, link.name});
        if (!a.prefix.is_host() && !a.prefix.address.is_link_local()) subnets_[a.subnet()].push_back({&node, link.name});
      }
      if (link.mac) with_mac_[*link.mac].push_back({&node, link.name});
    }
    for (const host::Link& link : node.links().value)
      if (link.kind == "bond" && link.mac) with_mac_[*link.mac].push_back({&node, link.name, true});
  }
}

const LogicalNode& Topology::logical(const Node& node) const {
  return *logical_.get_or(&node, [&] { return std::make_shared<const LogicalNode>(node); });
}

std::vector<WireEnd> Topology::ends_with(const MacAddr& mac) const {
  std::vector<WireEnd> ends;
  const auto found = with_mac_.find(mac);
  if (found == with_mac_.end()) return ends;
  for (const Device& device : found->second) {
    const Node& node = *device.node->get();
    const host::Link* known = node.host.link(device.name);
    if (known == nullptr) continue;  // an outline may have more than what all dumps together settle on
    const host::Link& link = *known;
    const bool stands = link.is_up() && (shares_device(link) || vlan_of(node.host, link) || link.kind == "bridge");
    if (device.of_bond ? ends.empty() : stands || is_idle_leg(node.host, link))
      add_foot(node, joining(node.host, link), ends);
    else if (!device.of_bond && ends_a_wire(node, link))
      ends.push_back({&node, link.name});
  }
  return ends;
}

std::vector<WireEnd> Topology::takers(const Node& sender, const MacAddr& mac) const {
  std::vector<WireEnd> ends;
  for (const WireEnd& end : ends_with(mac))
    if (end.node != &sender && std::find(ends.begin(), ends.end(), end) == ends.end()) ends.push_back(end);
  return ends;
}

WireEnd Topology::dead_end(const Node& sender, const MacAddr& mac) const {
  const auto found = with_mac_.find(mac);
  if (found == with_mac_.end() || mac.is_zero()) return {};
  for (const Device& device : found->second) {
    if (device.of_bond || device.node->identity() == &sender) continue;
    const Node& node = *device.node->get();
    const host::Link* link = node.host.link(device.name);
    if (link != nullptr && !link->is_up() && !ends_a_wire(node, *link)) return {&node, link->name};
  }
  return {};
}

std::string Topology::device_with(const Node& node, const MacAddr& mac) const {
  for (const WireEnd& end : ends_with(mac))
    if (end.node == &node) return end.device;
  return {};
}

const Node* Topology::owner(const IpAddr& address) const {
  const auto found = owners_.find(address);
  if (found == owners_.end()) return nullptr;
  if (is_shared(address)) return nullptr;
  return found->second.front().node->get();
}

// An address of every node, such as a masquerade address.
bool Topology::is_shared(const IpAddr& address) const {
  const auto found = owners_.find(address);
  return found != owners_.end() && std::any_of(found->second.begin(), found->second.end(),
                                               [&](const Device& d) { return d.node != found->second.front().node; });
}

namespace {

bool is_gateway(const Node& node, const IpAddr& address) {
  const auto& routes = address.is_v4() ? node.host.routes_v4.value : node.host.routes_v6.value;
  return std::any_of(routes.begin(), routes.end(), [&](const host::Route& r) {
    return std::any_of(r.next_hops.begin(), r.next_hops.end(), [&](const host::NextHop& h) { return h.via == address; });
  });
}

}  // namespace

std::optional<Topology::Owner> Topology::owner_with_other_mac(const Node& sender, const IpAddr& address, const MacAddr& mac,
                                                              const Provenance& entry) const {
  const auto found = owners_.find(address);
  if (found == owners_.end() || found->second.size() != 1 || found->second.front().node->identity() == &sender)
    return std::nullopt;
  const auto own = mac_of(found->second.front().end());
  return own && *own != mac ? std::optional(Owner{address, found->second.front().node->get(), *own, entry}) : std::nullopt;
}

Topology::Bindings Topology::bindings_by_mac(const Node& node) {
  Bindings all;
  if (node.ovn.southbound == nullptr) return all;
  for (const ovn::sb::MacBinding& b : node.ovn.southbound->mac_bindings)
    if (const auto address = IpAddr::parse(b.ip); address)
      if (const auto mac = MacAddr::parse(b.mac)) all[*mac].emplace_back(*address, b.from);
  return all;
}

std::optional<Topology::Owner> Topology::owner_behind(const Node& sender, const MacAddr& mac, Family family) const {
  std::optional<Owner> misled;
  bool may_be_right = false;
  const auto consider = [&](const IpAddr& address, const Provenance& entry) {
    if (address.family != family || (address.is_link_local() && !is_gateway(sender, address))) return;
    if (workload_with(mac, address) != nullptr) return;  // OVN's own networks are behind no wire
    const auto found = owners_.find(address);
    const bool only = found != owners_.end() && found->second.size() == 1 && found->second.front().node->identity() != &sender;
    const auto own = only ? mac_of(found->second.front().end()) : std::nullopt;
    if (!own || *own == mac)
      may_be_right = true;
    else if (!misled)
      misled = Owner{address, found->second.front().node->get(), *own, entry};
  };
  for (const host::Neighbour& n : sender.host.neighbours.value)
    if (n.mac == mac && usable(n.state)) consider(n.address, n.from);
  // A switch in the kernel sends tunnels by the host's neighbours.
  if (sender.has_userspace_datapath())
    for (const openflow::TunnelNeighbour& n : sender.datapath.neighbours)
      if (n.mac == mac) consider(n.address, n.from);
  const Bindings& bindings = mac_bindings_.of(sender, [&] { return bindings_by_mac(sender); });
  if (const auto found = bindings.find(mac); found != bindings.end())
    for (const auto& [address, from] : found->second) consider(address, from);
  return may_be_right ? std::nullopt : misled;
}

// Devices of other nodes that have an address of one of the subnets of `device`; once for each of these.
Topology::Devices Topology::link_of(const Node& node, std::string_view device) const {
  Devices ends;
  const host::Link* link = node.host.link(device);
  if (link == nullptr) return ends;
  for (const host::Address& a : link->addresses) {
    const auto found = a.prefix.is_host() ? subnets_.end() : subnets_.find(a.subnet());
    if (found == subnets_.end()) continue;
    for (const Device& end : found->second)
      if (end.node->identity() != &node) ends.push_back(end);
  }
  return ends;
}

std::optional<NeighbourOracle::Answer> Topology::resolve(const Node& node, std::string_view device, const IpAddr& address,
                                                         const std::optional<IpAddr>& asker) const {
  const LinkQuestion question{address, asker};
  const Devices asked = link_of(node, device);
  std::optional<MacAddr> answer;
  bool several = false, is_on_link = false;
  const auto hear = [&](const std::optional<MacAddr>& mac, bool on_link) {
    several = several || (mac && answer && *mac != *answer);
    is_on_link = is_on_link || (mac && on_link);
    if (mac) answer = mac;
  };
  for (const auto* owners : {&owners_, &loopback_owners_})
    if (const auto found = owners->find(address); found != owners->end())
      for (const Device& owner : found->second) {
        if (owner.node->identity() == &node) continue;
        std::vector<std::string> on_link;
        for (const Device& end : asked)
          if (end.node == owner.node) on_link.push_back(end.name);
        for (const auto& mac : owner_answers(*owner.node, owner.name, on_link, question)) hear(mac, !on_link.empty());
      }
  if (!answer)
    for (const Device& end : asked)
      if (end.node->may_answer_for_others() && answers_for_others(end.end().node->host, end.name, question))
        hear(mac_of(end.end()), true);
  if (several) return std::nullopt;
  if (answer) return Answer{*answer, false, {}, !is_on_link};
  if (const auto mac = pod_answer(node, device, address)) {
    const auto& by_flows = answer_by_flows(node, device, question);
    return by_flows ? Answer{by_flows->mac, false, by_flows->evidence} : Answer{*mac, true};
  }
  if (const auto& by_flows = egress_node_answer(node, device, question)) return Answer{by_flows->mac, false, by_flows->evidence};
  if (node.host_presumed && !is_shared(address)) return Answer{kSomeNeighbour};
  return std::nullopt;
}

// OVN answers for an egress IP that a NAT row of the gateway router has, and no device.
const std::optional<FlowAnswer>& Topology::egress_node_answer(const Node& node, std::string_view device,
                                                              const LinkQuestion& q) const {
  return answers_to_wire_.get_or({&node, std::string(device), q.address, q.asker}, [&]() -> std::optional<FlowAnswer> {
    std::set<std::string_view> assigned;
    for (const cluster::EgressIp& object : cluster_.objects.egress_ips)
      for (const auto& item : object.status)
        if (item.address == q.address) assigned.insert(item.node);
    for (const Device& end : assigned.empty() ? Devices() : link_of(node, device)) {
      if (!assigned.contains(end.node->name())) continue;
      const std::lock_guard lock(link_walks_->mutex);
      if (auto found = find_answer_to_wire(link_walks_->sessions, {&node, std::string(device)}, end.end(), q)) return found;
    }
    return std::nullopt;
  });
}

const Node* Topology::neighbour_with(const Node& node, const IpAddr& address) const {
  const auto found = owners_.find(address);
  if (found == owners_.end()) return nullptr;
  for (const host::Link& link : node.host.links.value) {
    if (std::none_of(link.addresses.begin(), link.addresses.end(),
                     [&](const host::Address& a) { return a.subnet().contains(address); }))
      continue;
    for (const Device& end : link_of(node, link.name))
      for (const Device& owner : found->second)
        if (end.node == owner.node) return end.node->get();
  }
  return nullptr;
}

NeighbourOracle::Exchange Topology::exchange(const Node& node, std::string_view device, const IpAddr& address,
                                             const std::optional<IpAddr>& asker) const {
  const auto found = owners_.find(address);
  const bool known = found != owners_.end() && found->second.size() == 1;
  return exchanges_.get_or({&node, std::string(device), address, asker}, [&] {
    const WireEnd end{&node, std::string(device)};
    return known ? follow_exchange({end, found->second.front().end(), {address, asker}}) : follow_own_arp(end, {address, asker});
  });
}

const std::optional<FlowAnswer>& Topology::answer_by_flows(const Node& node, std::string_view device,
                                                           const LinkQuestion& q) const {
  return answers_by_flows_.get_or({&node, std::string(device), q.address, q.asker}, [&] {
    const std::lock_guard lock(link_walks_->mutex);
    return find_answer_by_flows(link_walks_->sessions, {&node, std::string(device)}, q);
  });
}

// OVN answers ARP and neighbour discovery for the pods of a logical switch and for its router, and a pod for itself.
std::optional<MacAddr> Topology::pod_answer(const Node& node, std::string_view device, const IpAddr& address) const {
  const auto place = node.port(device);
  if (place.bridge == nullptr || place.bridge != node.integration_bridge()) return std::nullopt;
  for (const auto& [port, logical_switch] : router_ports_.of(node, [&] { return ports_on_routers(node); }))
    if (std::any_of(port->addresses.begin(), port->addresses.end(), [&](const Prefix& p) { return p.address == address; }))
      return port->mac;
  const Workload* pod = workloads_.with_address(address, node.name);
  return pod != nullptr && pod->bridge == place.bridge ? pod->network.mac : std::nullopt;
}

// By its key, or, as one network has one in each namespace, by its switch.
bool Topology::is_on_network(const PodSide& side, const PodNetwork& network) const {
  if ((side.on != nullptr ? side.on->network : std::string()) == network.network) return true;
  if (side.on == nullptr || network.logical_switch.empty()) return false;
  const Workload* port = workloads_.with_id(side.port_name(), "");
  return port != nullptr && port->network.logical_switch == network.logical_switch;
}

const Workload* Topology::workload_with(const MacAddr& mac, const IpAddr& address) const {
  for (const PodSide& side : workloads_.objects_with(address))
    if (side.mac() == mac)
      if (const Workload* pod = workloads_.with_id(side.port_name(), "")) return pod;
  const Workload* pod = workloads_.with_address(address, "");
  return pod != nullptr && pod->network.mac == mac ? pod : nullptr;
}

bool Topology::is_on_network_of(const Node& node, const std::string& device, const Workload& pod) const {
  const Localnet own = localnet_of(node, pod.network.logical_switch);
  if (own.bridge != nullptr) return std::find(own.uplinks.begin(), own.uplinks.end(), device) != own.uplinks.end();
  const auto in_subnet = [&](const host::Address& a) {
    return std::any_of(pod.network.addresses.begin(), pod.network.addresses.end(),
                       [&](const Prefix& p) { return !a.prefix.is_host() && a.subnet().contains(p.address); });
  };
  const auto& links = node.host.links.value;
  return std::any_of(links.begin(), links.end(), [&](const host::Link& link) {
    return foot_of(node.host, link.name).device == device && std::any_of(link.addresses.begin(), link.addresses.end(), in_subnet);
  });
}

std::optional<MacAddr> Topology::mac_of_owner(const IpAddr& address) const {
  const auto found = owners_.find(address);
  if (found == owners_.end() || found->second.size() != 1) return std::nullopt;
  return mac_of(found->second.front().end());
}

// Behind a localnet port neither router nor neighbours are OVN's.
bool Topology::is_physical(const Node& node, const PodNetwork& pod) const {
  return !pod.network.empty() && localnet_of(node, pod.logical_switch).port != nullptr;
}

std::optional<MacAddr> Topology::mac_on_network(const Node& node, const PodNetwork& pod, const IpAddr& address) const {
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
      if (n.address == address && n.mac && usable(n.state)) mac = n.mac;
  if (!mac)
    for (const PodSide& other : workloads_.objects_with(address))
      if (other.mac() && is_on_network(other, pod)) mac = other.mac();
  if (mac || !physical) return mac;
  // Whose address its own devices alone show.
  if (const Workload* other = workloads_.with_address(address, "", &pod.network); other != nullptr && other->network.mac)
    return other->network.mac;
  return mac_of_owner(address).value_or(kSomeNeighbour);
}

Topology::PodNextHop Topology::pod_next_hop(const Node& node, const PodNetwork& pod, const IpAddr& destination) const {
  // The pod's subnet: from the pod's own prefix, else from the router port whose network holds the pod's address.
  const ovn::LogicalPort* gateway_port = nullptr;
  Prefix subnet = Prefix::host(destination);
  std::optional<IpAddr> gateway;
  for (const Prefix& own : pod.addresses) {
    if (own.address.family != destination.family) continue;
    if (!own.is_host()) subnet = own.network();
    for (const auto& [port, logical_switch] : router_ports_.of(node, [&] { return ports_on_routers(node); })) {
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
  hop.mac = by_router ? gateway_port->mac : mac_on_network(node, pod, hop.address);
  if (!hop.mac && hop.address.is_v4() && (gateway || on_link)) {
    hop.mac = conventional_mac(hop.address);
    hop.by_convention = true;
  }
  hop.by_convention |= guessed && !on_link;
  return hop;
}

}  // namespace egt::engine
