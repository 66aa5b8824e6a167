// What flow_format() of lib/flow.c shows of a packet.
#include "ofproto_trace_parts.h"

namespace egt::render {
namespace {

using namespace engine::ofproto;
using F = FieldId;

void mask(FlowKey& m, F f) {
  m.set(f, ~U128{0});
  m.set_word(field(f).word, m.word(field(f).word) | openflow::beyond_field(f));
}

std::uint16_t type_of(const FlowKey& k) {
  const auto type = k.u32(F::packet_type);
  return static_cast<std::uint16_t>(type != 0 ? type : k.u32(F::eth_type));
}

bool is_nd(const FlowKey& k) {
  return type_of(k) == ethertype::ipv6 && k.u64(F::nw_proto) == ip_proto::icmp6 && k.u64(F::tp_dst) == 0 &&
         (k.u64(F::tp_src) == 135 || k.u64(F::tp_src) == 136);
}

bool has_tunnel(const FlowKey& k) { return k.get(F::tun_dst) != 0 || k.get(F::tun_ipv6_dst) != 0; }

void mask_tunnel(const FlowKey& k, FlowKey& m) {
  if (!has_tunnel(k)) {
    if (k.u64(F::tun_id) != 0) mask(m, F::tun_id);
    return;
  }
  if (get(k, Extra::tun_header_flags) & 8) mask(m, F::tun_id);
  for (const F f : {F::tun_src, F::tun_dst, F::tun_ipv6_src, F::tun_ipv6_dst, F::tun_flags, F::tun_tos, F::tun_ttl, F::tun_gbp_id,
                    F::tun_gbp_flags, F::tun_erspan_ver, F::tun_erspan_idx, F::tun_erspan_dir, F::tun_erspan_hwid,
                    F::tun_gtpu_flags, F::tun_gtpu_msgtype})
    mask(m, f);
  set(m, Extra::tun_header_flags, 14);
  set(m, Extra::tun_present, get(k, Extra::tun_present));
  for (unsigned i = 0; i < 8; ++i)
    if (get(k, Extra::tun_present) >> i & 1) mask(m, static_cast<F>(static_cast<unsigned>(F::tun_metadata0) + i));
}

void mask_transport(const FlowKey& k, FlowKey& m) {
  for (const F f : {F::ip_frag, F::nw_tos, F::nw_ecn, F::nw_ttl, F::ct_tp_src, F::ct_tp_dst, F::ct_nw_proto}) mask(m, f);
  m.set(F::nw_proto, 0xff);
  const auto proto = k.u64(F::nw_proto);
  if (k.u64(F::ip_frag) & ip_frag::later) return;
  for (const unsigned p : {ip_proto::icmp, ip_proto::icmp6, ip_proto::tcp, ip_proto::udp, ip_proto::sctp, ip_proto::igmp})
    if (proto == p) mask(m, F::tp_src), mask(m, F::tp_dst);
  if (proto == ip_proto::tcp) mask(m, F::tcp_flags);
}

void mask_headers(const FlowKey& k, FlowKey& m) {
  if (k.u32(F::packet_type) == 0) {
    for (const F f : {F::eth_dst, F::eth_src, F::eth_type, F::vlan_tci}) mask(m, f);
    if (k.u64(F::vlan_tci) != 0) mask(m, F::vlan_tci1);
  }
  switch (type_of(k)) {
    case ethertype::ipv4:
      for (const F f : {F::ip_src, F::ip_dst, F::ct_nw_src, F::ct_nw_dst}) mask(m, f);
      return mask_transport(k, m);
    case ethertype::ipv6:
      for (const F f : {F::ipv6_src, F::ipv6_dst, F::ipv6_label}) mask(m, f);
      // Asking whether it is neighbour discovery shows what was asked for, in later fragments too.
      if (k.u64(F::nw_proto) == ip_proto::icmp6) {
        mask(m, F::tp_dst);
        if (k.u64(F::tp_dst) == 0) mask(m, F::tp_src);
      }
      if (is_nd(k)) {
        for (const F f : {F::nd_target, F::nd_sll, F::nd_tll}) mask(m, f);
      } else {
        for (const F f : {F::ct_ipv6_src, F::ct_ipv6_dst}) mask(m, f);
      }
      return mask_transport(k, m);
    case ethertype::arp:
    case ethertype::rarp:
      for (const F f : {F::ip_src, F::ip_dst, F::arp_sha, F::arp_tha}) mask(m, f);
      m.set(F::nw_proto, 0xff);
      return;
    case ethertype::mpls:
    case ethertype::mplsm:
      for (const F f : {F::mpls_label, F::mpls_tc, F::mpls_ttl, F::mpls_bos}) mask(m, f);
      if (k.u64(F::mpls_bos) != 0) return;
      set(m, Extra::mpls_lse1, ~std::uint64_t{0});
      if (!(get(k, Extra::mpls_lse1) & 0x100)) set(m, Extra::mpls_lse2, ~std::uint64_t{0});
      return;
    case ethertype::nsh:
      if (k.u32(F::eth_type) != ethertype::nsh) return;  // the packet's type alone shows none of it
      for (const F f : {F::nsh_flags, F::nsh_ttl, F::nsh_mdtype, F::nsh_np, F::nsh_spi, F::nsh_si, F::nsh_c1, F::nsh_c2,
                        F::nsh_c3, F::nsh_c4})
        mask(m, f);
      return mask_transport(k, m);
    default: return;
  }
}

}  // namespace

FlowKey mask_of_packet(const FlowKey& k) {
  FlowKey m;
  mask_tunnel(k, m);
  mask_headers(k, m);
  for (const F f : {F::skb_priority, F::pkt_mark, F::recirc_id, F::dp_hash, F::ct_zone, F::ct_mark, F::ct_label, F::metadata})
    if (k.get(f) != 0) mask(m, f);
  if (k.u64(F::ct_state) != 0) m.set(F::ct_state, 0xff);
  if (k.u64(F::in_port) != 0) mask(m, F::in_port);
  mask(m, F::packet_type);
  using namespace ct_state;
  const auto state = k.u64(F::ct_state);
  const bool valid = state & (new_ | est | rel | rpl | snat | dnat) || ((state & trk) && !(state & inv));
  if (!valid || k.u64(F::ct_nw_proto) == 0) {
    for (const F f : {F::ct_nw_proto, F::ct_tp_src, F::ct_tp_dst}) m.set(f, 0);
    // By the Ethernet type alone: a packet without an Ethernet header shows addresses of no connection.
    if (k.u32(F::eth_type) == ethertype::ipv4) m.set(F::ct_nw_src, 0), m.set(F::ct_nw_dst, 0);
    if (k.u32(F::eth_type) == ethertype::ipv6) m.set(F::ct_ipv6_src, 0), m.set(F::ct_ipv6_dst, 0);
  }
  for (auto id = static_cast<unsigned>(F::reg0); id <= static_cast<unsigned>(F::reg15); ++id)
    if (k.get(static_cast<F>(id)) != 0) mask(m, static_cast<F>(id));
  return m;
}

}  // namespace egt::render
