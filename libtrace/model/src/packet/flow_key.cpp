// The field table and the layout of FlowKey's words.
//
// Words 0 to 15 are the registers, two a word; then metadata, tunnel, connection tracking, headers from the outside in.
// Fields that overlap in Open vSwitch (struct flow) overlap here. Rows follow include/openvswitch/meta-flow.h.
#include "egtrace/packet/flow_key.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace egt {
namespace {

using F = FieldId;
using P = FieldFormat;

enum Access : std::uint8_t { kNeither, kMaskable, kWritable, kBoth };

constexpr Field row(F id, std::string_view name, std::string_view alias, std::string_view nxm_name, std::uint16_t bits,
                    std::uint8_t word, std::uint8_t shift, Access access, P format, std::uint32_t oxm_header) {
  return {id,     name,      alias, name, nxm_name, bits, word, shift, (access & kMaskable) != 0, (access & kWritable) != 0,
          format, oxm_header};
}

// For the few fields whose name in a match differs from the one in set_field, which is then the alias.
constexpr Field renamed(F id, std::string_view name, std::string_view alias, std::string_view nxm_name, std::uint16_t bits,
                        std::uint8_t word, std::uint8_t shift, Access access, P format, std::uint32_t oxm_header) {
  Field f = row(id, name, alias, nxm_name, bits, word, shift, access, format, oxm_header);
  f.set_name = alias;
  return f;
}

constexpr std::size_t kFieldCount = static_cast<std::size_t>(F::count_);

// clang-format off
constexpr std::array<Field, kFieldCount> kFields = {{
    row(F::dp_hash, "dp_hash", "", "NXM_NX_DP_HASH", 32, 19, 0, kMaskable, P::hexadecimal, 0x00014600),
    row(F::recirc_id, "recirc_id", "", "NXM_NX_RECIRC_ID", 32, 19, 32, kNeither, P::decimal, 0x00014800),
    row(F::packet_type, "packet_type", "", "OXM_OF_PACKET_TYPE", 32, 20, 0, kNeither, P::packet_type, 0x80005800),
    row(F::conj_id, "conj_id", "", "NXM_NX_CONJ_ID", 32, 20, 32, kNeither, P::decimal, 0x00014a00),
    row(F::tun_id, "tun_id", "tunnel_id", "NXM_NX_TUN_ID", 64, 21, 0, kBoth, P::hexadecimal, 0x00012000),
    row(F::tun_src, "tun_src", "", "NXM_NX_TUN_IPV4_SRC", 32, 22, 32, kBoth, P::ipv4, 0x00013e00),
    row(F::tun_dst, "tun_dst", "", "NXM_NX_TUN_IPV4_DST", 32, 22, 0, kBoth, P::ipv4, 0x00014000),
    row(F::tun_ipv6_src, "tun_ipv6_src", "", "NXM_NX_TUN_IPV6_SRC", 128, 23, 0, kBoth, P::ipv6, 0x0001da00),
    row(F::tun_ipv6_dst, "tun_ipv6_dst", "", "NXM_NX_TUN_IPV6_DST", 128, 25, 0, kBoth, P::ipv6, 0x0001dc00),
    row(F::tun_flags, "tun_flags", "", "NXM_NX_TUN_FLAGS", 1, 27, 0, kBoth, P::tnl_flags, 0x0001d000),
    row(F::tun_ttl, "tun_ttl", "", "", 8, 27, 8, kNeither, P::decimal, 0),
    row(F::tun_tos, "tun_tos", "", "", 8, 27, 16, kNeither, P::decimal, 0),
    row(F::tun_gbp_id, "tun_gbp_id", "", "NXM_NX_TUN_GBP_ID", 16, 27, 24, kBoth, P::decimal, 0x00014c00),
    row(F::tun_gbp_flags, "tun_gbp_flags", "", "NXM_NX_TUN_GBP_FLAGS", 8, 27, 40, kBoth, P::hexadecimal, 0x00014e00),
    row(F::tun_erspan_idx, "tun_erspan_idx", "", "NXOXM_ET_ERSPAN_IDX", 20, 28, 0, kBoth, P::hexadecimal, 0),
    row(F::tun_erspan_ver, "tun_erspan_ver", "", "NXOXM_ET_ERSPAN_VER", 4, 28, 32, kBoth, P::decimal, 0),
    row(F::tun_erspan_dir, "tun_erspan_dir", "", "NXOXM_ET_ERSPAN_DIR", 1, 28, 40, kBoth, P::decimal, 0),
    row(F::tun_erspan_hwid, "tun_erspan_hwid", "", "NXOXM_ET_ERSPAN_HWID", 6, 28, 48, kBoth, P::hexadecimal, 0),
    row(F::tun_gtpu_flags, "tun_gtpu_flags", "", "NXOXM_ET_GTPU_FLAGS", 8, 27, 48, kMaskable, P::hexadecimal, 0),
    row(F::tun_gtpu_msgtype, "tun_gtpu_msgtype", "", "NXOXM_ET_GTPU_MSGTYPE", 8, 27, 56, kMaskable, P::decimal, 0),
    row(F::tun_metadata0, "tun_metadata0", "", "NXM_NX_TUN_METADATA0", 128, 29, 0, kBoth, P::hexadecimal, 0x00015000),
    row(F::tun_metadata1, "tun_metadata1", "", "NXM_NX_TUN_METADATA1", 128, 31, 0, kBoth, P::hexadecimal, 0x00015200),
    row(F::tun_metadata2, "tun_metadata2", "", "NXM_NX_TUN_METADATA2", 128, 33, 0, kBoth, P::hexadecimal, 0x00015400),
    row(F::tun_metadata3, "tun_metadata3", "", "NXM_NX_TUN_METADATA3", 128, 35, 0, kBoth, P::hexadecimal, 0x00015600),
    row(F::tun_metadata4, "tun_metadata4", "", "NXM_NX_TUN_METADATA4", 128, 37, 0, kBoth, P::hexadecimal, 0x00015800),
    row(F::tun_metadata5, "tun_metadata5", "", "NXM_NX_TUN_METADATA5", 128, 39, 0, kBoth, P::hexadecimal, 0x00015a00),
    row(F::tun_metadata6, "tun_metadata6", "", "NXM_NX_TUN_METADATA6", 128, 41, 0, kBoth, P::hexadecimal, 0x00015c00),
    row(F::tun_metadata7, "tun_metadata7", "", "NXM_NX_TUN_METADATA7", 128, 43, 0, kBoth, P::hexadecimal, 0x00015e00),
    row(F::metadata, "metadata", "", "OXM_OF_METADATA", 64, 16, 0, kBoth, P::hexadecimal, 0x80000400),
    row(F::in_port, "in_port", "", "NXM_OF_IN_PORT", 16, 17, 0, kWritable, P::of10_port, 0),
    row(F::in_port_oxm, "in_port_oxm", "", "OXM_OF_IN_PORT", 32, 17, 0, kWritable, P::of11_port, 0x80000000),
    row(F::actset_output, "actset_output", "", "ONFOXM_ET_ACTSET_OUTPUT", 32, 17, 32, kNeither, P::of11_port, 0),
    row(F::skb_priority, "skb_priority", "", "", 32, 18, 32, kNeither, P::hexadecimal, 0),
    row(F::pkt_mark, "pkt_mark", "", "NXM_NX_PKT_MARK", 32, 18, 0, kBoth, P::hexadecimal, 0x00014200),
    row(F::ct_state, "ct_state", "", "NXM_NX_CT_STATE", 32, 45, 0, kMaskable, P::ct_state, 0x0001d200),
    row(F::ct_zone, "ct_zone", "", "NXM_NX_CT_ZONE", 16, 45, 32, kNeither, P::hexadecimal, 0x0001d400),
    row(F::ct_mark, "ct_mark", "", "NXM_NX_CT_MARK", 32, 46, 0, kBoth, P::hexadecimal, 0x0001d600),
    row(F::ct_label, "ct_label", "", "NXM_NX_CT_LABEL", 128, 47, 0, kBoth, P::hexadecimal, 0x0001d800),
    row(F::ct_nw_proto, "ct_nw_proto", "", "NXM_NX_CT_NW_PROTO", 8, 45, 48, kNeither, P::decimal, 0x0001ee00),
    row(F::ct_nw_src, "ct_nw_src", "", "NXM_NX_CT_NW_SRC", 32, 49, 32, kMaskable, P::ipv4, 0x0001f000),
    row(F::ct_nw_dst, "ct_nw_dst", "", "NXM_NX_CT_NW_DST", 32, 49, 0, kMaskable, P::ipv4, 0x0001f200),
    row(F::ct_ipv6_src, "ct_ipv6_src", "", "NXM_NX_CT_IPV6_SRC", 128, 50, 0, kMaskable, P::ipv6, 0x0001f400),
    row(F::ct_ipv6_dst, "ct_ipv6_dst", "", "NXM_NX_CT_IPV6_DST", 128, 52, 0, kMaskable, P::ipv6, 0x0001f600),
    row(F::ct_tp_src, "ct_tp_src", "", "NXM_NX_CT_TP_SRC", 16, 46, 32, kMaskable, P::decimal, 0x0001f800),
    row(F::ct_tp_dst, "ct_tp_dst", "", "NXM_NX_CT_TP_DST", 16, 46, 48, kMaskable, P::decimal, 0x0001fa00),
    row(F::reg0, "reg0", "", "NXM_NX_REG0", 32, 0, 32, kBoth, P::hexadecimal, 0x00010000),
    row(F::reg1, "reg1", "", "NXM_NX_REG1", 32, 0, 0, kBoth, P::hexadecimal, 0x00010200),
    row(F::reg2, "reg2", "", "NXM_NX_REG2", 32, 1, 32, kBoth, P::hexadecimal, 0x00010400),
    row(F::reg3, "reg3", "", "NXM_NX_REG3", 32, 1, 0, kBoth, P::hexadecimal, 0x00010600),
    row(F::reg4, "reg4", "", "NXM_NX_REG4", 32, 2, 32, kBoth, P::hexadecimal, 0x00010800),
    row(F::reg5, "reg5", "", "NXM_NX_REG5", 32, 2, 0, kBoth, P::hexadecimal, 0x00010a00),
    row(F::reg6, "reg6", "", "NXM_NX_REG6", 32, 3, 32, kBoth, P::hexadecimal, 0x00010c00),
    row(F::reg7, "reg7", "", "NXM_NX_REG7", 32, 3, 0, kBoth, P::hexadecimal, 0x00010e00),
    row(F::reg8, "reg8", "", "NXM_NX_REG8", 32, 4, 32, kBoth, P::hexadecimal, 0x00011000),
    row(F::reg9, "reg9", "", "NXM_NX_REG9", 32, 4, 0, kBoth, P::hexadecimal, 0x00011200),
    row(F::reg10, "reg10", "", "NXM_NX_REG10", 32, 5, 32, kBoth, P::hexadecimal, 0x00011400),
    row(F::reg11, "reg11", "", "NXM_NX_REG11", 32, 5, 0, kBoth, P::hexadecimal, 0x00011600),
    row(F::reg12, "reg12", "", "NXM_NX_REG12", 32, 6, 32, kBoth, P::hexadecimal, 0x00011800),
    row(F::reg13, "reg13", "", "NXM_NX_REG13", 32, 6, 0, kBoth, P::hexadecimal, 0x00011a00),
    row(F::reg14, "reg14", "", "NXM_NX_REG14", 32, 7, 32, kBoth, P::hexadecimal, 0x00011c00),
    row(F::reg15, "reg15", "", "NXM_NX_REG15", 32, 7, 0, kBoth, P::hexadecimal, 0x00011e00),
    row(F::reg16, "reg16", "", "NXOXM_ET_REG16", 32, 8, 32, kBoth, P::hexadecimal, 0),
    row(F::reg17, "reg17", "", "NXOXM_ET_REG17", 32, 8, 0, kBoth, P::hexadecimal, 0),
    row(F::reg18, "reg18", "", "NXOXM_ET_REG18", 32, 9, 32, kBoth, P::hexadecimal, 0),
    row(F::reg19, "reg19", "", "NXOXM_ET_REG19", 32, 9, 0, kBoth, P::hexadecimal, 0),
    row(F::reg20, "reg20", "", "NXOXM_ET_REG20", 32, 10, 32, kBoth, P::hexadecimal, 0),
    row(F::reg21, "reg21", "", "NXOXM_ET_REG21", 32, 10, 0, kBoth, P::hexadecimal, 0),
    row(F::reg22, "reg22", "", "NXOXM_ET_REG22", 32, 11, 32, kBoth, P::hexadecimal, 0),
    row(F::reg23, "reg23", "", "NXOXM_ET_REG23", 32, 11, 0, kBoth, P::hexadecimal, 0),
    row(F::reg24, "reg24", "", "NXOXM_ET_REG24", 32, 12, 32, kBoth, P::hexadecimal, 0),
    row(F::reg25, "reg25", "", "NXOXM_ET_REG25", 32, 12, 0, kBoth, P::hexadecimal, 0),
    row(F::reg26, "reg26", "", "NXOXM_ET_REG26", 32, 13, 32, kBoth, P::hexadecimal, 0),
    row(F::reg27, "reg27", "", "NXOXM_ET_REG27", 32, 13, 0, kBoth, P::hexadecimal, 0),
    row(F::reg28, "reg28", "", "NXOXM_ET_REG28", 32, 14, 32, kBoth, P::hexadecimal, 0),
    row(F::reg29, "reg29", "", "NXOXM_ET_REG29", 32, 14, 0, kBoth, P::hexadecimal, 0),
    row(F::reg30, "reg30", "", "NXOXM_ET_REG30", 32, 15, 32, kBoth, P::hexadecimal, 0),
    row(F::reg31, "reg31", "", "NXOXM_ET_REG31", 32, 15, 0, kBoth, P::hexadecimal, 0),
    row(F::xreg0, "xreg0", "", "OXM_OF_PKT_REG0", 64, 0, 0, kBoth, P::hexadecimal, 0x80010000),
    row(F::xreg1, "xreg1", "", "OXM_OF_PKT_REG1", 64, 1, 0, kBoth, P::hexadecimal, 0x80010200),
    row(F::xreg2, "xreg2", "", "OXM_OF_PKT_REG2", 64, 2, 0, kBoth, P::hexadecimal, 0x80010400),
    row(F::xreg3, "xreg3", "", "OXM_OF_PKT_REG3", 64, 3, 0, kBoth, P::hexadecimal, 0x80010600),
    row(F::xreg4, "xreg4", "", "OXM_OF_PKT_REG4", 64, 4, 0, kBoth, P::hexadecimal, 0x80010800),
    row(F::xreg5, "xreg5", "", "OXM_OF_PKT_REG5", 64, 5, 0, kBoth, P::hexadecimal, 0x80010a00),
    row(F::xreg6, "xreg6", "", "OXM_OF_PKT_REG6", 64, 6, 0, kBoth, P::hexadecimal, 0x80010c00),
    row(F::xreg7, "xreg7", "", "OXM_OF_PKT_REG7", 64, 7, 0, kBoth, P::hexadecimal, 0x80010e00),
    row(F::xreg8, "xreg8", "", "OXM_OF_PKT_REG8", 64, 8, 0, kBoth, P::hexadecimal, 0x80011000),
    row(F::xreg9, "xreg9", "", "OXM_OF_PKT_REG9", 64, 9, 0, kBoth, P::hexadecimal, 0x80011200),
    row(F::xreg10, "xreg10", "", "OXM_OF_PKT_REG10", 64, 10, 0, kBoth, P::hexadecimal, 0x80011400),
    row(F::xreg11, "xreg11", "", "OXM_OF_PKT_REG11", 64, 11, 0, kBoth, P::hexadecimal, 0x80011600),
    row(F::xreg12, "xreg12", "", "OXM_OF_PKT_REG12", 64, 12, 0, kBoth, P::hexadecimal, 0x80011800),
    row(F::xreg13, "xreg13", "", "OXM_OF_PKT_REG13", 64, 13, 0, kBoth, P::hexadecimal, 0x80011a00),
    row(F::xreg14, "xreg14", "", "OXM_OF_PKT_REG14", 64, 14, 0, kBoth, P::hexadecimal, 0x80011c00),
    row(F::xreg15, "xreg15", "", "OXM_OF_PKT_REG15", 64, 15, 0, kBoth, P::hexadecimal, 0x80011e00),
    row(F::xxreg0, "xxreg0", "", "NXM_NX_XXREG0", 128, 0, 0, kBoth, P::hexadecimal, 0x0001de00),
    row(F::xxreg1, "xxreg1", "", "NXM_NX_XXREG1", 128, 2, 0, kBoth, P::hexadecimal, 0x0001e000),
    row(F::xxreg2, "xxreg2", "", "NXM_NX_XXREG2", 128, 4, 0, kBoth, P::hexadecimal, 0x0001e200),
    row(F::xxreg3, "xxreg3", "", "NXM_NX_XXREG3", 128, 6, 0, kBoth, P::hexadecimal, 0x0001e400),
    row(F::xxreg4, "xxreg4", "", "NXOXM_ET_XXREG4", 128, 8, 0, kBoth, P::hexadecimal, 0),
    row(F::xxreg5, "xxreg5", "", "NXOXM_ET_XXREG5", 128, 10, 0, kBoth, P::hexadecimal, 0),
    row(F::xxreg6, "xxreg6", "", "NXOXM_ET_XXREG6", 128, 12, 0, kBoth, P::hexadecimal, 0),
    row(F::xxreg7, "xxreg7", "", "NXOXM_ET_XXREG7", 128, 14, 0, kBoth, P::hexadecimal, 0),
    renamed(F::eth_src, "dl_src", "eth_src", "NXM_OF_ETH_SRC", 48, 54, 0, kBoth, P::ethernet, 0x00000400),
    renamed(F::eth_dst, "dl_dst", "eth_dst", "NXM_OF_ETH_DST", 48, 55, 0, kBoth, P::ethernet, 0x00000200),
    renamed(F::eth_type, "dl_type", "eth_type", "NXM_OF_ETH_TYPE", 16, 56, 0, kNeither, P::hexadecimal, 0x00000600),
    row(F::vlan_tci, "vlan_tci", "", "NXM_OF_VLAN_TCI", 16, 56, 16, kBoth, P::hexadecimal, 0x00000800),
    row(F::dl_vlan, "dl_vlan", "", "", 12, 56, 16, kWritable, P::decimal, 0),
    row(F::vlan_vid, "vlan_vid", "", "OXM_OF_VLAN_VID", 12, 56, 16, kBoth, P::decimal, 0x80000c00),
    row(F::dl_vlan_pcp, "dl_vlan_pcp", "", "", 3, 56, 29, kWritable, P::decimal, 0),
    row(F::vlan_pcp, "vlan_pcp", "", "OXM_OF_VLAN_PCP", 3, 56, 29, kWritable, P::decimal, 0x80000e00),
    row(F::vlan_tci1, "vlan_tci1", "", "", 16, 56, 32, kMaskable, P::hexadecimal, 0),
    row(F::mpls_label, "mpls_label", "", "OXM_OF_MPLS_LABEL", 20, 57, 12, kWritable, P::decimal, 0x80004400),
    row(F::mpls_tc, "mpls_tc", "", "OXM_OF_MPLS_TC", 3, 57, 9, kWritable, P::decimal, 0x80004600),
    row(F::mpls_bos, "mpls_bos", "", "OXM_OF_MPLS_BOS", 1, 57, 8, kNeither, P::decimal, 0x80004800),
    row(F::mpls_ttl, "mpls_ttl", "", "NXM_NX_MPLS_TTL", 8, 57, 0, kWritable, P::decimal, 0x00013c00),
    renamed(F::ip_src, "nw_src", "ip_src", "NXM_OF_IP_SRC", 32, 58, 32, kBoth, P::ipv4, 0x00000e00),
    renamed(F::ip_dst, "nw_dst", "ip_dst", "NXM_OF_IP_DST", 32, 58, 0, kBoth, P::ipv4, 0x00001000),
    row(F::ipv6_src, "ipv6_src", "", "NXM_NX_IPV6_SRC", 128, 59, 0, kBoth, P::ipv6, 0x00012600),
    row(F::ipv6_dst, "ipv6_dst", "", "NXM_NX_IPV6_DST", 128, 61, 0, kBoth, P::ipv6, 0x00012800),
    row(F::ipv6_label, "ipv6_label", "", "NXM_NX_IPV6_LABEL", 20, 63, 0, kBoth, P::hexadecimal, 0x00013600),
    row(F::nw_proto, "nw_proto", "ip_proto", "NXM_OF_IP_PROTO", 8, 64, 0, kNeither, P::decimal, 0x00000c00),
    row(F::nw_tos, "nw_tos", "", "NXM_OF_IP_TOS", 8, 63, 32, kWritable, P::decimal, 0x00000a00),
    row(F::ip_dscp, "ip_dscp", "", "OXM_OF_IP_DSCP", 6, 63, 34, kWritable, P::decimal, 0x80001000),
    row(F::nw_ecn, "nw_ecn", "ip_ecn", "NXM_NX_IP_ECN", 2, 63, 32, kWritable, P::decimal, 0x00013800),
    row(F::nw_ttl, "nw_ttl", "", "NXM_NX_IP_TTL", 8, 63, 40, kWritable, P::decimal, 0x00013a00),
    renamed(F::ip_frag, "nw_frag", "ip_frag", "NXM_NX_IP_FRAG", 2, 63, 48, kMaskable, P::frag, 0x00013400),
    row(F::arp_op, "arp_op", "", "NXM_OF_ARP_OP", 16, 64, 0, kWritable, P::decimal, 0x00001e00),
    row(F::arp_spa, "arp_spa", "", "NXM_OF_ARP_SPA", 32, 58, 32, kBoth, P::ipv4, 0x00002000),
    row(F::arp_tpa, "arp_tpa", "", "NXM_OF_ARP_TPA", 32, 58, 0, kBoth, P::ipv4, 0x00002200),
    row(F::arp_sha, "arp_sha", "", "NXM_NX_ARP_SHA", 48, 65, 0, kBoth, P::ethernet, 0x00012200),
    row(F::arp_tha, "arp_tha", "", "NXM_NX_ARP_THA", 48, 66, 0, kBoth, P::ethernet, 0x00012400),
    row(F::tcp_src, "tcp_src", "", "NXM_OF_TCP_SRC", 16, 64, 32, kBoth, P::decimal, 0x00001200),
    row(F::tcp_dst, "tcp_dst", "", "NXM_OF_TCP_DST", 16, 64, 48, kBoth, P::decimal, 0x00001400),
    row(F::tcp_flags, "tcp_flags", "", "NXM_NX_TCP_FLAGS", 12, 64, 16, kMaskable, P::tcp_flags, 0x00014400),
    row(F::udp_src, "udp_src", "", "NXM_OF_UDP_SRC", 16, 64, 32, kBoth, P::decimal, 0x00001600),
    row(F::udp_dst, "udp_dst", "", "NXM_OF_UDP_DST", 16, 64, 48, kBoth, P::decimal, 0x00001800),
    row(F::sctp_src, "sctp_src", "", "OXM_OF_SCTP_SRC", 16, 64, 32, kBoth, P::decimal, 0x80002200),
    row(F::sctp_dst, "sctp_dst", "", "OXM_OF_SCTP_DST", 16, 64, 48, kBoth, P::decimal, 0x80002400),
    row(F::tp_src, "tp_src", "", "", 16, 64, 32, kBoth, P::decimal, 0),
    row(F::tp_dst, "tp_dst", "", "", 16, 64, 48, kBoth, P::decimal, 0),
    row(F::icmp_type, "icmp_type", "", "NXM_OF_ICMP_TYPE", 8, 64, 32, kWritable, P::decimal, 0x00001a00),
    row(F::icmp_code, "icmp_code", "", "NXM_OF_ICMP_CODE", 8, 64, 48, kWritable, P::decimal, 0x00001c00),
    row(F::icmpv6_type, "icmpv6_type", "", "NXM_NX_ICMPV6_TYPE", 8, 64, 32, kWritable, P::decimal, 0x00012a00),
    row(F::icmpv6_code, "icmpv6_code", "", "NXM_NX_ICMPV6_CODE", 8, 64, 48, kWritable, P::decimal, 0x00012c00),
    row(F::nd_target, "nd_target", "", "NXM_NX_ND_TARGET", 128, 67, 0, kBoth, P::ipv6, 0x00012e00),
    row(F::nd_sll, "nd_sll", "", "NXM_NX_ND_SLL", 48, 65, 0, kBoth, P::ethernet, 0x00013000),
    row(F::nd_tll, "nd_tll", "", "NXM_NX_ND_TLL", 48, 66, 0, kBoth, P::ethernet, 0x00013200),
    row(F::nd_reserved, "nd_reserved", "", "ERICOXM_OF_ICMPV6_ND_RESERVED", 32, 71, 0, kWritable, P::decimal, 0x10000200),
    row(F::nd_options_type, "nd_options_type", "", "ERICOXM_OF_ICMPV6_ND_OPTIONS_TYPE", 8, 71, 32, kWritable, P::decimal, 0x10000400),
    row(F::nsh_flags, "nsh_flags", "", "NXOXM_NSH_FLAGS", 8, 72, 0, kBoth, P::decimal, 0),
    row(F::nsh_mdtype, "nsh_mdtype", "", "NXOXM_NSH_MDTYPE", 8, 72, 8, kNeither, P::decimal, 0),
    row(F::nsh_np, "nsh_np", "", "NXOXM_NSH_NP", 8, 72, 16, kNeither, P::decimal, 0),
    row(F::nsh_spi, "nsh_spi", "nsp", "NXOXM_NSH_SPI", 24, 72, 40, kWritable, P::hexadecimal, 0),
    row(F::nsh_si, "nsh_si", "nsi", "NXOXM_NSH_SI", 8, 72, 24, kWritable, P::decimal, 0),
    row(F::nsh_c1, "nsh_c1", "nshc1", "NXOXM_NSH_C1", 32, 73, 32, kBoth, P::hexadecimal, 0),
    row(F::nsh_c2, "nsh_c2", "nshc2", "NXOXM_NSH_C2", 32, 73, 0, kBoth, P::hexadecimal, 0),
    row(F::nsh_c3, "nsh_c3", "nshc3", "NXOXM_NSH_C3", 32, 74, 32, kBoth, P::hexadecimal, 0),
    row(F::nsh_c4, "nsh_c4", "nshc4", "NXOXM_NSH_C4", 32, 74, 0, kBoth, P::hexadecimal, 0),
    row(F::nsh_ttl, "nsh_ttl", "", "NXOXM_NSH_TTL", 8, 72, 32, kWritable, P::decimal, 0),
    row(F::icmp_id, "icmp_id", "", "", 16, 71, 40, kNeither, P::decimal, 0),
}};

struct Synonym {
  std::string_view name;
  std::uint32_t oxm_header;  // 0: none of 32 bits (experimenter class)
  F id;
};

// Second wire names of fields that the table lists under an older one.
constexpr Synonym kSynonyms[] = {
    {"NXOXM_ET_DP_HASH", 0x00000000, F::dp_hash},
    {"OXM_OF_TUNNEL_ID", 0x80004c00, F::tun_id},
    {"OXM_OF_ETH_SRC", 0x80000800, F::eth_src},
    {"OXM_OF_ETH_DST", 0x80000600, F::eth_dst},
    {"OXM_OF_ETH_TYPE", 0x80000a00, F::eth_type},
    {"OXM_OF_IPV4_SRC", 0x80001600, F::ip_src},
    {"OXM_OF_IPV4_DST", 0x80001800, F::ip_dst},
    {"OXM_OF_IPV6_SRC", 0x80003400, F::ipv6_src},
    {"OXM_OF_IPV6_DST", 0x80003600, F::ipv6_dst},
    {"OXM_OF_IPV6_FLABEL", 0x80003800, F::ipv6_label},
    {"OXM_OF_IP_PROTO", 0x80001400, F::nw_proto},
    {"OXM_OF_IP_ECN", 0x80001200, F::nw_ecn},
    {"OXM_OF_ARP_OP", 0x80002a00, F::arp_op},
    {"OXM_OF_ARP_SPA", 0x80002c00, F::arp_spa},
    {"OXM_OF_ARP_TPA", 0x80002e00, F::arp_tpa},
    {"OXM_OF_ARP_SHA", 0x80003000, F::arp_sha},
    {"OXM_OF_ARP_THA", 0x80003200, F::arp_tha},
    {"OXM_OF_TCP_SRC", 0x80001a00, F::tcp_src},
    {"OXM_OF_TCP_DST", 0x80001c00, F::tcp_dst},
    {"ONFOXM_ET_TCP_FLAGS", 0x00000000, F::tcp_flags},
    {"OXM_OF_UDP_SRC", 0x80001e00, F::udp_src},
    {"OXM_OF_UDP_DST", 0x80002000, F::udp_dst},
    {"OXM_OF_ICMPV4_TYPE", 0x80002600, F::icmp_type},
    {"OXM_OF_ICMPV4_CODE", 0x80002800, F::icmp_code},
    {"OXM_OF_ICMPV6_TYPE", 0x80003a00, F::icmpv6_type},
    {"OXM_OF_ICMPV6_CODE", 0x80003c00, F::icmpv6_code},
    {"OXM_OF_IPV6_ND_TARGET", 0x80003e00, F::nd_target},
    {"OXM_OF_IPV6_ND_SLL", 0x80004000, F::nd_sll},
    {"OXM_OF_IPV6_ND_TLL", 0x80004200, F::nd_tll},
};
// clang-format on

constexpr bool table_is_in_order() {
  for (std::size_t i = 0; i < kFields.size(); ++i)
    if (static_cast<std::size_t>(kFields[i].id) != i) return false;
  return true;
}
static_assert(table_is_in_order());

constexpr bool table_fits() {
  return std::all_of(kFields.begin(), kFields.end(), [](const Field& f) {
    const std::size_t words = f.bits > 64 ? 2 : 1;
    return f.word + words <= kFlowKeyWords && (f.bits > 64 ? f.shift == 0 : f.shift + f.bits <= 64);
  });
}
static_assert(table_fits());

constexpr std::uint32_t kVlanPresent = 0x1000;  // CFI, by which Open vSwitch distinguishes tag 0 from no tag
constexpr std::uint32_t kOxmPortBase = 0xffffff00;

// Bits of a field that really are its own where that differs from ones(bits): nw_tos leaves ECN alone, and vlan_vid
// carries the bit "a tag is present" above its twelve.
constexpr U128 own_bits(F id, std::uint16_t bits) {
  if (id == F::nw_tos) return 0xfc;
  if (id == F::vlan_vid) return 0x1fff;
  return ones(bits);
}

using NameMap = std::unordered_map<std::string_view, F>;

const NameMap& names() {
  static const NameMap map = [] {
    NameMap m;
    for (const Field& f : kFields)
      for (const std::string_view n : {f.name, f.alias, f.nxm_name})
        if (!n.empty()) m.emplace(n, f.id);
    for (const Synonym& s : kSynonyms) m.emplace(s.name, s.id);
    return m;
  }();
  return map;
}

// Bits of word `i` between `from` and `from + n` of a value that starts at `shift` of that word.
struct WordPart {
  std::size_t word;
  unsigned shift;  // inside the word
  unsigned bits;
  unsigned at;  // lowest bit inside the subfield's value
};

// A subfield as one part, or two when it crosses the middle of a wide field.
struct Parts {
  WordPart part[2];
  unsigned count = 0;
};

Parts parts_of(const Field& f, unsigned first, unsigned bits) {
  Parts p;
  if (f.bits <= 64) {
    p.part[p.count++] = {f.word, f.shift + first, bits, 0};
    return p;
  }
  const unsigned low = first < 64 ? std::min(bits, 64 - first) : 0;
  if (low) p.part[p.count++] = {f.word + std::size_t{1}, first, low, 0};
  if (low < bits) p.part[p.count++] = {f.word, first + low - 64, bits - low, low};
  return p;
}

// Cuts a subfield to its field, so that a broken dump cannot reach beyond a word.
Subfield clipped(const Subfield& s, unsigned field_bits) {
  const auto first = static_cast<std::uint16_t>(std::min<unsigned>(s.first, field_bits));
  const auto bits = static_cast<std::uint16_t>(std::min<unsigned>(s.bits, field_bits - first));
  return {s.field, first, bits};
}

constexpr bool is_overlay(F id) {
  if (id >= F::xreg0 && id <= F::xxreg7) return true;
  switch (id) {
    case F::in_port_oxm:
    case F::dl_vlan:
    case F::vlan_vid:
    case F::dl_vlan_pcp:
    case F::vlan_pcp:
    case F::nw_tos:
    case F::arp_op:
    case F::nd_sll:
    case F::nd_tll:
    case F::arp_spa:
    case F::arp_tpa:
    case F::tcp_src:
    case F::tcp_dst:
    case F::udp_src:
    case F::udp_dst:
    case F::sctp_src:
    case F::sctp_dst:
    case F::icmp_type:
    case F::icmp_code:
    case F::icmpv6_type:
    case F::icmpv6_code: return true;
    default: return false;
  }
}

bool differs(const Field& f, const FlowKey& a, const FlowKey& b) {
  if (f.bits > 64) return a.word(f.word) != b.word(f.word) || a.word(f.word + 1u) != b.word(f.word + 1u);
  const U128 mask = f.id == F::nw_proto ? ones(16) : ones(f.bits);  // arp_op is wider
  return ((a.word(f.word) ^ b.word(f.word)) >> f.shift) & low64(mask);
}

// The name that shared bits have in a packet of this kind.
F name_in(const FlowKey& k, F id) {
  const bool arp = k.u64(F::eth_type) == ethertype::arp || k.u64(F::eth_type) == ethertype::rarp;
  const auto proto = k.u64(F::nw_proto);
  if (id == F::nw_proto) return arp ? F::arp_op : id;
  if (id == F::ip_src) return arp ? F::arp_spa : id;
  if (id == F::ip_dst) return arp ? F::arp_tpa : id;
  if (id == F::arp_sha) return proto == ip_proto::icmp6 ? F::nd_sll : id;
  if (id == F::arp_tha) return proto == ip_proto::icmp6 ? F::nd_tll : id;
  if (id == F::tp_src) return proto == ip_proto::icmp ? F::icmp_type : proto == ip_proto::icmp6 ? F::icmpv6_type : id;
  if (id == F::tp_dst) return proto == ip_proto::icmp ? F::icmp_code : proto == ip_proto::icmp6 ? F::icmpv6_code : id;
  return id;
}

// Which fields lie in a word, overlays left out; those of two words are listed at both.
struct FieldsOfWord {
  static constexpr std::size_t kMost = 8;
  std::array<F, kMost> ids{};
  std::size_t count = 0;
};

constexpr std::array<FieldsOfWord, kFlowKeyWords> kFieldsOfWords = [] {
  std::array<FieldsOfWord, kFlowKeyWords> all{};
  for (const Field& f : kFields) {
    if (is_overlay(f.id)) continue;
    for (std::size_t word = f.word; word <= f.word + (f.bits > 64 ? 1U : 0U); ++word) all[word].ids[all[word].count++] = f.id;
  }
  return all;
}();

}  // namespace

