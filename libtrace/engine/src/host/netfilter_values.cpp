#include "netfilter_values.h"

#include <algorithm>

#include "egtrace/base/text.h"

namespace egt::engine {
namespace {

using netfilter::AddressType;
using netfilter::Hook;
using netfilter::Key;
using netfilter::Read;

ReadValue number(U128 v) { return KnownNumber{v, 0}; }
ReadValue not_known(Property what) { return NotKnown{what}; }

std::uint8_t protocol(const FlowKey& p) { return static_cast<std::uint8_t>(p.u64(FieldId::nw_proto)); }

// --- headers -------------------------------------------------------------------------------------------------------
ReadValue tcp_flags(const ReadFrom& f) {
  constexpr unsigned kSyn = 0x02, kAck = 0x10;
  if (protocol(f.context.packet) != ip_proto::tcp) return Absent{};
  const std::uint64_t own = f.context.packet.u64(FieldId::tcp_flags) & 0xff;
  if (own != 0) return number(own);
  // A walk is about the first packet of either direction unless the connection has seen both.
  if (f.context.state == PacketState::new_) return number(kSyn);
  if (f.context.state == PacketState::established && f.context.connection != nullptr) {
    const bool first_answer = f.context.reply_direction && !f.context.connection->seen_reply;
    return first_answer ? number(kSyn | kAck) : KnownNumber{kAck, 0x08};
  }
  return not_known(Property::tcp_flags);
}

// Offset 0 and no "more fragments" for a whole datagram; "don't fragment" is the sender's choice.
ReadValue fragment_offset(const FlowKey& p) {
  constexpr unsigned kDontFragment = 0x4000;
  if (p.u64(FieldId::ip_frag) != 0) return not_known(Property::fragment_offset);
  return KnownNumber{0, kDontFragment};
}

// The device whose link header a frame bears: in a chain of egress the one that it leaves by, though none shows as that of its input then
// (seen with Linux 6.18).
const std::string& link_device(const ReadFrom& f) { return f.hook == netfilter::Hook::egress ? f.context.oif : f.context.iif; }

// nft sets "meta iiftype ether" before such a test and hides it again when it lists the rule; xt_mac.c asks the same.
ReadValue ethernet(FieldId field, const ReadFrom& f) {
  const std::string& device = link_device(f);
  if (device.empty() || device == "lo") return Absent{};
  const host::Link* link = f.host.link(device);
  if (link != nullptr && !link->link_type.empty() && link->link_type != "ether") return Absent{};
  return number(f.context.packet.get(field));
}

constexpr unsigned kHeaderWords = 5;  // of an IPv4 header without options, each of 32 bits

// How many bytes follow the IP header.
std::uint32_t behind_header(const ReadFrom& f) {
  constexpr std::uint32_t kIpv6HeaderBytes = 40;
  return f.context.length - std::min(f.context.length, f.family == Family::v4 ? 4 * kHeaderWords : kIpv6HeaderBytes);
}

ReadValue taken_port() { return not_known(Property::translated_port); }

// Where "th" asks for a port of a packet that has none, it reads what stands there: of ICMP type and code, then the checksum.
ReadValue instead_of_port(Key key, const FlowKey& p, bool icmp4, bool icmp6) {
  if (key == Key::dport || (!icmp4 && !icmp6)) return not_known(Property::packet_part);
  const std::uint64_t type = p.u64(icmp4 ? FieldId::icmp_type : FieldId::icmpv6_type);
  return number(type << 8 | p.u64(icmp4 ? FieldId::icmp_code : FieldId::icmpv6_code));
}

// Of ARP for IPv4 on Ethernet (RFC 826), which is all that hosts send here.
ReadValue read_arp(Key key, const FlowKey& p) {
  constexpr unsigned kEthernet = 1, kMacBytes = 6, kAddressBytes = 4;
  if (p.u32(FieldId::eth_type) != ethertype::arp) return Absent{};
  switch (key) {
    case Key::arp_hardware_type: return number(kEthernet);
    case Key::arp_protocol_type: return number(ethertype::ipv4);
    case Key::arp_hardware_length: return number(kMacBytes);
    case Key::arp_protocol_length: return number(kAddressBytes);
    case Key::arp_saddr_ip: return number(p.get(FieldId::arp_spa));
    case Key::arp_saddr_ether: return number(p.get(FieldId::arp_sha));
    case Key::arp_daddr_ip: return number(p.get(FieldId::arp_tpa));
    case Key::arp_daddr_ether: return number(p.get(FieldId::arp_tha));
    default: return number(p.get(FieldId::arp_op));
  }
}

ReadValue read_header(Key key, const ReadFrom& f) {
  const FlowKey& p = f.context.packet;
  const bool v4 = f.family == Family::v4;
  const bool first = (p.u32(FieldId::ip_frag) & ip_frag::later) == 0;  // later fragments have no transport header
  const bool icmp4 = v4 && first && protocol(p) == ip_proto::icmp;
  const bool icmp6 = !v4 && first && protocol(p) == ip_proto::icmp6;
  const auto only = [](bool present, U128 value) -> ReadValue {
    if (!present) return Absent{};
    return number(value);
  };
  switch (key) {
    case Key::ip_saddr: return only(v4, src_ip(p).value);
    case Key::ip_daddr: return only(v4, dst_ip(p).value);
    case Key::ip6_saddr: return only(!v4, src_ip(p).value);
    case Key::ip6_daddr: return only(!v4, dst_ip(p).value);
    case Key::ip_protocol: return only(v4, protocol(p));
    case Key::ip6_nexthdr: return only(!v4, protocol(p));
    case Key::ip_ttl: return only(v4, p.u64(FieldId::nw_ttl));
    case Key::ip6_hoplimit: return only(!v4, p.u64(FieldId::nw_ttl));
    case Key::ip_dscp: return number(tos_of(p) >> 2);
    case Key::ip_ecn: return number(tos_of(p) & 3u);
    case Key::ip_tos: return number(tos_of(p));
    case Key::ip_version: return number(v4 ? 4 : 6);
    case Key::ip_header_length: return only(v4, kHeaderWords);
    case Key::ip_length: return only(v4, f.context.length);
    case Key::ip6_length: return only(!v4, behind_header(f));
    case Key::udp_length: return only(first && protocol(p) == ip_proto::udp, behind_header(f));
    case Key::ip_frag_off: return v4 ? fragment_offset(p) : ReadValue{Absent{}};
    case Key::sport:
    case Key::dport: {
      if (!first) return Absent{};
      if (!has_ports(p)) return instead_of_port(key, p, icmp4, icmp6);
      const bool source = key == Key::sport, open = source ? f.context.sport_open : f.context.dport_open;
      return open ? taken_port() : number(p.get(source ? FieldId::tp_src : FieldId::tp_dst));
    }
    case Key::tcp_flags: return first ? tcp_flags(f) : ReadValue{Absent{}};
    case Key::icmp_type: return only(icmp4, p.get(FieldId::icmp_type));
    case Key::icmp_code: return only(icmp4, p.get(FieldId::icmp_code));
    case Key::icmpv6_type: return only(icmp6, p.get(FieldId::icmpv6_type));
    case Key::icmpv6_code: return only(icmp6, p.get(FieldId::icmpv6_code));
    case Key::ether_saddr: return ethernet(FieldId::eth_src, f);
    case Key::ether_daddr: return ethernet(FieldId::eth_dst, f);
    case Key::ether_type: return ethernet(FieldId::eth_type, f);
    default: return Absent{};  // VLAN headers do not reach these hooks
  }
}

// --- meta ----------------------------------------------------------------------------------------------------------
AddressType type_of(const IpAddr& a, std::string_view device, const ReadFrom& f, bool& known) {
  known = true;
  if (f.context.address_type) return f.context.address_type(a, device, !f.xt);
  if (a.is_multicast()) return AddressType::multicast;
  if (a.is_loopback()) return AddressType::local;
  for (const host::Link& link : f.host.links.value) {
    if (!device.empty() && link.name != device) continue;
    const bool own =
        std::any_of(link.addresses.begin(), link.addresses.end(), [&](const host::Address& x) { return x.prefix.address == a; });
    if (own) return AddressType::local;
  }
  known = f.host.links.present && !f.host.links.partial;
  return AddressType::unicast;
}

// The Ethernet header's affair, not the address's; what this host makes counts as for one (eth_type_trans()).
ReadValue packet_type(const ReadFrom& f) {
  const MacAddr to = dst_mac(f.context.packet);
  if (f.context.iif.empty() || f.context.iif == "lo" || !to.is_multicast()) return number(0);
  return number(to.value == ones(48) ? 1 : 2);
}

// The kind of a device as `ip -d link` shows it ("veth"); of others nft sees none.
ReadValue kind_of(const std::string& device, const ReadFrom& f) {
  const host::Link* link = f.host.link(device);
  if (device.empty()) return Absent{};
  if (link == nullptr || link->kind.empty()) return not_known(Property::device_kind);
  return link->kind;
}

// ARPHRD_* numbers.
ReadValue hardware_type_of(const std::string& device, const ReadFrom& f) {
  constexpr unsigned kEther = 1, kLoopback = 772;
  if (device.empty()) return Absent{};
  const host::Link* link = f.host.link(device);
  if (link != nullptr && link->link_type == "ether") return number(kEther);
  if (link != nullptr && link->link_type == "loopback") return number(kLoopback);
  return not_known(Property::device_type);
}

ReadValue group_of(const std::string& device, const ReadFrom& f) {
  if (device.empty()) return Absent{};
  const host::Link* link = f.host.link(device);
  if (link != nullptr && link->group == "default") return number(0);
  if (link != nullptr)
    if (const auto n = parse_decimal(link->group)) return number(*n);
  return not_known(Property::device_group);
}

// The port of a bridge by which a bridged frame came; of others there is none.
ReadValue bridge_port(const std::string& device, const ReadFrom& f) {
  const host::Link* link = f.host.link(device);
  if (link != nullptr && link->kind == "bridge") return not_known(Property::bridge_port);
  return std::string();
}

// "socket": the one that would take the packet were it for this host; a process that listens on any address will do
// (nft_socket_eval()).
ReadValue found_socket(const ReadFrom& f, Property what) {
  const bool looks = f.hook == Hook::prerouting || f.hook == Hook::input || f.context.local_socket;
  return looks ? ReadValue{NotKnown{what}} : ReadValue{Absent{}};
}

// Socket of a local process: none on packets that only pass.
ReadValue socket_fact(const ReadFrom& f, Property what) {
  if (!f.context.local_socket) return Absent{};
  return not_known(what);
}

ReadValue read_meta(Key key, const ReadFrom& f) {
  const bool v4 = f.family == Family::v4;
  const bool is_arp = f.context.packet.u32(FieldId::eth_type) == ethertype::arp;
  switch (key) {
    case Key::iif:
    case Key::iifname: return f.context.iif;
    case Key::oif:
    case Key::oifname: return f.context.oif;
    case Key::mark: return number(f.context.packet.u64(FieldId::pkt_mark));
    case Key::l4proto: return is_arp ? ReadValue{Absent{}} : number(protocol(f.context.packet));
    case Key::nfproto: return number(is_arp ? 3 : v4 ? 2 : 10);
    case Key::protocol: return number(is_arp ? ethertype::arp : v4 ? ethertype::ipv4 : ethertype::ipv6);
    case Key::length: return number(f.context.length);
    case Key::pkttype: return packet_type(f);
    case Key::skuid: return socket_fact(f, Property::socket_user);
    case Key::skgid: return socket_fact(f, Property::socket_group);
    case Key::cgroup: return socket_fact(f, Property::socket_cgroup);
    case Key::socket_transparent: return found_socket(f, Property::transparent_socket);
    case Key::socket_mark: return found_socket(f, Property::socket_mark);
    case Key::socket_cgroup: return found_socket(f, Property::socket_cgroup);
    case Key::ibrname:
    case Key::obrname: return Absent{};
    case Key::random: return not_known(Property::random_number);
    case Key::iifgroup: return group_of(f.context.iif, f);
    case Key::oifgroup: return group_of(f.context.oif, f);
    case Key::iifkind: return kind_of(f.context.iif, f);
    case Key::oifkind: return kind_of(f.context.oif, f);
    case Key::iiftype: return hardware_type_of(link_device(f), f);
    case Key::oiftype: return hardware_type_of(f.context.oif, f);
    case Key::physdev_in: return bridge_port(f.context.iif, f);
    case Key::physdev_out: return bridge_port(f.context.oif, f);
    default: return not_known(Property::outside_packet);
  }
}

// --- conntrack -----------------------------------------------------------------------------------------------------
unsigned state_bit(PacketState s) {
  namespace bit = netfilter::ct_state_bit;
  switch (s) {
    case PacketState::new_: return bit::new_;
    case PacketState::established: return bit::established;
    case PacketState::related: return bit::related;
    case PacketState::untracked: return bit::untracked;
    case PacketState::none:
    case PacketState::invalid: return bit::invalid;
  }
  return bit::invalid;
}

KnownNumber status(const ReadFrom& f) {
  namespace bit = netfilter::ct_status_bit;
  const Connection& c = *f.context.connection;
  unsigned value = 0;
  if (f.context.confirmed) value |= bit::confirmed;
  // An error message travels like an answer and is none.
  const bool answer = f.context.reply_direction && f.context.state == PacketState::established;
  if (c.seen_reply || answer) value |= bit::seen_reply;
  if (c.has_snat()) value |= bit::snat;
  if (c.has_dnat()) value |= bit::dnat;
  // An error message is related to a connection; expected is one that a helper announced, which no dump shows.
  unsigned unknown = c.from.known() ? bit::expected : 0U;
  if (f.context.confirmed && (c.seen_reply || !c.certain)) unknown |= bit::assured;
  return {value, unknown};
}

ReadValue read_conntrack(Key key, const ReadFrom& f) {
  if (key == Key::ct_state) return number(state_bit(f.context.state));
  const Connection* c = f.context.connection;
  // Of the empty connection that carries a zone nft reads nothing but the state, iptables all but the status.
  if (c == nullptr || (f.context.carrier && !f.xt)) return Absent{};
  switch (key) {
    case Key::ct_status: return status(f);
    case Key::ct_direction: return number(f.context.reply_direction ? 1 : 0);
    case Key::ct_mark: return number(c->mark);
    case Key::ct_label: return number(c->label);
    case Key::ct_zone: return number(f.context.zone);
    case Key::ct_original_saddr: return number(c->original.src.value);
    case Key::ct_original_daddr: return number(c->original.dst.value);
    case Key::ct_original_sport: return number(c->original.sport);
    case Key::ct_original_dport: return number(c->original.dport);
    case Key::ct_original_protocol: return number(c->original.proto);
    case Key::ct_reply_saddr: return number(c->reply.src.value);
    case Key::ct_reply_daddr: return number(c->reply.dst.value);
    case Key::ct_expiration: return not_known(Property::connection_expiration);
    // That of the connection which announced this one: a connection that a walk opens was announced by none
    // (nft_ct_get_eval(), xt_helper.c).
    default: return c->from.known() ? not_known(Property::connection_helper) : ReadValue{Absent{}};
  }
}

// --- routing -------------------------------------------------------------------------------------------------------
bool looks_up_source(Key k) { return k == Key::fib_saddr_type || k == Key::fib_saddr_oif || k == Key::fib_saddr_iif_oif; }

ReadValue fib_type(const Read& r, const IpAddr& address, const ReadFrom& f) {
  bool known = true;
  const std::string device = r.by_iif ? f.context.iif : r.by_oif ? f.context.oif : std::string();
  const AddressType t = type_of(address, device, f, known);
  if (!known) return not_known(Property::address_type);
  return number(static_cast<unsigned>(t));
}

bool is_of_zero_net_to_all(const FlowKey& p) {
  constexpr unsigned kNetBits = 24, kLocalGroups = 0xe00000;
  const IpAddr from = src_ip(p), to = dst_ip(p);
  return from.is_v4() && (from.value >> kNetBits) == 0 &&
         (to == IpAddr::v4(0xffffffff) || (to.value >> (32 - kNetBits)) == kLocalGroups);
}

// Of several next hops IPv4 takes the first, IPv6 one by a hash. With iif or oif only routes by that device count.
ReadValue device_among(const std::vector<std::string>& devices, const std::string& wanted, Family family) {
  const bool several = std::any_of(devices.begin(), devices.end(), [&](const auto& d) { return d != devices.front(); });
  if (family == Family::v6 && several) return not_known(Property::chosen_next_hop);
  if (!wanted.empty()) {
    const bool uses = std::find(devices.begin(), devices.end(), wanted) != devices.end();
    return uses ? wanted : std::string();
  }
  return devices.empty() ? std::string() : devices.front();
}

// nft_fib4_eval(), nft_fib6_eval().
ReadValue fib_device(const Read& r, const IpAddr& address, const IpAddr& other, const ReadFrom& f) {
  const FlowKey& p = f.context.packet;
  const bool looped = f.context.iif == "lo" && (f.hook == Hook::prerouting || f.hook == Hook::input);
  if ((looped && f.hook == Hook::prerouting) || is_of_zero_net_to_all(p)) return f.context.iif;
  if (!f.context.route_devices) return not_known(Property::route_device);
  // A local address has no route that counts here (RTN_LOCAL, RTF_LOCAL).
  bool known = true;
  const bool own = type_of(address, {}, f, known) == AddressType::local;
  if (!known) return not_known(Property::address_type);
  if (looped) return not_known(Property::device_on_lo);
  if (own) return std::string();
  const bool by_iif = r.by_iif || r.key == Key::fib_saddr_iif_oif;
  const std::string& wanted = by_iif ? f.context.iif : r.by_oif ? f.context.oif : std::string();
  // Rules on protocols count for nft and for rpfilter of IPv6, rules on ports for none (fl4, fl6 of nft_fib_ipv*.c,
  // ip*t_rpfilter.c).
  const std::uint8_t proto = f.xt && f.family == Family::v4 ? std::uint8_t{0} : protocol(p);
  const auto devices = f.context.route_devices(address, other, r.by_mark ? p.u32(FieldId::pkt_mark) : 0, proto);
  if (!devices) return not_known(Property::route_device);
  return device_among(*devices, wanted, f.family);
}

ReadValue read_fib(const Read& r, const ReadFrom& f) {
  const FlowKey& p = f.context.packet;
  const bool of_source = looks_up_source(r.key);
  const IpAddr address = of_source ? src_ip(p) : dst_ip(p);
  if (r.key == Key::fib_saddr_type || r.key == Key::fib_daddr_type) return fib_type(r, address, f);
  return fib_device(r, address, of_source ? dst_ip(p) : src_ip(p), f);
}

ReadValue generated(const Read& r, Property what) {
  if (r.modulus == 0) return not_known(what);
  return Generated{what, r.offset, r.modulus};
}

}  // namespace

ReadValue read_key(const Read& read, const ReadFrom& from) {
  const Key k = read.key;
  if (k >= Key::ip_saddr && k <= Key::vlan_id) return read_header(k, from);
  if (k >= Key::arp_hardware_type && k <= Key::arp_operation) return read_arp(k, from.context.packet);
  if (k >= Key::iif && k <= Key::cpu) return read_meta(k, from);
  if (k >= Key::ct_state && k <= Key::ct_helper) return read_conntrack(k, from);
  switch (k) {
    case Key::fib_saddr_type:
    case Key::fib_daddr_type:
    case Key::fib_saddr_oif:
    case Key::fib_daddr_oif:
    case Key::fib_saddr_iif_oif: return read_fib(read, from);
    case Key::socket_transparent:
    case Key::socket_mark:
    case Key::socket_cgroup: return read_meta(k, from);
    case Key::numgen_random: return generated(read, Property::numgen_random);
    case Key::numgen_inc: return generated(read, Property::numgen_inc);
    case Key::jhash: return generated(read, Property::jhash);
    case Key::symhash: return generated(read, Property::symhash);
    case Key::rt_classid: return not_known(Property::route_realm);
    case Key::rt_nexthop: return not_known(Property::route_next_hop);
    default: return not_known(Property::unknown_key);
  }
}

}  // namespace egt::engine
