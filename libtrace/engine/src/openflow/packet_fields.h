// struct flow of Open vSwitch and its masks on a FlowKey: which fields a packet has, and what reading or writing one
// looks at (lib/flow.c, lib/meta-flow.c). A mask is a FlowKey whose set bits are those that a decision depended on.
#pragma once

#include <cstdint>

#include "egtrace/engine/openflow/trace.h"
#include "egtrace/openflow/prerequisites.h"
#include "egtrace/packet/packet.h"

namespace egt::engine::ofproto {

using F = FieldId;
using X = Extra;

constexpr std::uint16_t kVlanPresent = 0x1000, kVlanVid = 0x0fff, kVlanPcp = 0xe000;
constexpr unsigned kMaxMplsLabels = 3;
constexpr std::uint8_t kDscp = 0xfc, kEcn = 0x03;
namespace tunnel_flag {  // bits of tun_header_flags; tun_flags holds "oam"
constexpr std::uint16_t df = 2, csum = 4, key = 8;
}
namespace packet_type {
constexpr std::uint32_t ethernet = 0, nsh = 0x1894f, ipv4 = 0x10800, ipv6 = 0x186dd, mpls = 0x18847, mplsm = 0x18848;
}

inline std::uint64_t get(const FlowKey& k, F f) { return k.u64(f); }
inline void mask_all(FlowKey& m, F f) { m.set(f, ~U128{0}); }
inline void mask_all(FlowKey& m, X e) { set(m, e, ~std::uint64_t{0}); }
inline void mask_bits(FlowKey& m, F f, U128 bits) { m.set(f, m.get(f) | bits); }

using openflow::dl_type;
using openflow::is_icmpv4;
using openflow::is_icmpv6;
using openflow::is_ip_any;
using openflow::is_mpls;
using openflow::is_nd;
using openflow::prerequisites_met;
inline bool is_vlan_type(std::uint64_t type) { return type == ethertype::vlan || type == ethertype::qinq; }
// All bits that a write of the whole field writes: with vlan_vid also whether there is a tag.
U128 exact_mask(F f);
// nw_tos is the DSCP of a byte that holds the ECN, too.
U128 read(const FlowKey& k, const Subfield& s);
// Writes into a packet (or, for its masks, into a mask), with what comes along: a VLAN's type, a tunnel option's
// presence.
void write(FlowKey& k, const Subfield& s, U128 value);
void write_masked(FlowKey& k, F f, U128 value, U128 mask);
// mf_mask_field_masked, mf_write_subfield_flow of ones.
void unwildcard(FlowKey& wc, F f, U128 mask);
void unwildcard(FlowKey& wc, const Subfield& s);
bool is_register_or_metadata(F f);  // travels in a frozen state: needs no look when thawed
bool is_tunnel_field(F f);
bool is_l3_or_higher(F f);  // mf_is_l3_or_higher(): labels are not

// A packet with what flow_extract() would add to the fields that OpenFlow names: types of its VLAN tags, presence of its
// tunnel options, of which it keeps what the bridge's TLV map names.
FlowKey as_extracted(const FlowKey& packet, const openflow::Bridge& bridge);

// Whether the metadata of an NSH header is of type 1 (RFC 8300).
bool has_fixed_context(const FlowKey& nsh);

// --- VLAN tags and MPLS labels
inline constexpr std::uint32_t kTagBytes = 4, kLabelBytes = 4;
unsigned vlan_count(const FlowKey& k);
void push_vlan(FlowKey& k, FlowKey* wc);
void pop_vlan(FlowKey& k, FlowKey* wc);
void fix_vlan_tpid(FlowKey& k);
void copy_vlans(const FlowKey& from, FlowKey& to);
std::uint32_t mpls_lse(const FlowKey& k, unsigned i);
void set_mpls_lse(FlowKey& k, unsigned i, std::uint32_t lse);
void mask_mpls_lse(FlowKey& wc, unsigned i, std::uint32_t bits);
unsigned mpls_count(const FlowKey& k, FlowKey* wc);
void push_mpls(FlowKey& k, unsigned n, std::uint16_t type, FlowKey* wc, bool clear_l3);
bool pop_mpls(FlowKey& k, unsigned n, std::uint16_t type, FlowKey* wc);

void clear_ct(FlowKey& k);  // flow_clear_conntrack
void clear_tunnel(FlowKey& k);
void copy_tunnel(const FlowKey& from, FlowKey& to);
void clear_registers(FlowKey& k);
void copy_registers(const FlowKey& from, FlowKey& to);
bool same_tunnel(const FlowKey& a, const FlowKey& b);
bool is_stp(const FlowKey& k);  // to the group address of bridges
bool has_tunnel_destination(const FlowKey& k);
// Everything from the Ethernet header on, or from the network header on.
void copy_headers(const FlowKey& from, FlowKey& to);
void clear_headers(FlowKey& k);
void clear_l3(FlowKey& k);
void copy_l3(const FlowKey& from, FlowKey& to);

}  // namespace egt::engine::ofproto
