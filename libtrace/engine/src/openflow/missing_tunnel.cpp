#include "egtrace/engine/missing_tunnel.h"

#include <algorithm>

#include "egtrace/openflow/tunnel_type.h"

namespace egt::engine {
namespace {

const ovn::LogicalPort* logical_port(const ovn::Ovn& ovn, std::uint64_t datapath, std::uint64_t key) {
  for (const ovn::Datapath& d : ovn.datapaths) {
    if (d.tunnel_key != datapath) continue;
    for (const ovn::LogicalPort& port : ovn.ports)
      if (port.tunnel_key == key && (port.datapath == d.name || port.datapath == d.uuid)) return &port;
  }
  return nullptr;
}

bool leads_to(const openflow::Interface& port, const ovn::Chassis& chassis) {
  const auto remote = port.options.find("remote_ip");
  if (!openflow::is_tunnel_type(port.type) || remote == port.options.end()) return false;
  const auto address = IpAddr::parse(remote->second);  // "flow": to any
  return !address || std::find(chassis.encap_ips.begin(), chassis.encap_ips.end(), *address) != chassis.encap_ips.end();
}

}  // namespace

bool lists_all_interfaces(const cluster::Node& node) {
  return node.ovn.complete_tables.contains("OVS Interface") && node.unplaced_interfaces.empty();
}

const ovn::Chassis* chassis_without_tunnel(const cluster::Node& node, std::uint64_t datapath, std::uint64_t key) {
  const ovn::LogicalPort* port = logical_port(node.ovn, datapath, key);
  const ovn::Chassis* own = ovn::own_chassis(node.ovn, node.name);
  if (port == nullptr || own == nullptr || port->chassis.empty() || !lists_all_interfaces(node)) return nullptr;
  const auto on = std::find_if(node.ovn.chassis.begin(), node.ovn.chassis.end(),
                               [&](const ovn::Chassis& c) { return port->chassis == c.name || port->chassis == c.hostname; });
  if (on == node.ovn.chassis.end() || &*on == own || on->encap_ips.empty()) return nullptr;
  for (const openflow::Bridge& bridge : node.bridges)
    if (std::any_of(bridge.interfaces.begin(), bridge.interfaces.end(), [&](const auto& i) { return leads_to(i, *on); }))
      return nullptr;
  return &*on;
}

}  // namespace egt::engine
