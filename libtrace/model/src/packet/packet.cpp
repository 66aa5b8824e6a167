#include "egtrace/packet/packet.h"

#include <algorithm>
#include <utility>

namespace egt {
namespace {

constexpr std::uint8_t kEchoReply4 = 0, kEchoRequest4 = 8, kEchoRequest6 = 128, kEchoReply6 = 129;

bool is_icmp(std::uint8_t proto) { return proto == ip_proto::icmp || proto == ip_proto::icmp6; }

bool is_echo(std::uint8_t proto, std::uint8_t type) {
  if (proto == ip_proto::icmp) return type == kEchoRequest4 || type == kEchoReply4;
  return proto == ip_proto::icmp6 && (type == kEchoRequest6 || type == kEchoReply6);
}

// The type that answers `type`; itself when none does.
std::uint8_t answering_type(std::uint8_t proto, std::uint8_t type) {
  static constexpr std::pair<std::uint8_t, std::uint8_t> kPairs4[] = {{0, 8}, {13, 14}, {15, 16}, {17, 18}};
  static constexpr std::pair<std::uint8_t, std::uint8_t> kPairs6[] = {{128, 129}, {139, 140}};
  const auto look = [type](const auto& pairs) {
    for (const auto& [a, b] : pairs) {
      if (type == a) return b;
      if (type == b) return a;
    }
    return type;
  };
  return proto == ip_proto::icmp ? look(kPairs4) : look(kPairs6);
}

bool ports_of(std::uint8_t proto) { return proto == ip_proto::tcp || proto == ip_proto::udp || proto == ip_proto::sctp; }

void clear_range(FlowKey& k, FieldId first, FieldId last) {
  for (auto i = static_cast<unsigned>(first); i <= static_cast<unsigned>(last); ++i) k.set(static_cast<FieldId>(i), 0);
}

}  // namespace

Tuple reversed(const Tuple& t) {
  Tuple r = t;
  std::swap(r.src, r.dst);
  std::swap(r.sport, r.dport);
  if (is_icmp(t.proto)) r.icmp_type = answering_type(t.proto, t.icmp_type);
  return r;
}

bool is_ip(const FlowKey& k) {
  const auto type = k.u64(FieldId::eth_type);
  return type == ethertype::ipv4 || type == ethertype::ipv6;
}

bool is_arp(const FlowKey& k) { return k.u64(FieldId::eth_type) == ethertype::arp; }

Family family_of(const FlowKey& k) { return k.u64(FieldId::eth_type) == ethertype::ipv6 ? Family::v6 : Family::v4; }

IpAddr src_ip(const FlowKey& k) {
  const Family f = family_of(k);
  return {f, k.get(f == Family::v6 ? FieldId::ipv6_src : FieldId::ip_src)};
}

IpAddr dst_ip(const FlowKey& k) {
  const Family f = family_of(k);
  return {f, k.get(f == Family::v6 ? FieldId::ipv6_dst : FieldId::ip_dst)};
}

std::uint8_t tos_of(const FlowKey& k) { return static_cast<std::uint8_t>(k.u32(FieldId::nw_tos) | k.u32(FieldId::nw_ecn)); }
void set_tos(FlowKey& k, std::uint8_t tos) {
  k.set(FieldId::nw_tos, tos);
  k.set(FieldId::nw_ecn, tos & 3u);
}
void set_src_ip(FlowKey& k, const IpAddr& a) { k.set(a.is_v4() ? FieldId::ip_src : FieldId::ipv6_src, a.value); }
void set_dst_ip(FlowKey& k, const IpAddr& a) { k.set(a.is_v4() ? FieldId::ip_dst : FieldId::ipv6_dst, a.value); }

MacAddr src_mac(const FlowKey& k) { return {k.u64(FieldId::eth_src)}; }
MacAddr dst_mac(const FlowKey& k) { return {k.u64(FieldId::eth_dst)}; }

bool has_ports(const FlowKey& k) {
  return is_ip(k) && ports_of(static_cast<std::uint8_t>(k.u32(FieldId::nw_proto))) && !(k.u32(FieldId::ip_frag) & ip_frag::later);
}

Tuple tuple_of(const FlowKey& k) {
  Tuple t;
  t.src = src_ip(k);
  t.dst = dst_ip(k);
  t.proto = static_cast<std::uint8_t>(k.u32(FieldId::nw_proto));
  if (has_ports(k)) {
    t.sport = static_cast<std::uint16_t>(k.u32(FieldId::tp_src));
    t.dport = static_cast<std::uint16_t>(k.u32(FieldId::tp_dst));
  } else if (is_icmp(t.proto)) {
    t.icmp_type = static_cast<std::uint8_t>(k.u32(FieldId::icmp_type));
    t.icmp_code = static_cast<std::uint8_t>(k.u32(FieldId::icmp_code));
    if (is_echo(t.proto, t.icmp_type)) t.sport = t.dport = static_cast<std::uint16_t>(k.u32(FieldId::icmp_id));
  }
  return t;
}

void set_tuple(FlowKey& k, const Tuple& t) {
  set_src_ip(k, t.src);
  set_dst_ip(k, t.dst);
  if (has_ports(k)) {
    k.set(FieldId::tp_src, t.sport);
    k.set(FieldId::tp_dst, t.dport);
  } else if (is_echo(static_cast<std::uint8_t>(k.u32(FieldId::nw_proto)), static_cast<std::uint8_t>(k.u32(FieldId::icmp_type)))) {
    k.set(FieldId::icmp_id, t.sport);
  }
}

void clear_pipeline(FlowKey& k) {
  const U128 pkt_mark = k.get(FieldId::pkt_mark), skb_priority = k.get(FieldId::skb_priority);
  clear_range(k, FieldId::dp_hash, FieldId::ct_tp_dst);
  clear_range(k, FieldId::reg0, FieldId::reg31);
  k.set(FieldId::pkt_mark, pkt_mark);
  k.set(FieldId::skb_priority, skb_priority);
}

void clear_conntrack(FlowKey& k) { clear_range(k, FieldId::ct_state, FieldId::ct_tp_dst); }

const char* proto_name(std::uint8_t proto, Family f) {
  switch (proto) {
    case ip_proto::icmp: return f == Family::v4 ? "icmp" : "ip";
    case ip_proto::icmp6: return f == Family::v6 ? "icmp6" : "ip";
    case ip_proto::igmp: return "igmp";
    case ip_proto::tcp: return "tcp";
    case ip_proto::udp: return "udp";
    case ip_proto::gre: return "gre";
    case ip_proto::sctp: return "sctp";
    default: return "ip";
  }
}

}  // namespace egt
