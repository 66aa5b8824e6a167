#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "inconsistencies.h"

namespace egt::cluster {
namespace {

using openflow::Bridge;
using openflow::Interface;
using About = Inconsistency::About;

// An interface is in one bridge, and only a bridge has a port of its own name.
void look_at_port_names(Node& node, const Bridge& bridge) {
  std::set<std::string_view> seen;
  for (const Interface& port : bridge.interfaces) {
    const bool twice = !seen.insert(port.name).second;
    if (twice) add_bridge_conflict(node, bridge, Conflict::port_number, {port.name, bridge.name});
    for (const Bridge& other : node.bridges) {
      if (other.name == bridge.name || (port.name != other.name && other.by_name(port.name) == nullptr)) continue;
      for (const Bridge* b : {&bridge, &other})
        add_bridge_conflict(node, *b, Conflict::bridge_of_port,
                            {port.name, std::min(bridge.name, other.name), std::max(bridge.name, other.name)});
    }
    const auto peer = port.type == "patch" ? port.options.find("peer") : port.options.end();
    if (peer != port.options.end() && bridge.by_name(peer->second) != nullptr)
      add_bridge_conflict(node, bridge, Conflict::patch_within_bridge, {peer->second, bridge.name});
  }
}

// What dumps show differently of a tunnel concerns those that take it, anything else the whole bridge.
void look_at_disputes(Node& node, const Bridge& bridge) {
  for (const Interface& port : bridge.interfaces)
    for (const std::string& what : port.disputed) {
      const bool tunnel = is_tunnel(port);
      add_inconsistency(node, {tunnel ? About::port : About::bridge,
                               tunnel ? port.name : bridge.name,
                               std::nullopt,
                               Conflict::port_setting,
                               {what, port.name, bridge.name}});
    }
}

bool has_encap(const ovn::Ovn& ovn, const IpAddr& address) {
  return std::any_of(ovn.chassis.begin(), ovn.chassis.end(), [&](const ovn::Chassis& c) {
    return std::find(c.encap_ips.begin(), c.encap_ips.end(), address) != c.encap_ips.end();
  });
}

// ovn-controller makes tunnels to the encapsulation addresses of chassis.
void look_at_tunnel_ends(Node& node, const Bridge& bridge) {
  const auto shown =
      std::count_if(node.ovn.chassis.begin(), node.ovn.chassis.end(), [](const ovn::Chassis& c) { return !c.encap_ips.empty(); });
  if (shown < 2) return;  // the node's own, at most
  for (const Interface& port : bridge.interfaces) {
    if (!is_tunnel(port)) continue;
    const auto remote = IpAddr::parse(port.options.at("remote_ip"));
    if (remote && !has_encap(node.ovn, *remote))
      add_inconsistency(node,
                        {About::port, port.name, std::nullopt, Conflict::tunnel_to_no_chassis, {remote->to_string(), port.name}});
  }
}

// A tunnel begins at an address of the node.
void look_at_tunnel_starts(Node& node, const Bridge& bridge) {
  if (!node.host.address_list_complete) return;
  for (const Interface& port : bridge.interfaces) {
    const auto option = is_tunnel(port) ? port.options.find("local_ip") : port.options.end();
    const auto local = option == port.options.end() ? std::nullopt : IpAddr::parse(option->second);
    if (local && node.host.owner_of(*local) == nullptr)
      add_inconsistency(node,
                        {About::port, port.name, std::nullopt, Conflict::tunnel_from_elsewhere, {port.name, local->to_string()}});
  }
}

// Settings are listed of each device that has an address; a "." of its name is a "/" there.
bool has_settings(const host::Host& host, std::string device) {
  std::replace(device.begin(), device.end(), '.', '/');
  const std::string begin = fmt::format("net.ipv4.conf.{}.", device);
  const auto first = host.sysctl.value.lower_bound(begin);
  return first != host.sysctl.value.end() && first->first.starts_with(begin);
}

void look_at_settings(Node& node) {
  const host::Host& host = node.host;
  // `sysctl` may have been called for a few settings of one device.
  if (!host.sysctl.present || host.sysctl.partial || !has_settings(host, "all") || !has_settings(host, "default")) return;
  std::vector<std::string> without;
  bool any = false;
  for (const host::Link& device : host.links.value) {
    const bool addressed = std::any_of(device.addresses.begin(), device.addresses.end(), [](const host::Address& a) {
      return a.prefix.address.is_v4() && !a.prefix.address.is_loopback();
    });
    if (!addressed) continue;
    if (has_settings(host, device.name))
      any = true;
    else
      without.push_back(device.name);
  }
  if (!any || without.empty()) return;
  add_inconsistency(node, {About::node, "", std::nullopt, Conflict::settings_of_other_devices, {without.front()}});
}

void look_at_devices(Node& node) {
  for (const host::Link& device : node.host.links.value)
    if (device.mac_disputed) add_inconsistency(node, {About::node, "", std::nullopt, Conflict::macs_of_device, {device.name}});
  for (const host::Link& device : node.host.links.value)
    if (!device.other_with_index.empty())
      add_inconsistency(node, {About::node,
                               "",
                               std::nullopt,
                               Conflict::device_at_index,
                               {std::to_string(device.index), device.name, device.other_with_index}});
}

// The local port of a bridge is a device of the node, whatever the datapath.
void look_at_local_ports(Node& node) {
  if (!node.host.link_list_complete) return;
  for (const Bridge& bridge : node.bridges) {
    const host::Link* device = node.host.link(bridge.name);
    const Interface* local = bridge.by_name(bridge.name);
    const bool other_mac = device != nullptr && device->mac && local != nullptr && local->mac && *local->mac != *device->mac;
    if (device == nullptr || other_mac)
      add_bridge_conflict(node, bridge, device == nullptr ? Conflict::bridge_without_device : Conflict::bridge_with_other_mac,
                          {bridge.name});
  }
}

}  // namespace

bool is_tunnel(const openflow::Interface& port) { return port.options.contains("remote_ip"); }

bool holds_pods(const openflow::Bridge& b) {
  return std::any_of(b.interfaces.begin(), b.interfaces.end(),
                     [](const Interface& i) { return is_tunnel(i) || i.external_ids.contains("iface-id"); });
}

void look_at_ports(Node& node) {
  for (const Bridge& bridge : node.bridges) {
    look_at_port_names(node, bridge);
    look_at_disputes(node, bridge);
    look_at_tunnel_ends(node, bridge);
    look_at_tunnel_starts(node, bridge);
  }
  look_at_devices(node);
  look_at_settings(node);
  look_at_local_ports(node);
}

void leave_out_foreign_switch(Node& node) {
  const auto is_device = [&](const Bridge& b) { return node.host.link(b.name) != nullptr; };
  if (node.bridges.empty() || !node.host.link_list_complete || std::any_of(node.bridges.begin(), node.bridges.end(), is_device))
    return;
  const std::string bridge = node.bridges.front().name;
  node.bridges.clear();
  node.unplaced_interfaces.clear();
  node.ovs_rows.clear();
  add_inconsistency(node, {About::node, "", std::nullopt, Conflict::switch_without_device, {bridge}});
}

}  // namespace egt::cluster
