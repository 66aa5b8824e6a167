#include "packet_fields.h"

#include <algorithm>
#include <bit>

namespace egt::engine::ofproto {
namespace {

constexpr std::uint32_t kBottomOfStack = 0x100;
// Words of a FlowKey (libtrace/model/src/packet/flow_key.cpp).
constexpr std::size_t kRegisters = 0, kRegisterWords = 16, kTunnel = 21, kTunnelEnd = 45, kHeaders = 54, kL3 = 58,
                      kTunnelPresent = 77, kTunnelHeader = 78, kVlanTypes = 75;

bool is_vlan_field(F f) {
  return f == F::vlan_tci || f == F::dl_vlan || f == F::vlan_vid || f == F::dl_vlan_pcp || f == F::vlan_pcp;
}

bool is_tun_metadata(F f) { return f >= F::tun_metadata0 && f <= F::tun_metadata7; }

// Types and codes of ICMP lie where others have ports, and leave nothing of their upper bytes.
void keep_byte_of_icmp(FlowKey& k, F f) {
  if (f == F::icmp_type || f == F::icmpv6_type) k.set(F::tp_src, k.get(F::tp_src) & 0xff);
  if (f == F::icmp_code || f == F::icmpv6_code) k.set(F::tp_dst, k.get(F::tp_dst) & 0xff);
}

void written(FlowKey& k, F f) {
  if (is_vlan_field(f)) fix_vlan_tpid(k);
  if (is_tun_metadata(f))
    set(k, X::tun_present,
        get(k, X::tun_present) | (std::uint64_t{1} << (static_cast<unsigned>(f) - static_cast<unsigned>(F::tun_metadata0))));
  if (f == F::arp_op) k.set(F::arp_op, k.get(F::arp_op) & 0xff);
  keep_byte_of_icmp(k, f);
}

void copy_words(const FlowKey& from, FlowKey& to, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) to.set_word(i, from.word(i));
}

void clear_words(FlowKey& k, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) k.set_word(i, 0);
}

}  // namespace

namespace {

// Words of a FlowKey that no field uses.
struct SpareBits {
  std::uint8_t word, shift, bits;
};
constexpr SpareBits kSpareBits[] = {{75, 0, 16}, {75, 16, 16}, {76, 32, 32}, {76, 0, 32}, {77, 0, 64}, {78, 0, 16}};

}  // namespace

std::uint64_t get(const FlowKey& k, Extra e) {
  const SpareBits& b = kSpareBits[static_cast<std::size_t>(e)];
  return (k.word(b.word) >> b.shift) & low64(ones(b.bits));
}

void set(FlowKey& k, Extra e, std::uint64_t value) {
  const SpareBits& b = kSpareBits[static_cast<std::size_t>(e)];
  const std::uint64_t mask = low64(ones(b.bits)) << b.shift;
  k.set_word(b.word, (k.word(b.word) & ~mask) | ((value << b.shift) & mask));
}

namespace {

// Ports are 32 bits wide as of OpenFlow 1.1, the reserved ones the last of them; the packet's are 16.
constexpr U128 kWideReserved = 0xffff0000;
bool is_wide_port(F f) { return f == F::in_port_oxm || f == F::actset_output; }
U128 wide_port(U128 port) { return port >= openflow::port::max ? port | kWideReserved : port; }
U128 narrow_port(U128 port) {
  if (port < openflow::port::max) return port;
  return port >= (kWideReserved | openflow::port::max) ? port & 0xffff : U128{openflow::port::none};
}

// mf_get_value() takes the wrong one of the two bytes that hold it, which only the mask of an exact match fills. (It would
// be the right one where the most significant byte comes first.)
void take_wrong_byte(FlowKey& k, F f) {
  const auto beyond = openflow::beyond_field(f);
  if (f == F::nd_options_type) k.set(f, (k.word(field(f).word) & beyond) >> std::countr_zero(beyond));
}

}  // namespace

U128 read(const FlowKey& k, const Subfield& s) {
  if (s.field == F::nd_options_type) return 0;
  if (is_wide_port(s.field)) return wide_port(k.get(s.field) & 0xffff) >> s.first & ones(s.bits);
  if (s.field != F::nw_tos) return k.get(s);
  return (k.get(F::nw_tos) & kDscp) >> s.first & ones(s.bits);
}