WordRun words_of(FieldId id) {
  const Field& f = field(id);
  return {f.word, f.bits > 64 ? std::size_t{2} : std::size_t{1}};
}

std::vector<FieldId> differing_fields(const FlowKey& a, const FlowKey& b, WordRun within) {
  std::vector<FieldId> found;
  find_differing_fields(a, b, within, found);
  return found;
}

void find_differing_fields(const FlowKey& a, const FlowKey& b, WordRun within, std::vector<FieldId>& found) {
  found.clear();
  for (std::size_t i = within.first; i < within.first + within.count; ++i) {
    if (a.word(i) == b.word(i)) continue;
    const FieldsOfWord& fields = kFieldsOfWords[i];
    for (std::size_t j = 0; j < fields.count; ++j)
      if (differs(kFields[static_cast<std::size_t>(fields.ids[j])], a, b)) found.push_back(fields.ids[j]);
  }
  if (found.size() > 1) {  // words come in another order than fields
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
  }
  for (FieldId& id : found) id = name_in(a, id);
}

const Field& field(FieldId id) { return kFields[static_cast<std::size_t>(id)]; }

const Field* find_field(std::string_view name) {
  const auto it = names().find(name);
  return it == names().end() ? nullptr : &field(it->second);
}

const Field* find_field_by_oxm(std::uint32_t header) {
  const std::uint32_t key = header & 0xfffffe00;
  if (key == 0) return &field(F::in_port);  // NXM_OF_IN_PORT is class 0, field 0
  for (const Field& f : kFields)
    if (f.oxm_header == key) return &f;
  for (const Synonym& s : kSynonyms)
    if (s.oxm_header == key) return &field(s.id);
  return nullptr;
}

