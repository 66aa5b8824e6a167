#include "tunnels.h"

#include <algorithm>
#include <utility>

#include "egtrace/base/text.h"
#include "egtrace/openflow/tunnel_type.h"
#include "packet_fields.h"

namespace egt::engine::ofproto {
namespace {

using namespace openflow;

constexpr std::uint8_t kDefaultTtl = 64;
constexpr unsigned kIpv4Header = 20, kIpv6Header = 40, kUdpHeader = 8, kGeneveHeader = 8, kVxlanHeader = 8, kGreHeader = 4,
                   kGreOption = 4;

std::string option(const Interface& i, const char* name) {
  const auto it = i.options.find(name);
  return it == i.options.end() ? std::string() : it->second;
}

std::uint64_t number(const std::string& text, std::uint64_t otherwise) { return parse_u64(text).value_or(otherwise); }

bool is_set(const Interface& i, const char* name, bool otherwise) {
  const std::string v = option(i, name);
  return v.empty() ? otherwise : v == "true";
}

unsigned vport_type(std::string_view type) {  // enum ovs_vport_type
  if (type == "gre") return 3;
  if (type == "vxlan") return 4;
  if (type == "geneve") return 5;
  return 0;
}

void set_address(FlowKey& k, F v4, F v6, const std::string& text) {
  const auto a = IpAddr::parse(text);
  k.set(v4, a && a->is_v4() ? a->value : U128{0});
  k.set(v6, a && !a->is_v4() ? a->value : U128{0});
}

std::string key_of(const Interface& i) {
  const std::string out = option(i, "out_key");
  return out.empty() ? option(i, "key") : out;
}

// What the packet had of ERSPAN's header stays only where the port's options leave it to flows.
void set_erspan(FlowKey& k, const Interface& i) {
  constexpr std::pair<F, const char*> kFields[] = {{F::tun_erspan_ver, "erspan_ver"},
                                                   {F::tun_erspan_dir, "erspan_dir"},
                                                   {F::tun_erspan_idx, "erspan_idx"},
                                                   {F::tun_erspan_hwid, "erspan_hwid"}};
  if (option(i, "erspan_ver") == "flow") return;
  for (const auto& [f, name] : kFields)
    if (const std::string text = option(i, name); text != "flow") k.set(f, std::strtoul(text.c_str(), nullptr, 16));
}

U128 as_mapped(const FlowKey& k, F v4, F v6) { return k.get(v4) != 0 ? (U128{0xffff} << 32 | k.get(v4)) : k.get(v6); }

IpAddr tunnel_address(const FlowKey& k, F v4, F v6) {
  return k.get(v4) != 0 ? IpAddr::v4(static_cast<std::uint32_t>(k.get(v4))) : IpAddr::v6(k.get(v6));
}

std::vector<dp::GeneveOption> geneve_options(const FlowKey& flow, const Bridge& b) {
  std::vector<dp::GeneveOption> options;
  const auto present = get(flow, X::tun_present);
  for (unsigned i = 0; i < 8; ++i) {
    if (!(present >> i & 1)) continue;
    for (const TlvMapping& m : b.tlv_map)
      if (m.index == i)
        options.push_back(
            {m.option_class, m.type, m.length, flow.get(static_cast<F>(static_cast<unsigned>(F::tun_metadata0) + i))});
  }
  return options;
}

}  // namespace

bool Tunnels::are_native() const { return !policy_.hands_over_tunnels() && switch_.native_tunnels(bridge()); }

// tnl_port_send; false: no packet leaves.
bool Tunnels::prepare(const SwitchPort& port, const FlowKey& arrived) {
  const Interface& i = *port.interface;
  const std::string local = option(i, "local_ip"), remote = option(i, "remote_ip"), key = key_of(i);
  if (local != "flow") set_address(packet_.flow, F::tun_src, F::tun_ipv6_src, local);
  if (remote != "flow") set_address(packet_.flow, F::tun_dst, F::tun_ipv6_dst, remote);
  if (key != "flow") packet_.flow.set(F::tun_id, number(key, 0));
  const bool ip = is_ip_any(packet_.flow);
  const std::string ttl = option(i, "ttl"), tos = option(i, "tos");
  if (ttl == "inherit" && ip) {
    mask_all(*packet_.wc, F::nw_ttl);
    packet_.flow.set(F::tun_ttl, packet_.flow.get(F::nw_ttl));
  } else {
    packet_.flow.set(F::tun_ttl, number(ttl == "inherit" ? "" : ttl, ttl == "inherit" ? 0 : kDefaultTtl));
  }
  std::uint64_t new_tos = 0;
  if (tos == "inherit" && ip) {
    mask_bits(*packet_.wc, F::ip_dscp, 0x3f);
    new_tos = get(packet_.flow, F::ip_dscp) << 2;
  } else if (tos != "inherit") {
    new_tos = number(tos, 0);
  }
  if (ip) {
    mask_bits(*packet_.wc, F::nw_ecn, kEcn);
    const auto ecn = get(packet_.flow, F::nw_ecn);
    new_tos |= ecn == kEcn ? 2 : ecn;
  }
  packet_.flow.set(F::tun_tos, new_tos);
  std::uint16_t flags = 0;
  if (is_set(i, "df_default", true)) flags |= tunnel_flag::df;
  constexpr OvsVersion kChecksumByDefault{3, 4, 0};
  const bool udp = openflow::tunnel_port(i) != 0;
  if (is_set(i, "csum", udp && version_ >= kChecksumByDefault)) flags |= tunnel_flag::csum;
  if (!key.empty()) flags |= tunnel_flag::key;
  set(packet_.flow, X::tun_header_flags, flags);
  if (const std::string mark = option(i, "egress_pkt_mark"); !mark.empty()) {
    packet_.flow.set(F::pkt_mark, number(mark, 0));
    mask_all(*packet_.wc, F::pkt_mark);
  }
  set_erspan(packet_.flow, i);
  if (as_mapped(packet_.flow, F::tun_dst, F::tun_ipv6_dst) == as_mapped(arrived, F::tun_dst, F::tun_ipv6_dst)) {
    if (i.options.empty()) policy_.missing({Input::tunnel_options, {i.name}});
    report_.note(NodeKind::warning, Remark::own_tunnel_address, port.number, has_tunnel_destination(packet_.flow), i.name);
    return false;
  }
  report_.note(NodeKind::detail, are_native() ? Remark::native_tunnel : Remark::kernel_tunnel);
  return true;
}

void Tunnels::set_metadata(const SwitchPort& port) {
  if (!has_tunnel_destination(packet_.flow) || same_tunnel(packet_.base, packet_.flow)) return;
  copy_tunnel(packet_.flow, packet_.base);
  dp::SetTunnel set;
  set.tunnel = packet_.flow;
  set.udp_port = openflow::tunnel_port(*port.interface);
  set.type = port.interface->type;
  set.options = geneve_options(packet_.flow, bridge());
  out_.put({std::move(set)});
}

SwitchPort* Tunnels::port_towards(const IpAddr& destination, IpAddr& source, IpAddr& hop) {
  const Datapath& datapath = switch_.datapath();
  const TunnelRoute* route = datapath.route(destination, static_cast<std::uint32_t>(get(packet_.flow, F::pkt_mark)));
  SwitchPort* out = route ? switch_.port_named(route->device) : nullptr;
  if (!out) {
    if (!datapath.has_routes) policy_.missing({Input::switch_routes, {}});
    report_.note(NodeKind::warning, datapath.has_routes ? Remark::no_route : Remark::no_route_known);
    return nullptr;
  }
  hop = route->next_hop(destination);
  if (source.is_unspecified() && route->source) source = *route->source;
  report_.note(NodeKind::detail, Remark::tunneling_via, 0, 0, hop.to_string(), out->interface->name);
  return out;
}

const TunnelNeighbour* Tunnels::neighbour_at(const IpAddr& hop, const SwitchPort& out) {
  const Datapath& datapath = switch_.datapath();
  const std::string& bridge = out.bridge->bridge->name;
  const TunnelNeighbour* neighbour = datapath.neighbour(hop, bridge);
  if (neighbour != nullptr) return neighbour;
  if (datapath.has_neighbours) {
    report_.note(NodeKind::detail, Remark::neighbour_miss, hop.is_v4() ? 4 : 6, 0, hop.to_string(), bridge);
  } else {
    policy_.missing({Input::switch_neighbours, {}});
    report_.note(NodeKind::warning, Remark::neighbour_unknown, 0, 0, hop.to_string());
  }
  return nullptr;
}

std::optional<NativeTunnel> Tunnels::push(const SwitchPort& port) {
  const IpAddr destination = tunnel_address(packet_.flow, F::tun_dst, F::tun_ipv6_dst);
  IpAddr source = tunnel_address(packet_.flow, F::tun_src, F::tun_ipv6_src), hop;
  SwitchPort* out = port_towards(destination, source, hop);
  const TunnelNeighbour* neighbour = out ? neighbour_at(hop, *out) : nullptr;
  if (neighbour == nullptr) return std::nullopt;
  if (!out->interface->mac) policy_.missing({Input::port_mac, {out->interface->name}});
  dp::TunnelPush push;
  push.source_mac = out->interface->mac.value_or(MacAddr{});
  push.destination_mac = neighbour->mac;
  push.source = source;
  push.destination = destination;
  report_.note(NodeKind::detail, Remark::tunneling, push.source_mac.value, push.destination_mac.value, source.to_string(),
               hop.to_string());
  const std::string& type = port.interface->type;
  push.tunnel = datapath_port(port, switch_.datapath(), policy_);
  push.out = datapath_port(*out, switch_.datapath(), policy_);
  push.type = type;
  push.vport_type = vport_type(type);
  push.tos = static_cast<std::uint8_t>(get(packet_.flow, F::tun_tos));
  push.ttl = static_cast<std::uint8_t>(get(packet_.flow, F::tun_ttl));
  push.proto = openflow::tunnel_port(*port.interface) != 0 ? ip_proto::udp : ip_proto::gre;
  const auto flags = get(packet_.flow, X::tun_header_flags);
  push.dont_fragment = flags & tunnel_flag::df;
  push.checksum = !source.is_v4() || (flags & tunnel_flag::csum);
  push.with_key = flags & tunnel_flag::key;
  push.oam = get(packet_.flow, F::tun_flags);
  push.udp_port = openflow::tunnel_port(*port.interface);
  push.tunnel_id = get(packet_.flow, F::tun_id);
  add_header(push, flags & tunnel_flag::csum);
  return NativeTunnel{std::move(push), out};
}

// netdev_tnl_header: how long it is, and the options of Geneve. `checksum`: as the port and flows ask for it.
void Tunnels::add_header(dp::TunnelPush& push, bool checksum) const {
  push.header_size = kEthernetHeader + (push.destination.is_v4() ? kIpv4Header : kIpv6Header);
  if (push.type == "geneve") {
    push.options = geneve_options(packet_.flow, bridge());
    push.header_size += kUdpHeader + kGeneveHeader;
    for (const dp::GeneveOption& o : push.options) {
      push.header_size += 4u + o.length;
      push.critical = push.critical || (o.type & 0x80);
    }
  } else if (push.type == "vxlan") {
    push.header_size += kUdpHeader + kVxlanHeader;
  } else {
    push.header_size += kGreHeader + (checksum ? kGreOption : 0) + (push.with_key ? kGreOption : 0);
    push.checksum = checksum;
  }
}

void enter_outer_packet(const dp::TunnelPush& push, XlatePacket& packet) {
  for (FlowKey* k : {&packet.base, &packet.flow}) {
    const FlowKey tunnel = packet.flow;
    k->set(F::eth_dst, push.destination_mac.value);
    k->set(F::eth_src, push.source_mac.value);
    copy_vlans(FlowKey(), *k);
    for (const F f : {F::ip_frag, F::packet_type}) k->set(f, 0);
    k->set(F::ip_dst, tunnel.get(F::tun_dst));
    k->set(F::ip_src, tunnel.get(F::tun_src));
    k->set(F::ipv6_dst, tunnel.get(F::tun_ipv6_dst));
    k->set(F::ipv6_src, tunnel.get(F::tun_ipv6_src));
    k->set(F::nw_tos, tunnel.get(F::tun_tos));
    k->set(F::nw_ecn, tunnel.get(F::tun_tos) & kEcn);
    k->set(F::nw_ttl, tunnel.get(F::tun_ttl));
    k->set(F::tp_dst, push.udp_port);
    k->set(F::tp_src, 0);
    k->set(F::eth_type, push.destination.is_v4() ? ethertype::ipv4 : ethertype::ipv6);
    if (!push.destination.is_v4() && k->get(F::ipv6_src) == 0) k->set(F::ipv6_src, push.source.value);
    if (push.destination.is_v4() && k->get(F::ip_src) == 0) k->set(F::ip_src, push.source.value);
    k->set(F::arp_op, 0);
    k->set(F::nw_proto, push.proto);
  }
}

namespace {

// tnl_port_map_lookup: the ends are a table of their own, and what its search looks at counts. Ends of one kind are one
// subtable, whose stages are the Ethernet header, the addresses, and the port.
bool same_kind(const TunnelEnd& a, const TunnelEnd& b) {
  return a.address.is_v4() == b.address.is_v4() && a.udp_port.has_value() == b.udp_port.has_value();
}

unsigned stages_met(const FlowKey& k, const TunnelEnd& e) {
  const bool v4 = e.address.is_v4();
  const bool link = get(k, F::eth_dst) == e.mac.value && get(k, F::vlan_tci) == 0 &&
                    get(k, F::eth_type) == (v4 ? ethertype::ipv4 : ethertype::ipv6);
  if (!link) return 0;
  const U128 to = v4 ? k.get(F::ip_dst) : k.get(F::ipv6_dst);
  if (to != e.address.value || get(k, F::nw_proto) != e.proto || get(k, F::ip_frag) != 0) return 1;
  return !e.udp_port || get(k, F::tp_dst) == *e.udp_port ? 3 : 2;
}

void mask_stages(const TunnelEnd& e, unsigned stages, FlowKey& wc) {
  mask_all(wc, F::eth_dst);
  mask_all(wc, F::vlan_tci);
  if (stages == 0) return;
  mask_all(wc, e.address.is_v4() ? F::ip_dst : F::ipv6_dst);
  mask_bits(wc, F::nw_proto, 0xff);
  mask_all(wc, F::ip_frag);
  if (stages > 1 && e.udp_port) mask_all(wc, F::tp_dst);
}

// Only a port with an address of its own can end a tunnel.
bool has_address(const Datapath& dp, const Interface& i) {
  return std::any_of(dp.routes.begin(), dp.routes.end(), [&](const TunnelRoute& r) { return r.local && r.device == i.name; }) ||
         std::any_of(dp.tunnel_ends.begin(), dp.tunnel_ends.end(), [&](const TunnelEnd& e) { return i.mac && e.mac == *i.mac; });
}

// Addresses of the bridge's ports, as the routes and the ends of tunnels show them.
bool is_own_address(const Datapath& dp, const Bridge& b, const IpAddr& a) {
  return std::any_of(b.interfaces.begin(), b.interfaces.end(), [&](const Interface& i) {
    return std::any_of(dp.routes.begin(), dp.routes.end(),
                       [&](const TunnelRoute& r) { return r.local && r.device == i.name && r.destination.contains(a); }) ||
           std::any_of(dp.tunnel_ends.begin(), dp.tunnel_ends.end(),
                       [&](const TunnelEnd& e) { return i.mac && e.mac == *i.mac && e.address == a; });
  });
}

// tnl_neigh_snoop: what the switch looks at where it may learn the neighbour of a tunnel from ARP.
void snoop_arp(const Datapath& dp, const Bridge& b, const FlowKey& k, FlowKey& wc) {
  constexpr unsigned kReply = 2;
  const auto to = IpAddr::v4(static_cast<std::uint32_t>(get(k, F::ip_dst)));
  const bool gratuitous = get(k, F::ip_src) == get(k, F::ip_dst);
  const bool to_us = is_own_address(dp, b, to);
  mask_all(wc, F::ip_src);
  mask_all(wc, F::ip_dst);
  if (!to_us && !gratuitous) return;
  if (!gratuitous) mask_bits(wc, F::nw_proto, 0xff);
  if (gratuitous || get(k, F::nw_proto) == kReply) mask_all(wc, F::arp_sha);
}

// … and from neighbour discovery.
void snoop_nd(const Datapath& dp, const Bridge& b, const FlowKey& k, FlowKey& wc) {
  constexpr unsigned kAdvert = 136;
  if (!is_own_address(dp, b, IpAddr::v6(k.get(F::ipv6_dst)))) return;
  if (!is_nd(k, &wc) || get(k, F::tp_src) != kAdvert) return;
  mask_all(wc, F::nd_tll);
  if (get(k, F::nd_tll) == 0) return;
  for (const F f : {F::ipv6_src, F::ipv6_dst, F::nd_target}) mask_all(wc, f);
}

}  // namespace

std::optional<std::uint32_t> Tunnels::end_at(const SwitchPort& port) {
  if (!are_native()) return std::nullopt;
  const Datapath& dp = switch_.datapath();
  if (!has_address(dp, *port.interface)) return std::nullopt;
  for (auto kind = dp.tunnel_ends.begin(); kind != dp.tunnel_ends.end(); ++kind) {
    if (std::any_of(dp.tunnel_ends.begin(), kind, [&](const TunnelEnd& e) { return same_kind(e, *kind); })) continue;
    unsigned met = 0;
    const TunnelEnd* found = nullptr;
    for (const TunnelEnd& e : dp.tunnel_ends) {
      if (!same_kind(e, *kind)) continue;
      const unsigned stages = stages_met(packet_.flow, e);
      met = std::max(met, stages);
      if (stages == 3) found = &e;
    }
    mask_stages(*kind, met, *packet_.wc);
    if (found == nullptr) continue;
    return found->datapath_port;
  }
  if (get(packet_.flow, F::eth_type) == ethertype::arp) snoop_arp(dp, bridge(), packet_.flow, *packet_.wc);
  if (get(packet_.flow, F::nw_proto) == ip_proto::icmp6) snoop_nd(dp, bridge(), packet_.flow, *packet_.wc);
  return std::nullopt;
}

}  // namespace egt::engine::ofproto