void write(FlowKey& k, const Subfield& s, U128 value) {
  if (s.field == F::in_port_oxm) {
    const U128 mask = ones(s.bits) << s.first, wide = wide_port(k.get(F::in_port));
    return k.set(F::in_port, narrow_port((wide & ~mask) | (value << s.first & mask)));
  }
  const U128 ecn = k.get(F::nw_ecn);
  take_wrong_byte(k, s.field);
  k.set(s, value);
  if (s.field == F::nw_tos) k.set(F::nw_ecn, ecn);
  written(k, s.field);
}

U128 exact_mask(F f) { return f == F::vlan_vid ? U128{kVlanVid | kVlanPresent} : ones(field(f).bits); }

void write_masked(FlowKey& k, F f, U128 value, U128 mask) {
  if (f == F::in_port_oxm) return k.set(F::in_port, narrow_port((wide_port(k.get(F::in_port)) & ~mask) | (value & mask)));
  if (f == F::nw_tos) mask &= kDscp;
  take_wrong_byte(k, f);
  k.set(f, (k.get(f) & ~mask) | (value & mask));
  written(k, f);
}

namespace {

// What mf_set_flow_value() makes of a mask besides: an ARP operation and types and codes of ICMP keep 8 bits of 16, others
// nothing of what an exact match takes beyond them.
void settle(FlowKey& wc, F f) {
  keep_byte_of_icmp(wc, f);
  if (f == F::arp_op) wc.set(f, wc.get(f) & 0xff);
  const std::size_t word = field(f).word;
  wc.set_word(word, wc.word(word) & ~openflow::beyond_field(f));
  if (is_tun_metadata(f)) written(wc, f);
}

}  // namespace

void unwildcard(FlowKey& wc, F f, U128 mask) {
  if (f == F::dl_vlan) mask &= kVlanVid;
  if (f == F::nw_tos) mask &= kDscp;
  take_wrong_byte(wc, f);
  wc.set(f, wc.get(f) | mask);
  settle(wc, f);
}

void unwildcard(FlowKey& wc, const Subfield& s) {
  const U128 ecn = wc.get(F::nw_ecn);
  take_wrong_byte(wc, s.field);
  wc.set(s, ~U128{0});
  if (s.field == F::nw_tos) wc.set(F::nw_ecn, ecn);
  if (s.field == F::dl_vlan || s.field == F::vlan_vid || s.field == F::vlan_pcp || s.field == F::dl_vlan_pcp)
    mask_bits(wc, F::vlan_tci, kVlanPresent);
  settle(wc, s.field);
}

bool is_register_or_metadata(F f) {
  return (f >= F::reg0 && f <= F::xxreg7) || f == F::metadata || f == F::in_port || f == F::in_port_oxm || is_tunnel_field(f);
}

bool is_tunnel_field(F f) { return f >= F::tun_id && f <= F::tun_metadata7; }

bool is_l3_or_higher(F f) { return f >= F::ip_src; }

namespace {

// A tunnel option has the length that the TLV map gives it.
void keep_mapped_options(const openflow::Bridge& b, FlowKey& k) {
  std::uint64_t mapped = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const F f = static_cast<F>(static_cast<unsigned>(F::tun_metadata0) + i);
    unsigned length = 0;
    for (const openflow::TlvMapping& m : b.tlv_map)
      if (m.index == i) length = m.length;
    k.set(f, k.get(f) & ones(std::min(length * 8u, 128u)));
    if (length != 0) mapped |= std::uint64_t{1} << i;
  }
  set(k, X::tun_present, get(k, X::tun_present) & mapped);
}

}  // namespace

FlowKey as_extracted(const FlowKey& packet, const openflow::Bridge& bridge) {
  FlowKey k = packet;
  fix_vlan_tpid(k);
  if (k.get(F::vlan_tci1) != 0 && get(k, X::vlan_tpid1) == 0) set(k, X::vlan_tpid1, ethertype::vlan);
  for (unsigned i = 0; i < 8; ++i)
    if (k.get(static_cast<F>(static_cast<unsigned>(F::tun_metadata0) + i)) != 0)
      set(k, X::tun_present, get(k, X::tun_present) | std::uint64_t{1} << i);
  if (bridge.has_tlv_map) keep_mapped_options(bridge, k);
  return k;
}

