#include "xlate_packet.h"

#include "packet_fields.h"

namespace egt::engine::ofproto {

void XlatePacket::clear_conntrack() {
  conntracked = false;
  clear_ct(flow);
}

void XlatePacket::begin_wildcards(bool key_only) {
  mask = FlowKey();
  mask_all(mask, F::packet_type);
  mask_all(mask, F::in_port);
  mask_all(mask, F::eth_type);
  if (is_ip_any(flow)) mask_all(mask, F::ip_frag);
  mask_all(mask, F::recirc_id);
  if (!has_tunnel_destination(flow)) return;
  mask_all(mask, F::tun_id);
  if (flow.get(F::tun_dst) != 0) {
    mask_all(mask, F::tun_src);
    mask_all(mask, F::tun_dst);
  } else {
    mask_all(mask, F::tun_ipv6_src);
    mask_all(mask, F::tun_ipv6_dst);
  }
  set(mask, X::tun_header_flags, key_only ? tunnel_flag::key : tunnel_flag::df | tunnel_flag::csum | tunnel_flag::key);
  mask_all(mask, F::tun_tos);
  if (is_ip_any(flow) && (get(flow, F::tun_tos) & kEcn) == kEcn) mask_bits(mask, F::nw_ecn, kEcn);
}

void XlatePacket::finish_wildcards(const FlowKey& arrived) {
  clear_registers(mask);
  for (const F f : {F::metadata, F::actset_output, F::conj_id}) mask.set(f, 0);
  if (get(arrived, F::packet_type) != packet_type::ethernet) {
    mask.set(F::eth_src, 0);
    mask.set(F::eth_dst, 0);
  }
  if (is_icmpv4(flow, nullptr) || is_icmpv6(flow, nullptr)) {
    mask.set(F::tp_src, mask.get(F::tp_src) & 0xff);
    mask.set(F::tp_dst, mask.get(F::tp_dst) & 0xff);
  }
  if (mask.get(F::vlan_tci) != 0) mask_bits(mask, F::vlan_tci, kVlanPresent);
  if (mask.get(F::vlan_tci1) != 0) mask_bits(mask, F::vlan_tci1, kVlanPresent);
  if (get(flow, F::ip_frag) & ip_frag::later) {
    mask.set(F::tp_src, 0);
    mask.set(F::tp_dst, 0);
  }
  if (!is_mpls(get(arrived, F::eth_type)))
    for (unsigned i = 0; i < kMaxMplsLabels; ++i) set_mpls_lse(mask, i, 0);
  if (!is_vlan_type(get(arrived, X::vlan_tpid))) mask.set(F::vlan_tci, 0), set(mask, X::vlan_tpid, 0);
  if (!is_vlan_type(get(arrived, X::vlan_tpid1))) mask.set(F::vlan_tci1, 0), set(mask, X::vlan_tpid1, 0);
  if (!has_tunnel_destination(arrived)) clear_tunnel(mask);
}

}  // namespace egt::engine::ofproto
