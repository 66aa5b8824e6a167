#include "inner_packet.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"
#include "egtrace/engine/missing_tunnel.h"
#include "inconsistencies.h"
#include "outer_packet.h"

namespace egt::engine {
namespace {

using cluster::Node;
using openflow::Bridge;
using openflow::Interface;

FieldId tun_metadata(std::uint8_t index) { return static_cast<FieldId>(static_cast<int>(FieldId::tun_metadata0) + index); }

// Options keep class and type on the wire; each bridge maps them to a tun_metadata field of its own.
void carry_options(const Bridge& from, const Bridge& to, const FlowKey& sent, FlowKey& received) {
  constexpr std::uint8_t kFields = 8;
  if (!from.has_tlv_map || !to.has_tlv_map) {  // not dumped: OVN uses one option, in field 0 on every node
    received.set(FieldId::tun_metadata0, sent.get(FieldId::tun_metadata0));
    return;
  }
  for (const openflow::TlvMapping& here : from.tlv_map)
    for (const openflow::TlvMapping& there : to.tlv_map)
      if (here.option_class == there.option_class && here.type == there.type && here.index < kFields && there.index < kFields)
        received.set(tun_metadata(there.index), sent.get(tun_metadata(here.index)));
}

// The device of the host by which the kernel's datapath sends and receives what a tunnel carries.
std::string kernel_device(const Interface& port) {
  if (port.type == "geneve") return fmt::format("genev_sys_{}", outer_port(port));
  if (port.type == "vxlan") return fmt::format("vxlan_sys_{}", outer_port(port));
  return port.type + "_sys";
}

// Whether the port receives what has this outer header (tnl_find() of ofproto/tunnel.c).
bool receives(const Interface& port, const Encap& encap, std::uint16_t by_port) {
  if (port.type != encap.type || outer_port(port) != by_port) return false;
  const auto remote = option(port, "remote_ip"), local = option(port, "local_ip");
  if (!remote || (*remote != "flow" && *remote != encap.src.to_string())) return false;
  if (local && *local != "flow" && *local != encap.dst.to_string()) return false;
  const auto key = option(port, port.options.contains("in_key") ? "in_key" : "key");
  const auto number = key ? parse_u64(*key) : std::nullopt;
  return !number || *number == encap.vni;
}

FlowKey inner_packet(const InTunnel& at, const Bridge& receiver, const Encap& encap) {
  FlowKey inner = at.packet;
  clear_pipeline(inner);
  inner.set(FieldId::pkt_mark, 0);
  inner.set(FieldId::tun_id, encap.vni);
  const bool v4 = encap.src.is_v4();
  inner.set(v4 ? FieldId::tun_src : FieldId::tun_ipv6_src, encap.src.value);
  inner.set(v4 ? FieldId::tun_dst : FieldId::tun_ipv6_dst, encap.dst.value);
  carry_options(*at.bridge, receiver, at.packet, inner);
  return inner;
}

bool knows_tunnels(const Node& node) {
  return std::any_of(node.bridges.begin(), node.bridges.end(), [](const Bridge& b) {
    return std::any_of(b.interfaces.begin(), b.interfaces.end(),
                       [](const Interface& p) { return p.options.contains("remote_ip"); });
  });
}

// In the userspace datapath packets do not pass the devices of the bridges.
bool bypasses(const cluster::Cluster& cluster, const std::string& name, const std::string& device) {
  const Node* node = cluster.node(name);
  const auto place = node != nullptr ? node->port(device) : cluster::Node::PortPlace{};
  return place.port != nullptr && userspace_datapath(*place.bridge) &&
         (place.port->type == "internal" || place.port->name == place.bridge->name);
}

// ovs-monitor-ipsec(8) names the two connections of a tunnel by its port.
std::vector<Provenance> lines_of_ipsec(const Node& node, const Interface& port) {
  std::vector<Provenance> lines{port.from};
  for (const host::IpsecConnection& c : node.host.ipsec_connections.value)
    if (c.name.starts_with(port.name + "-in-") || c.name.starts_with(port.name + "-out-")) lines.push_back(c.from);
  return lines;
}

bool tells_of_ipsec(const Step& step) {
  const auto* remark = std::get_if<Remark>(&step.kind);
  return remark != nullptr && remark->kind == Notice::ipsec_encrypts;
}

}  // namespace

void InnerPacket::note_encapsulation(bool path_shown, bool ipsec_presumed) {
  const std::uint32_t keys = at_.packet.u32(FieldId::tun_metadata0);
  const std::uint32_t ingress = keys >> 16 & 0x7fff, egress = keys & 0xffff;
  walk_.record.add(at_.node->name, Layer::ovn,
                   Encapsulate{encap_.type, at_.port->name, encap_.src, encap_.dst, encap_.vni, ingress, egress},
                   {at_.port->from});
  const Node* to = walk_.topology.devices().owner(encap_.dst);
  walk_.record.tunnels.push_back(
      {at_.node->name, to != nullptr ? to->name : encap_.dst.to_string(), encap_.type, encap_.vni, ingress, egress, path_shown});
  if (ipsec_presumed)
    walk_.record.assume({Supposition::ipsec_tunnel_up, {at_.node->name, encap_.dst}, {}, lines_of_ipsec(*at_.node, *at_.port)});
}

// Of the steps those count that go from node to node; all of them where it is lost.
void InnerPacket::adopt(const Record& outer, bool arrived) {
  for (const MissingInput& missing : outer.gaps) walk_.record.gap(missing);
  walk_.record.assumptions.insert(walk_.record.assumptions.end(), outer.assumptions.begin(), outer.assumptions.end());
  const std::size_t before = walk_.record.steps.size();
  const bool encrypted = std::any_of(outer.steps.begin(), outer.steps.end(), tells_of_ipsec);
  for (const Step& s : outer.steps)
    if (!arrived || std::holds_alternative<CrossWire>(s.kind) || tells_of_ipsec(s)) walk_.record.steps.push_back(s);
  if (!arrived)
    for (RuleMiss miss : outer.misses) {
      miss.before_step += before;
      walk_.record.misses.push_back(std::move(miss));
    }
  see(outer, encrypted);
}

void InnerPacket::see(const Record& outer, bool encrypted) {
  if (!userspace_datapath(*at_.bridge)) walk_.log.see(*at_.node, kernel_device(*at_.port), false, at_.packet);
  for (const PassedDevice& d : outer.passed_devices)
    if (!bypasses(walk_.cluster, d.node, d.device)) walk_.record.passed_devices.push_back(d);
  // Refusals are not looked for. Captures show ESP of what is encrypted, and this packet in it is not seen.
  if (walk_.packet.is_refusal() || encrypted) return;
  for (const Sighting& s : outer.sightings)
    if (!bypasses(walk_.cluster, s.node, s.device))
      walk_.record.sightings.push_back({s.node, s.device, s.in, at_.packet,
                                        Encap{encap_.type, src_ip(s.packet), dst_ip(s.packet), encap_.vni},
                                        walk_.record.steps.size()});
}

// What becomes of an outer packet that no host takes, but a pod or a node without dumps, is not known.
Arrival InnerPacket::lose(const Arrival& outer) {
  Arrival lost;
  lost.verdict =
      outer.verdict == Verdict::dropped || outer.verdict == Verdict::rejected ? Verdict::dropped : Verdict::inconclusive;
  walk_.log.note_undecided(lost.verdict == Verdict::inconclusive);
  Stop where = outer.stop.value_or(Stop{});
  if (lost.verdict == Verdict::dropped) where.why.then.push_back({Reason::tunnel_lost, {encap_.type, encap_.src, encap_.dst}});
  where.in_tunnel = true;
  lost.stop = std::move(where);
  return lost;
}

Next InnerPacket::decapsulate(const Arrival& outer) {
  const Node& node = *outer.end.node;
  const Encap encap{encap_.type, src_ip(outer.packet), dst_ip(outer.packet), encap_.vni};
  bool past_switch = false;  // the userspace datapath receives by its bridges alone
  for (const Bridge& bridge : node.bridges)
    for (const Interface& port : bridge.interfaces) {
      if (!receives(port, encap, outer_port(*at_.port))) continue;
      past_switch = userspace_datapath(bridge) && outer.end.bridge == nullptr;
      if (past_switch) continue;
      if (!userspace_datapath(bridge)) walk_.log.see(node, kernel_device(port), true, at_.packet);
      FlowKey inner = inner_packet(at_, bridge, encap);
      const std::uint32_t keys = inner.u32(FieldId::tun_metadata0);
      walk_.record.add(node.name, Layer::ovn,
                       Decapsulate{encap.type, port.name, encap.dst, encap.src, encap.vni, keys >> 16 & 0x7fff, keys & 0xffff},
                       {port.from});
      note_inconsistencies(node, cluster::Inconsistency::About::port, port.name, walk_.record);
      return AtPort{&node, &bridge, number_of(bridge, port), std::move(inner)};
    }
  note_inconsistencies_of_tunnels(node, walk_.record);
  if (past_switch || !(knows_tunnels(node) || lists_all_interfaces(node)))
    return walk_.log.gap(node, Layer::ovs, {Input::tunnel_ports}, Reason::tunnel_end_unknown);
  return walk_.log.stop(
      Verdict::dropped,
      {node.name, Layer::ovs, {PlaceKind::tunnel_from, {encap.type, encap.src}}, {Reason::tunnel_peer_missing}});
}

}  // namespace egt::engine
