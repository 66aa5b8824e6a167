// The packet as Open vSwitch sees it: headers and pipeline metadata in one flat key.
//
// Every field lives in one or two 64-bit words; overlapping fields share storage as in Open vSwitch: xxreg0 is
// reg0:reg1:reg2:reg3 with reg0 most significant, arp_spa is nw_src, icmp_type is tp_src, arp_op is nw_proto. The host
// engine uses the same key (pkt_mark is the skb mark). All values are in host order. See ovs-fields(7).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/base/u128.h"

namespace egt {

enum class FieldId : std::uint8_t {
  dp_hash,
  recirc_id,
  packet_type,
  conj_id,
  tun_id,
  tun_src,
  tun_dst,
  tun_ipv6_src,
  tun_ipv6_dst,
  tun_flags,
  tun_ttl,
  tun_tos,
  tun_gbp_id,
  tun_gbp_flags,
  tun_erspan_idx,
  tun_erspan_ver,
  tun_erspan_dir,
  tun_erspan_hwid,
  tun_gtpu_flags,
  tun_gtpu_msgtype,
  tun_metadata0,
  tun_metadata1,
  tun_metadata2,
  tun_metadata3,
  tun_metadata4,
  tun_metadata5,
  tun_metadata6,
  tun_metadata7,
  metadata,
  in_port,
  in_port_oxm,
  actset_output,
  skb_priority,
  pkt_mark,
  ct_state,
  ct_zone,
  ct_mark,
  ct_label,
  ct_nw_proto,
  ct_nw_src,
  ct_nw_dst,
  ct_ipv6_src,
  ct_ipv6_dst,
  ct_tp_src,
  ct_tp_dst,
  reg0,
  reg1,
  reg2,
  reg3,
  reg4,
  reg5,
  reg6,
  reg7,
  reg8,
  reg9,
  reg10,
  reg11,
  reg12,
  reg13,
  reg14,
  reg15,
  reg16,
  reg17,
  reg18,
  reg19,
  reg20,
  reg21,
  reg22,
  reg23,
  reg24,
  reg25,
  reg26,
  reg27,
  reg28,
  reg29,
  reg30,
  reg31,
  xreg0,
  xreg1,
  xreg2,
  xreg3,
  xreg4,
  xreg5,
  xreg6,
  xreg7,
  xreg8,
  xreg9,
  xreg10,
  xreg11,
  xreg12,
  xreg13,
  xreg14,
  xreg15,
  xxreg0,
  xxreg1,
  xxreg2,
  xxreg3,
  xxreg4,
  xxreg5,
  xxreg6,
  xxreg7,
  eth_src,
  eth_dst,
  eth_type,
  vlan_tci,
  dl_vlan,
  vlan_vid,
  dl_vlan_pcp,
  vlan_pcp,
  vlan_tci1,
  mpls_label,
  mpls_tc,
  mpls_bos,
  mpls_ttl,
  ip_src,
  ip_dst,
  ipv6_src,
  ipv6_dst,
  ipv6_label,
  nw_proto,
  nw_tos,
  ip_dscp,
  nw_ecn,
  nw_ttl,
  ip_frag,
  arp_op,
  arp_spa,
  arp_tpa,
  arp_sha,
  arp_tha,
  tcp_src,
  tcp_dst,
  tcp_flags,
  udp_src,
  udp_dst,
  sctp_src,
  sctp_dst,
  tp_src,
  tp_dst,
  icmp_type,
  icmp_code,
  icmpv6_type,
  icmpv6_code,
  nd_target,
  nd_sll,
  nd_tll,
  nd_reserved,
  nd_options_type,
  nsh_flags,
  nsh_mdtype,
  nsh_np,
  nsh_spi,
  nsh_si,
  nsh_c1,
  nsh_c2,
  nsh_c3,
  nsh_c4,
  nsh_ttl,
  icmp_id,  // of an echo; no OpenFlow field, but what distinguishes one ping's connection from another's
  count_,
};

enum class FieldFormat : std::uint8_t {
  decimal,
  hexadecimal,
  ethernet,
  ipv4,
  ipv6,
  ct_state,
  frag,
  tnl_flags,
  tcp_flags,
  of10_port,
  of11_port,
  packet_type,
};

// One row of the field table (ovs-fields(7), include/openvswitch/meta-flow.h).
struct Field {
  FieldId id;
  std::string_view name;      // as printed in matches: "nw_src", "reg0"
  std::string_view alias;     // another accepted spelling ("ip_src"), or empty
  std::string_view set_name;  // as printed behind "->" of set_field: "ip_src", "eth_dst"
  std::string_view nxm_name;  // name inside move/load/push/pop: "NXM_OF_IP_SRC"; empty when it has none
  std::uint16_t bits;
  std::uint8_t word;   // index of the (high) 64-bit word in FlowKey
  std::uint8_t shift;  // of the lowest bit inside that word; 0 for fields wider than 64 bits
  bool maskable;
  bool writable;
  FieldFormat format;
  std::uint32_t oxm_header;  // class << 16 | field << 9 (without mask bit and length); 0 when it has none
};

const Field& field(FieldId id);
// By any spelling: match name, alias, NXM or OXM name; null when there is none.
const Field* find_field(std::string_view name);
// By the 32-bit NXM/OXM header of the wire (mask bit and length are not looked at), for actions inside userdata.
const Field* find_field_by_oxm(std::uint32_t header);

// A run of bits of one field: NXM_NX_REG0[3..7] is {reg0, 3, 5}.
struct Subfield {
  FieldId field = FieldId::reg0;
  std::uint16_t first = 0;
  std::uint16_t bits = 0;
  friend bool operator==(const Subfield&, const Subfield&) = default;
};
Subfield whole(FieldId id);

constexpr std::size_t kFlowKeyWords = 80;
// A word without a field: a bit for each tun_metadata field that the packet has, and that a match demands.
constexpr std::size_t kTunnelOptionsWord = 77;

namespace detail {
// Where a field lies, closer together than in the table of all that is known of fields.
struct FieldPlace {
  std::uint64_t bits = 0;  // of the word, moved down; 0: of two words all
  std::uint8_t word = 0, shift = 0;
  bool plain = false;  // writing it writes these bits of one word and no others
};
extern const std::array<FieldPlace, static_cast<std::size_t>(FieldId::count_)> kFieldPlaces;
}  // namespace detail

class FlowKey {
 public:
  U128 get(FieldId id) const {
    const detail::FieldPlace& p = detail::kFieldPlaces[static_cast<std::size_t>(id)];
    if (p.bits == 0) return make_u128(words_[p.word], words_[p.word + 1U]);
    return (words_[p.word] >> p.shift) & p.bits;
  }
  void set(FieldId id, U128 value) {  // excess bits are cut off
    const detail::FieldPlace& p = detail::kFieldPlaces[static_cast<std::size_t>(id)];
    if (!p.plain) return set_wide_or_special(id, value);
    words_[p.word] = (words_[p.word] & ~(p.bits << p.shift)) | ((low64(value) & p.bits) << p.shift);
  }
  U128 get(const Subfield& s) const;
  void set(const Subfield& s, U128 value);

