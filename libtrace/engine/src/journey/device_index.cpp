#include "device_index.h"

#include <algorithm>

#include "device_stack.h"
#include "egtrace/engine/workload.h"

namespace egt::engine {
namespace {

using cluster::Node;
using Devices = DeviceIndex::Devices;

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

template <class Key>
const Devices& devices_of(const std::map<Key, Devices>& all, const Key& key) {
  static const Devices kNone;
  const auto found = all.find(key);
  return found == all.end() ? kNone : found->second;
}

}  // namespace

std::optional<MacAddr> mac_of(const WireEnd& end) {
  const host::Link* link = end.node->host.link(end.device);
  return link != nullptr && link->is_up() ? link->mac : std::nullopt;
}

DeviceIndex::DeviceIndex(const cluster::Cluster& cluster) {
  for (const cluster::NodeHandle& node : cluster.nodes) {
    for (const host::Link& link : node.links().value) add(node, link);
    for (const host::Link& link : node.links().value)
      if (link.kind == "bond" && link.mac) with_mac_[*link.mac].push_back({&node, link.name, true});
  }
}

void DeviceIndex::add(const cluster::NodeHandle& node, const host::Link& link) {
  if (link.link_type == "loopback") {
    for (const host::Address& a : link.addresses)
      if (!a.prefix.address.is_loopback()) loopback_owners_[a.prefix.address].push_back({&node, link.name});
    return;
  }
  for (const host::Address& a : link.addresses) {
    owners_[a.prefix.address].push_back({&node, link.name});
    if (!a.prefix.is_host() && !a.prefix.address.is_link_local()) subnets_[a.subnet()].push_back({&node, link.name});
  }
  if (link.mac) with_mac_[*link.mac].push_back({&node, link.name});
}

std::vector<WireEnd> DeviceIndex::ends_with(const MacAddr& mac) const {
  std::vector<WireEnd> ends;
  for (const Device& device : devices_of(with_mac_, mac)) {
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

std::vector<WireEnd> DeviceIndex::takers(const Node& sender, const MacAddr& mac) const {
  std::vector<WireEnd> ends;
  for (const WireEnd& end : ends_with(mac))
    if (end.node != &sender && std::find(ends.begin(), ends.end(), end) == ends.end()) ends.push_back(end);
  return ends;
}

WireEnd DeviceIndex::dead_end(const Node& sender, const MacAddr& mac) const {
  if (mac.is_zero()) return {};
  for (const Device& device : devices_of(with_mac_, mac)) {
    if (device.of_bond || device.node->identity() == &sender) continue;
    const Node& node = *device.node->get();
    const host::Link* link = node.host.link(device.name);
    if (link != nullptr && !link->is_up() && !ends_a_wire(node, *link)) return {&node, link->name};
  }
  return {};
}

std::string DeviceIndex::device_with(const Node& node, const MacAddr& mac) const {
  for (const WireEnd& end : ends_with(mac))
    if (end.node == &node) return end.device;
  return {};
}

const Devices& DeviceIndex::with_address(const IpAddr& address) const { return devices_of(owners_, address); }

const Devices& DeviceIndex::loopbacks_with(const IpAddr& address) const { return devices_of(loopback_owners_, address); }

const DeviceIndex::Device* DeviceIndex::only_with_address(const IpAddr& address) const {
  const Devices& owners = with_address(address);
  return owners.size() == 1 ? &owners.front() : nullptr;
}

const Node* DeviceIndex::owner(const IpAddr& address) const {
  const Devices& owners = with_address(address);
  return owners.empty() || is_shared(address) ? nullptr : owners.front().node->get();
}

// An address of every node, such as a masquerade address.
bool DeviceIndex::is_shared(const IpAddr& address) const {
  const Devices& owners = with_address(address);
  return std::any_of(owners.begin(), owners.end(), [&](const Device& d) { return d.node != owners.front().node; });
}

const Node* DeviceIndex::neighbour_with(const Node& node, const IpAddr& address) const {
  const Devices& owners = with_address(address);
  if (owners.empty()) return nullptr;
  for (const host::Link& link : node.host.links.value) {
    if (std::none_of(link.addresses.begin(), link.addresses.end(),
                     [&](const host::Address& a) { return a.subnet().contains(address); }))
      continue;
    for (const Device& end : link_of(node, link.name))
      for (const Device& owner : owners)
        if (end.node == owner.node) return end.node->get();
  }
  return nullptr;
}

Devices DeviceIndex::link_of(const Node& node, std::string_view device) const {
  Devices ends;
  const host::Link* link = node.host.link(device);
  if (link == nullptr) return ends;
  for (const host::Address& a : link->addresses)
    if (!a.prefix.is_host())
      for (const Device& end : devices_of(subnets_, a.subnet()))
        if (end.node->identity() != &node) ends.push_back(end);
  return ends;
}

}  // namespace egt::engine