bool has_fixed_context(const FlowKey& nsh) { return get(nsh, F::nsh_mdtype) == 1; }

unsigned vlan_count(const FlowKey& k) {
  if (!(get(k, F::vlan_tci) & kVlanPresent)) return 0;
  return get(k, F::vlan_tci1) & kVlanPresent ? 2 : 1;
}

void push_vlan(FlowKey& k, FlowKey* wc) {
  if (wc) {
    const unsigned n = vlan_count(k);
    if (n >= 1) mask_all(*wc, F::vlan_tci), mask_all(*wc, X::vlan_tpid);
    if (n >= 2) mask_all(*wc, F::vlan_tci1), mask_all(*wc, X::vlan_tpid1);
  }
  k.set(F::vlan_tci1, k.get(F::vlan_tci));
  set(k, X::vlan_tpid1, get(k, X::vlan_tpid));
  k.set(F::vlan_tci, 0);
  set(k, X::vlan_tpid, 0);
}

void pop_vlan(FlowKey& k, FlowKey* wc) {
  const unsigned n = vlan_count(k);
  if (n > 1) {
    if (wc) mask_all(*wc, F::vlan_tci1), mask_all(*wc, X::vlan_tpid1);
    k.set(F::vlan_tci, k.get(F::vlan_tci1));
    set(k, X::vlan_tpid, get(k, X::vlan_tpid1));
    k.set(F::vlan_tci1, 0);
    set(k, X::vlan_tpid1, 0);
  } else if (n == 1) {
    k.set(F::vlan_tci, 0);
    set(k, X::vlan_tpid, 0);
  }
}

void copy_vlans(const FlowKey& from, FlowKey& to) {
  for (const F f : {F::vlan_tci, F::vlan_tci1}) to.set(f, from.get(f));
  for (const X e : {X::vlan_tpid, X::vlan_tpid1}) set(to, e, get(from, e));
}

void fix_vlan_tpid(FlowKey& k) {
  if (get(k, X::vlan_tpid) == 0 && get(k, F::vlan_tci) != 0) set(k, X::vlan_tpid, ethertype::vlan);
}

std::uint32_t mpls_lse(const FlowKey& k, unsigned i) {
  if (i == 0) return static_cast<std::uint32_t>(k.word(57));
  return static_cast<std::uint32_t>(get(k, i == 1 ? X::mpls_lse1 : X::mpls_lse2));
}

void set_mpls_lse(FlowKey& k, unsigned i, std::uint32_t lse) {
  if (i == 0) return k.set_word(57, lse);
  set(k, i == 1 ? X::mpls_lse1 : X::mpls_lse2, lse);
}

void mask_mpls_lse(FlowKey& wc, unsigned i, std::uint32_t bits) { set_mpls_lse(wc, i, mpls_lse(wc, i) | bits); }

unsigned mpls_count(const FlowKey& k, FlowKey* wc) {
  if (!is_mpls(get(k, F::eth_type))) return 0;
  unsigned count = 0;
  for (unsigned i = 0; i < kMaxMplsLabels; ++i) {
    if (wc) mask_mpls_lse(*wc, i, kBottomOfStack);
    if (mpls_lse(k, i) & kBottomOfStack) return i + 1;
    if (mpls_lse(k, i) != 0) ++count;
  }
  return count;
}

void push_mpls(FlowKey& k, unsigned n, std::uint16_t type, FlowKey* wc, bool clear) {
  constexpr std::uint8_t kDefaultTtl = 64, kExplicitNull6 = 2;
  if (n > 0) {
    if (wc)
      for (unsigned i = 0; i < n; ++i) mask_mpls_lse(*wc, i, ~0u);
    for (unsigned i = n; i >= 1; --i) set_mpls_lse(k, i, mpls_lse(k, i - 1));
    set_mpls_lse(k, 0, mpls_lse(k, 1) & ~kBottomOfStack);
  } else {
    const std::uint32_t label = get(k, F::eth_type) == ethertype::ipv6 ? kExplicitNull6 : 0;
    std::uint32_t tc = 0, ttl = kDefaultTtl;
    if (is_ip_any(k)) {
      tc = static_cast<std::uint32_t>(get(k, F::ip_dscp)) & 7;
      if (wc) {
        mask_bits(*wc, F::ip_dscp, 0x3f);
        mask_all(*wc, F::nw_ttl);
      }
      if (get(k, F::nw_ttl) != 0) ttl = static_cast<std::uint32_t>(get(k, F::nw_ttl));
    }
    set_mpls_lse(k, 0, label << 12 | tc << 9 | kBottomOfStack | ttl);
    if (clear) {
      clear_l3(k);
      k.set(F::dp_hash, 0);
    }
  }
  k.set(F::eth_type, type);
}