  std::uint64_t u64(FieldId id) const { return low64(get(id)); }
  std::uint32_t u32(FieldId id) const { return static_cast<std::uint32_t>(get(id)); }

  std::uint64_t word(std::size_t i) const { return words_[i]; }
  void set_word(std::size_t i, std::uint64_t v) { words_[i] = v; }

  friend bool operator==(const FlowKey&, const FlowKey&) = default;

 private:
  void set_wide_or_special(FieldId id, U128 value);

  std::array<std::uint64_t, kFlowKeyWords> words_{};
};

// Words of a FlowKey that follow each other.
struct WordRun {
  std::size_t first = 0, count = kFlowKeyWords;
};
WordRun words_of(FieldId id);

// The fields in which two keys differ, by FieldId; only the words of `within` are compared. Of overlapping fields only one
// is named: reg0 rather than xreg0, and what `a`'s Ethernet type makes of shared bits (nw_src or arp_spa).
std::vector<FieldId> differing_fields(const FlowKey& a, const FlowKey& b, WordRun within = {});
// Likewise, in room that was used before.
void find_differing_fields(const FlowKey& a, const FlowKey& b, WordRun within, std::vector<FieldId>& found);

// ct_state bits, as in ovs-fields(7).
namespace ct_state {
constexpr std::uint32_t new_ = 0x01, est = 0x02, rel = 0x04, rpl = 0x08, inv = 0x10, trk = 0x20, snat = 0x40, dnat = 0x80;
}

// Values of ip_frag (nw_frag): bit 0 any fragment, bit 1 not the first one.
namespace ip_frag {
constexpr std::uint8_t any = 1, later = 2;
}

namespace ethertype {
constexpr std::uint16_t ipv4 = 0x0800, arp = 0x0806, rarp = 0x8035, ipv6 = 0x86dd, vlan = 0x8100, qinq = 0x88a8, mpls = 0x8847,
                        mplsm = 0x8848, nsh = 0x894f;
}

namespace ip_proto {
constexpr std::uint8_t icmp = 1, igmp = 2, tcp = 6, udp = 17, gre = 47, icmp6 = 58, sctp = 132;
}

}  // namespace egt
