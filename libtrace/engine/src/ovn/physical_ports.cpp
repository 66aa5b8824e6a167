#include "ovn/physical_ports.h"

#include <algorithm>

#include "egtrace/openflow/tunnel_type.h"
#include "openflow/packet_fields.h"

namespace egt::engine {
namespace {

using F = FieldId;
using openflow::Interface;

constexpr unsigned kOutportBits = 16;
constexpr std::uint32_t kPortKey = 0xffff, kInportKey = 0x7fff;  // of Geneve's option

std::string_view found_in(const std::map<std::string, std::string>& map, const char* key) {
  const auto found = map.find(key);
  return found == map.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace

// ovn-controller names the patch ports of a localnet port after it (patch_port_name()).
std::string_view logical_port_of(const Interface& port) {
  constexpr std::string_view kTo = "-to-";
  if (const std::string_view id = found_in(port.external_ids, "iface-id"); !id.empty() || port.type != "patch") return id;
  const std::size_t to = port.name.find(kTo);
  return to == std::string::npos ? std::string_view() : std::string_view(port.name).substr(to + kTo.size());
}

bool enter_localnet(const ovn::sb::PortBinding& port, FlowKey& packet) {
  if (port.type != "localnet" || (port.tag == 0 && found_in(port.options, "vlan-passthru") == "true")) return true;
  const bool is_tagged = ofproto::vlan_count(packet) > 0;
  if ((is_tagged ? packet.u32(F::vlan_tci) & ofproto::kVlanVid : 0) != port.tag) return false;
  if (is_tagged) ofproto::pop_vlan(packet, nullptr);
  return true;
}

void leave_localnet(const ovn::sb::PortBinding& port, FlowKey& packet) {
  if (port.type != "localnet" || port.tag == 0) return;
  if (ofproto::vlan_count(packet) == 0) ofproto::push_vlan(packet, nullptr);
  packet.set(F::vlan_tci, ofproto::kVlanPresent | port.tag);
}

TunnelKeys tunnel_keys_of(const FlowKey& packet) {
  const std::uint32_t keys = packet.u32(F::tun_metadata0);
  return {keys >> kOutportBits & kInportKey, keys & kPortKey};
}

FlowKey packet_in_tunnel(const FlowKey& packet, const LogicalDatapath& datapath, const NetworkPort& to, const Interface& tunnel) {
  FlowKey sent = packet;
  sent.set(F::tun_id, datapath.key);
  sent.set(F::tun_metadata0, (packet.u32(F::reg14) & kInportKey) << kOutportBits | to.key);
  const IpAddr remote = *IpAddr::parse(found_in(tunnel.options, "remote_ip"));
  sent.set(remote.is_v4() ? F::tun_dst : F::tun_ipv6_dst, remote.value);
  return sent;
}

bool carries_made_up_keys(const LogicalDatapath& datapath, const TunnelKeys& keys) {
  const auto made_up = [&](std::uint32_t key) {
    const NetworkPort* port = datapath.port(key);
    return port != nullptr && port->row->made_up_key;
  };
  return datapath.row->made_up_key || made_up(keys.inport) || made_up(keys.outport);
}

const Interface* tunnel_to(const ovn::Chassis& chassis, const openflow::Bridge& bridge) {
  for (const Interface& port : bridge.interfaces) {
    if (!openflow::is_tunnel_type(port.type)) continue;
    const auto remote = IpAddr::parse(found_in(port.options, "remote_ip"));
    if (remote && std::find(chassis.encap_ips.begin(), chassis.encap_ips.end(), *remote) != chassis.encap_ips.end()) return &port;
  }
  return nullptr;
}

}  // namespace egt::engine