bool pop_mpls(FlowKey& k, unsigned n, std::uint16_t type, FlowKey* wc) {
  if (n == 0) return false;
  if (n == kMaxMplsLabels) {
    if (wc) mask_mpls_lse(*wc, n - 1, kBottomOfStack);
    if (!(mpls_lse(k, n - 1) & kBottomOfStack)) return false;
  }
  if (wc)
    for (unsigned i = 1; i < n; ++i) mask_mpls_lse(*wc, i, ~0u);
  for (unsigned i = 1; i < n; ++i) set_mpls_lse(k, i - 1, mpls_lse(k, i));
  set_mpls_lse(k, n - 1, 0);
  k.set(F::eth_type, type);
  return true;
}

void clear_ct(FlowKey& k) {
  for (const F f : {F::ct_state, F::ct_zone, F::ct_mark, F::ct_label, F::ct_nw_proto, F::ct_tp_src, F::ct_tp_dst}) k.set(f, 0);
  if (get(k, F::eth_type) == ethertype::ipv4) {
    k.set(F::ct_nw_src, 0);
    k.set(F::ct_nw_dst, 0);
  } else if (get(k, F::eth_type) == ethertype::ipv6) {
    k.set(F::ct_ipv6_src, 0);
    k.set(F::ct_ipv6_dst, 0);
  }
}

void clear_tunnel(FlowKey& k) {
  clear_words(k, kTunnel, kTunnelEnd);
  clear_words(k, kTunnelPresent, kTunnelHeader + 1);
}

void copy_tunnel(const FlowKey& from, FlowKey& to) {
  copy_words(from, to, kTunnel, kTunnelEnd);
  copy_words(from, to, kTunnelPresent, kTunnelHeader + 1);
}

bool same_tunnel(const FlowKey& a, const FlowKey& b) {
  for (std::size_t i = kTunnel; i < kTunnelEnd; ++i)
    if (a.word(i) != b.word(i)) return false;
  return a.word(kTunnelPresent) == b.word(kTunnelPresent) && a.word(kTunnelHeader) == b.word(kTunnelHeader);
}

bool is_stp(const FlowKey& k) {
  constexpr std::uint64_t kBridges = 0x0180c2000000, kNoType = 0x5ff;  // of a frame with a length instead
  return get(k, F::eth_type) == kNoType && get(k, F::eth_dst) == kBridges;
}

bool has_tunnel_destination(const FlowKey& k) { return k.get(F::tun_dst) != 0 || k.get(F::tun_ipv6_dst) != 0; }

void clear_registers(FlowKey& k) { clear_words(k, kRegisters, kRegisterWords); }
void copy_registers(const FlowKey& from, FlowKey& to) { copy_words(from, to, kRegisters, kRegisterWords); }

void copy_headers(const FlowKey& from, FlowKey& to) {
  copy_words(from, to, kHeaders, kTunnelPresent);
  for (const F f : {F::ct_nw_src, F::ct_nw_dst, F::ct_ipv6_src, F::ct_ipv6_dst, F::ct_tp_src, F::ct_tp_dst})
    to.set(f, from.get(f));
}

void clear_headers(FlowKey& k) {
  clear_words(k, kHeaders, kTunnelPresent);
  for (const F f : {F::ct_nw_src, F::ct_nw_dst, F::ct_ipv6_src, F::ct_ipv6_dst, F::ct_tp_src, F::ct_tp_dst}) k.set(f, 0);
}

void clear_l3(FlowKey& k) {
  clear_words(k, kL3, kVlanTypes);
  for (const F f : {F::ct_nw_src, F::ct_nw_dst, F::ct_ipv6_src, F::ct_ipv6_dst, F::ct_tp_src, F::ct_tp_dst}) k.set(f, 0);
}

void copy_l3(const FlowKey& from, FlowKey& to) { copy_words(from, to, kL3, kVlanTypes); }

}  // namespace egt::engine::ofproto