Subfield whole(FieldId id) { return {id, 0, field(id).bits}; }

namespace {

constexpr bool is_special(F id) { return id == F::dl_vlan || id == F::dl_vlan_pcp || id == F::vlan_pcp || id == F::in_port_oxm; }

}  // namespace

constexpr std::array<detail::FieldPlace, kFieldCount> detail::kFieldPlaces = [] {
  std::array<FieldPlace, kFieldCount> all{};
  for (std::size_t i = 0; i < kFieldCount; ++i) {
    const Field& f = kFields[i];
    all[i] = {f.bits > 64 ? 0 : low64(own_bits(f.id, f.bits)), f.word, f.shift, f.bits <= 64 && !is_special(f.id)};
  }
  return all;
}();

void FlowKey::set_wide_or_special(FieldId id, U128 value) {
  const Field& f = field(id);
  if (f.bits > 64) {
    words_[f.word] = high64(value);
    words_[f.word + 1u] = low64(value);
    return;
  }
  if (id == F::dl_vlan && value == 0xffff) return set(F::vlan_tci, 0);
  if (id == F::in_port_oxm && value >= kOxmPortBase) value &= 0xffff;
  const std::uint64_t mask = low64(own_bits(id, f.bits)) << f.shift;
  words_[f.word] = (words_[f.word] & ~mask) | ((low64(value) << f.shift) & mask);
  if (id == F::dl_vlan || id == F::dl_vlan_pcp || id == F::vlan_pcp)
    words_[f.word] |= std::uint64_t{kVlanPresent} << field(F::vlan_tci).shift;
}

U128 FlowKey::get(const Subfield& subfield) const {
  const Field& f = field(subfield.field);
  const Subfield s = clipped(subfield, f.bits);
  U128 value = 0;
  const Parts p = parts_of(f, s.first, s.bits);
  for (unsigned i = 0; i < p.count; ++i) {
    const WordPart& w = p.part[i];
    value |= (static_cast<U128>(words_[w.word] >> w.shift) & ones(w.bits)) << w.at;
  }
  return value;
}

void FlowKey::set(const Subfield& subfield, U128 value) {
  const Field& f = field(subfield.field);
  const bool all = subfield.first == 0 && subfield.bits >= f.bits;
  if (all && subfield.field != F::vlan_vid) return set(subfield.field, value);  // vlan_vid: "present" bit stays
  const Subfield s = clipped(subfield, f.bits);
  const Parts p = parts_of(f, s.first, s.bits);
  for (unsigned i = 0; i < p.count; ++i) {
    const WordPart& w = p.part[i];
    if (w.bits == 0) continue;
    const std::uint64_t mask = low64(ones(w.bits)) << w.shift;
    words_[w.word] = (words_[w.word] & ~mask) | ((low64(value >> w.at) << w.shift) & mask);
  }
}

}  // namespace egt
