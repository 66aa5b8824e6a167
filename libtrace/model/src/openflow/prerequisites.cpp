#include "egtrace/openflow/prerequisites.h"

namespace egt::openflow {
namespace {

using F = FieldId;

constexpr std::uint32_t kTagPresent = 0x1000;
constexpr unsigned kSolicit = 135, kAdvert = 136;  // ICMPv6 types of neighbour discovery

void mask_all(FlowKey& m, F f) { m.set(f, ~U128{0}); }
void mask_bits(FlowKey& m, F f, U128 bits) { m.set(f, m.get(f) | bits); }

bool is_ethernet(const FlowKey& k, FlowKey* looked_at) {
  if (looked_at) mask_all(*looked_at, F::packet_type);
  return k.u64(F::packet_type) == 0;
}

bool has_l4(const FlowKey& k) { return !(k.u64(F::ip_frag) & ip_frag::later); }

bool has_ports_of(const FlowKey& k, FlowKey* looked_at, std::uint8_t proto) {
  return is_protocol(k, looked_at, proto) && has_l4(k);
}

bool is_ct_valid(const FlowKey& k, FlowKey* looked_at) {
  constexpr std::uint32_t kValid = ct_state::new_ | ct_state::est | ct_state::rpl;
  if (looked_at) mask_bits(*looked_at, F::ct_state, kValid);
  return k.u64(F::ct_state) & kValid;
}

bool has_ct_tuple(F f, const FlowKey& k, FlowKey* looked_at) {
  if (f == F::ct_nw_src || f == F::ct_nw_dst) return dl_type(k) == ethertype::ipv4 && is_ct_valid(k, looked_at);
  if (f == F::ct_ipv6_src || f == F::ct_ipv6_dst) return dl_type(k) == ethertype::ipv6 && is_ct_valid(k, looked_at);
  return is_ct_valid(k, looked_at);
}

}  // namespace

std::uint16_t dl_type(const FlowKey& k) {
  const auto type = static_cast<std::uint32_t>(k.u64(F::packet_type));
  if (type >> 16 == 1) return static_cast<std::uint16_t>(type);
  return static_cast<std::uint16_t>(k.u64(F::eth_type));
}

bool is_protocol(const FlowKey& k, FlowKey* looked_at, std::uint8_t proto) {
  if (!is_ip_any(k)) return false;
  if (looked_at) mask_bits(*looked_at, F::nw_proto, 0xff);
  return k.u64(F::nw_proto) == proto;
}

bool is_icmpv4(const FlowKey& k, FlowKey* looked_at) {
  return dl_type(k) == ethertype::ipv4 && is_protocol(k, looked_at, ip_proto::icmp);
}

bool is_icmpv6(const FlowKey& k, FlowKey* looked_at) {
  return dl_type(k) == ethertype::ipv6 && is_protocol(k, looked_at, ip_proto::icmp6);
}

bool is_nd(const FlowKey& k, FlowKey* looked_at) {
  if (!is_icmpv6(k, looked_at)) return false;
  if (looked_at) mask_all(*looked_at, F::tp_dst);
  if (k.u64(F::tp_dst) != 0) return false;
  if (looked_at) mask_all(*looked_at, F::tp_src);
  return k.u64(F::tp_src) == kSolicit || k.u64(F::tp_src) == kAdvert;
}

bool prerequisites_met(F f, const FlowKey& k, FlowKey* looked_at) {
  const auto type = dl_type(k);
  switch (f) {
    case F::eth_src:
    case F::eth_dst:
    case F::eth_type:
    case F::vlan_tci:
    case F::dl_vlan:
    case F::vlan_vid:
    case F::dl_vlan_pcp: return is_ethernet(k, looked_at);
    case F::vlan_pcp:
      if (!is_ethernet(k, looked_at)) return false;
      if (looked_at) mask_bits(*looked_at, F::vlan_tci, kTagPresent);
      return k.u64(F::vlan_tci) & kTagPresent;
    case F::mpls_label:
    case F::mpls_tc:
    case F::mpls_bos:
    case F::mpls_ttl: return is_mpls(type);
    case F::ip_src:
    case F::ip_dst: return type == ethertype::ipv4;
    case F::ipv6_src:
    case F::ipv6_dst:
    case F::ipv6_label: return type == ethertype::ipv6;
    case F::nw_proto:
    case F::nw_tos:
    case F::ip_dscp:
    case F::nw_ecn:
    case F::nw_ttl:
    case F::ip_frag: return is_ip_any(k);
    case F::arp_op:
    case F::arp_spa:
    case F::arp_tpa:
    case F::arp_sha:
    case F::arp_tha: return type == ethertype::arp || type == ethertype::rarp;
    case F::tcp_src:
    case F::tcp_dst:
    case F::tcp_flags: return has_ports_of(k, looked_at, ip_proto::tcp);
    case F::udp_src:
    case F::udp_dst: return has_ports_of(k, looked_at, ip_proto::udp);
    case F::sctp_src:
    case F::sctp_dst: return has_ports_of(k, looked_at, ip_proto::sctp);
    case F::tp_src:  // of any protocol: what mod_tp_src writes
    case F::tp_dst: return is_ip_any(k) && has_l4(k);
    case F::icmp_type:
    case F::icmp_code: return is_icmpv4(k, looked_at);
    case F::icmpv6_type:
    case F::icmpv6_code: return is_icmpv6(k, looked_at);
    case F::nd_target:
    case F::nd_reserved:
    case F::nd_options_type: return is_nd(k, looked_at);
    case F::nd_sll: return is_nd(k, looked_at) && k.u64(F::tp_src) == kSolicit;
    case F::nd_tll: return is_nd(k, looked_at) && k.u64(F::tp_src) == kAdvert;
    case F::ct_nw_proto:
    case F::ct_nw_src:
    case F::ct_nw_dst:
    case F::ct_ipv6_src:
    case F::ct_ipv6_dst:
    case F::ct_tp_src:
    case F::ct_tp_dst: return has_ct_tuple(f, k, looked_at);
    default: return f < F::nsh_flags || f > F::nsh_ttl || type == ethertype::nsh;
  }
}

}  // namespace egt::openflow
