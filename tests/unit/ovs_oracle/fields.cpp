#include "fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"

namespace egt::testing {
namespace {

using namespace kind;

// clang-format off
const std::vector<FieldSpec> kFields = {
    {"dp_hash", "NXM_NX_DP_HASH", 32, Form::hexadecimal, true, false, any},
    {"packet_type", "OXM_OF_PACKET_TYPE", 32, Form::packet_type, false, false, any},
    {"conj_id", "NXM_NX_CONJ_ID", 32, Form::decimal, false, false, any},
    {"tun_id", "NXM_NX_TUN_ID", 64, Form::hexadecimal, true, true, any},
    {"tun_src", "NXM_NX_TUN_IPV4_SRC", 32, Form::ip4, true, true, any},
    {"tun_dst", "NXM_NX_TUN_IPV4_DST", 32, Form::ip4, true, true, any},
    {"tun_ipv6_src", "NXM_NX_TUN_IPV6_SRC", 128, Form::ip6, true, true, any},
    {"tun_ipv6_dst", "NXM_NX_TUN_IPV6_DST", 128, Form::ip6, true, true, any},
    {"tun_flags", "NXM_NX_TUN_FLAGS", 1, Form::tunnel_flags, true, true, any},
    {"tun_gbp_id", "NXM_NX_TUN_GBP_ID", 16, Form::decimal, true, true, any},
    {"tun_gbp_flags", "NXM_NX_TUN_GBP_FLAGS", 8, Form::hexadecimal, false, true, any},
    {"tun_erspan_idx", "NXOXM_ET_ERSPAN_IDX", 20, Form::hexadecimal, false, true, any},
    {"tun_erspan_ver", "NXOXM_ET_ERSPAN_VER", 4, Form::decimal, false, true, any},
    {"tun_erspan_dir", "NXOXM_ET_ERSPAN_DIR", 1, Form::decimal, false, true, any},
    {"tun_erspan_hwid", "NXOXM_ET_ERSPAN_HWID", 6, Form::hexadecimal, false, true, any},
    {"tun_gtpu_flags", "NXOXM_ET_GTPU_FLAGS", 8, Form::hexadecimal, false, false, any},
    {"tun_gtpu_msgtype", "NXOXM_ET_GTPU_MSGTYPE", 8, Form::decimal, false, false, any},
    {"metadata", "OXM_OF_METADATA", 64, Form::hexadecimal, true, true, any},
    {"in_port", "NXM_OF_IN_PORT", 16, Form::port, false, true, any},
    {"in_port_oxm", "OXM_OF_IN_PORT", 32, Form::port, false, true, any, "in_port", "in_port"},
    {"actset_output", "ONFOXM_ET_ACTSET_OUTPUT", 32, Form::port, false, false, any},
    {"pkt_mark", "NXM_NX_PKT_MARK", 32, Form::hexadecimal, true, true, any},
    {"ct_state", "NXM_NX_CT_STATE", 32, Form::ct_state, true, false, any},
    {"ct_zone", "NXM_NX_CT_ZONE", 16, Form::hexadecimal, false, false, any},
    {"ct_mark", "NXM_NX_CT_MARK", 32, Form::hexadecimal, true, false, any},
    {"ct_label", "NXM_NX_CT_LABEL", 128, Form::hexadecimal, true, false, any},
    {"ct_nw_proto", "NXM_NX_CT_NW_PROTO", 8, Form::decimal, false, false, ip | tracked},
    {"ct_nw_src", "NXM_NX_CT_NW_SRC", 32, Form::ip4, true, false, ip4 | tracked},
    {"ct_nw_dst", "NXM_NX_CT_NW_DST", 32, Form::ip4, true, false, ip4 | tracked},
    {"ct_ipv6_src", "NXM_NX_CT_IPV6_SRC", 128, Form::ip6, true, false, ip6 | tracked},
    {"ct_ipv6_dst", "NXM_NX_CT_IPV6_DST", 128, Form::ip6, true, false, ip6 | tracked},
    {"ct_tp_src", "NXM_NX_CT_TP_SRC", 16, Form::decimal, true, false, ip | tracked},
    {"ct_tp_dst", "NXM_NX_CT_TP_DST", 16, Form::decimal, true, false, ip | tracked},
    {"reg0", "NXM_NX_REG0", 32, Form::hexadecimal, true, true, any},
    {"reg1", "NXM_NX_REG1", 32, Form::hexadecimal, true, true, any},
    {"reg2", "NXM_NX_REG2", 32, Form::hexadecimal, true, true, any},
    {"reg3", "NXM_NX_REG3", 32, Form::hexadecimal, true, true, any},
    {"reg4", "NXM_NX_REG4", 32, Form::hexadecimal, true, true, any},
    {"reg5", "NXM_NX_REG5", 32, Form::hexadecimal, true, true, any},
    {"reg6", "NXM_NX_REG6", 32, Form::hexadecimal, true, true, any},
    {"reg7", "NXM_NX_REG7", 32, Form::hexadecimal, true, true, any},
    {"reg8", "NXM_NX_REG8", 32, Form::hexadecimal, true, true, any},
    {"reg9", "NXM_NX_REG9", 32, Form::hexadecimal, true, true, any},
    {"reg10", "NXM_NX_REG10", 32, Form::hexadecimal, true, true, any},
    {"reg11", "NXM_NX_REG11", 32, Form::hexadecimal, true, true, any},
    {"reg12", "NXM_NX_REG12", 32, Form::hexadecimal, true, true, any},
    {"reg13", "NXM_NX_REG13", 32, Form::hexadecimal, true, true, any},
    {"reg14", "NXM_NX_REG14", 32, Form::hexadecimal, true, true, any},
    {"reg15", "NXM_NX_REG15", 32, Form::hexadecimal, true, true, any},
    {"xreg0", "OXM_OF_PKT_REG0", 64, Form::hexadecimal, true, true, any},
    {"xreg1", "OXM_OF_PKT_REG1", 64, Form::hexadecimal, true, true, any},
    {"xreg2", "OXM_OF_PKT_REG2", 64, Form::hexadecimal, true, true, any},
    {"xreg3", "OXM_OF_PKT_REG3", 64, Form::hexadecimal, true, true, any},
    {"xreg4", "OXM_OF_PKT_REG4", 64, Form::hexadecimal, true, true, any},
    {"xreg5", "OXM_OF_PKT_REG5", 64, Form::hexadecimal, true, true, any},
    {"xreg6", "OXM_OF_PKT_REG6", 64, Form::hexadecimal, true, true, any},
    {"xreg7", "OXM_OF_PKT_REG7", 64, Form::hexadecimal, true, true, any},
    {"xxreg0", "NXM_NX_XXREG0", 128, Form::hexadecimal, true, true, any},
    {"xxreg1", "NXM_NX_XXREG1", 128, Form::hexadecimal, true, true, any},
    {"xxreg2", "NXM_NX_XXREG2", 128, Form::hexadecimal, true, true, any},
    {"xxreg3", "NXM_NX_XXREG3", 128, Form::hexadecimal, true, true, any},
    {"eth_src", "NXM_OF_ETH_SRC", 48, Form::mac, true, true, ethernet, nullptr, "dl_src"},
    {"eth_dst", "NXM_OF_ETH_DST", 48, Form::mac, true, true, ethernet, nullptr, "dl_dst"},
    {"eth_type", "NXM_OF_ETH_TYPE", 16, Form::hexadecimal, false, false, ethernet, nullptr, "dl_type"},
    {"vlan_tci", "NXM_OF_VLAN_TCI", 16, Form::hexadecimal, true, true, ethernet},
    {"dl_vlan", "", 12, Form::decimal, false, false, ethernet},
    {"vlan_vid", "OXM_OF_VLAN_VID", 12, Form::decimal, true, true, vlan},
    {"dl_vlan_pcp", "", 3, Form::decimal, false, false, ethernet},
    {"vlan_pcp", "OXM_OF_VLAN_PCP", 3, Form::decimal, false, true, vlan},
    {"mpls_label", "OXM_OF_MPLS_LABEL", 20, Form::decimal, false, true, mpls},
    {"mpls_tc", "OXM_OF_MPLS_TC", 3, Form::decimal, false, true, mpls},
    {"mpls_bos", "OXM_OF_MPLS_BOS", 1, Form::decimal, false, false, mpls},
    {"mpls_ttl", "NXM_NX_MPLS_TTL", 8, Form::decimal, false, true, mpls},
    {"ip_src", "NXM_OF_IP_SRC", 32, Form::ip4, true, true, ip4, nullptr, "nw_src"},
    {"ip_dst", "NXM_OF_IP_DST", 32, Form::ip4, true, true, ip4, nullptr, "nw_dst"},
    {"ipv6_src", "NXM_NX_IPV6_SRC", 128, Form::ip6, true, true, ip6},
    {"ipv6_dst", "NXM_NX_IPV6_DST", 128, Form::ip6, true, true, ip6},
    {"ipv6_label", "NXM_NX_IPV6_LABEL", 20, Form::hexadecimal, true, true, ip6},
    {"nw_proto", "NXM_OF_IP_PROTO", 8, Form::decimal, false, false, ip},
    {"nw_tos", "NXM_OF_IP_TOS", 8, Form::decimal, false, true, ip},
    {"ip_dscp", "OXM_OF_IP_DSCP", 6, Form::decimal, false, true, ip},
    {"nw_ecn", "NXM_NX_IP_ECN", 2, Form::decimal, false, true, ip},
    {"nw_ttl", "NXM_NX_IP_TTL", 8, Form::decimal, false, true, ip},
    {"ip_frag", "NXM_NX_IP_FRAG", 2, Form::fragment, true, false, ip, nullptr, "nw_frag"},
    {"arp_op", "NXM_OF_ARP_OP", 16, Form::decimal, false, true, arp},
    {"arp_spa", "NXM_OF_ARP_SPA", 32, Form::ip4, true, true, arp},
    {"arp_tpa", "NXM_OF_ARP_TPA", 32, Form::ip4, true, true, arp},
    {"arp_sha", "NXM_NX_ARP_SHA", 48, Form::mac, true, true, arp},
    {"arp_tha", "NXM_NX_ARP_THA", 48, Form::mac, true, true, arp},
    {"tcp_src", "NXM_OF_TCP_SRC", 16, Form::decimal, true, true, tcp, nullptr, "tp_src"},
    {"tcp_dst", "NXM_OF_TCP_DST", 16, Form::decimal, true, true, tcp, nullptr, "tp_dst"},
    {"tcp_flags", "NXM_NX_TCP_FLAGS", 12, Form::tcp_flags, true, false, tcp},
    {"udp_src", "NXM_OF_UDP_SRC", 16, Form::decimal, true, true, udp, nullptr, "tp_src"},
    {"udp_dst", "NXM_OF_UDP_DST", 16, Form::decimal, true, true, udp, nullptr, "tp_dst"},
    {"sctp_src", "OXM_OF_SCTP_SRC", 16, Form::decimal, true, true, sctp, nullptr, "tp_src"},
    {"sctp_dst", "OXM_OF_SCTP_DST", 16, Form::decimal, true, true, sctp, nullptr, "tp_dst"},
    {"icmp_type", "NXM_OF_ICMP_TYPE", 8, Form::decimal, false, true, icmp4},
    {"icmp_code", "NXM_OF_ICMP_CODE", 8, Form::decimal, false, true, icmp4},
    {"icmpv6_type", "NXM_NX_ICMPV6_TYPE", 8, Form::decimal, false, true, icmp6, nullptr, "icmp_type"},
    {"icmpv6_code", "NXM_NX_ICMPV6_CODE", 8, Form::decimal, false, true, icmp6, nullptr, "icmp_code"},
    {"nd_target", "NXM_NX_ND_TARGET", 128, Form::ip6, true, true, nd},
    {"nd_sll", "NXM_NX_ND_SLL", 48, Form::mac, true, true, nd_solicit},
    {"nd_tll", "NXM_NX_ND_TLL", 48, Form::mac, true, true, nd_advert},
    {"nd_reserved", "ERICOXM_OF_ICMPV6_ND_RESERVED", 32, Form::decimal, false, true, nd},
    {"nd_options_type", "ERICOXM_OF_ICMPV6_ND_OPTIONS_TYPE", 8, Form::decimal, false, true, nd},
    {"nsh_flags", "NXOXM_NSH_FLAGS", 8, Form::decimal, true, true, nsh},
    {"nsh_ttl", "NXOXM_NSH_TTL", 8, Form::decimal, false, true, nsh},
    {"nsh_mdtype", "NXOXM_NSH_MDTYPE", 8, Form::decimal, false, false, nsh},
    {"nsh_np", "NXOXM_NSH_NP", 8, Form::decimal, false, false, nsh},
    {"nsh_spi", "NXOXM_NSH_SPI", 24, Form::hexadecimal, false, true, nsh},
    {"nsh_si", "NXOXM_NSH_SI", 8, Form::decimal, false, true, nsh},
    {"nsh_c1", "NXOXM_NSH_C1", 32, Form::hexadecimal, true, true, nsh},
    {"nsh_c2", "NXOXM_NSH_C2", 32, Form::hexadecimal, true, true, nsh},
    {"nsh_c3", "NXOXM_NSH_C3", 32, Form::hexadecimal, true, true, nsh},
    {"nsh_c4", "NXOXM_NSH_C4", 32, Form::hexadecimal, true, true, nsh},
};
// clang-format on

struct Option {
  const char* name;
  const char* nxm;
  unsigned bits;
};
// One row for each of tlv_maps(). Options of more than 16 bytes are in the maps only.
const std::vector<Option> kOptions[] = {
    {},
    {{"tun_metadata5", "NXM_NX_TUN_METADATA5", 32}},
    {{"tun_metadata0", "NXM_NX_TUN_METADATA0", 32},
     {"tun_metadata1", "NXM_NX_TUN_METADATA1", 64},
     {"tun_metadata2", "NXM_NX_TUN_METADATA2", 128}},
    {{"tun_metadata0", "NXM_NX_TUN_METADATA0", 64},
     {"tun_metadata1", "NXM_NX_TUN_METADATA1", 32},
     {"tun_metadata2", "NXM_NX_TUN_METADATA2", 32}},
    {{"tun_metadata2", "NXM_NX_TUN_METADATA2", 96},
     {"tun_metadata0", "NXM_NX_TUN_METADATA0", 32},
     {"tun_metadata1", "NXM_NX_TUN_METADATA1", 128}},
    {{"tun_metadata7", "NXM_NX_TUN_METADATA7", 128}, {"tun_metadata3", "NXM_NX_TUN_METADATA3", 64}},
};

std::vector<std::vector<FieldSpec>> fields_of_maps() {
  std::vector<std::vector<FieldSpec>> all;
  for (const std::vector<Option>& options : kOptions) {
    all.push_back(kFields);
    for (const Option& o : options) all.back().push_back({o.name, o.nxm, o.bits, Form::hexadecimal, true, true, any});
  }
  return all;
}

constexpr std::uint64_t kMacs[] = {0x0a0000000001, 0x0a0000000002, 0x0a0000000003,
                                   0xffffffffffff, 0x0180c2000000, 0x0180c200000e,
                                   0x01005e000001, 0x333300000001, 0};
constexpr std::uint32_t kV4[] = {0x0a000001, 0x0a000002, 0x0a000003, 0x0a010001, 0x0a600001, 0xe0000001, 0};

U128 v6(const char* text) { return IpAddr::parse(text)->value; }

U128 address6(Dice& dice) {
  static const U128 all[] = {v6("fd00::1"), v6("fd00::2"), v6("fd00::9"),        v6("fd01::3"),
                             v6("ff02::1"), v6("fe80::1"), v6("fd00::ffff:1:2"), 0};
  return dice.of(all);
}

U128 number(Dice& dice, unsigned bits) {
  const U128 all = ones(bits);
  switch (dice.below(10)) {
    case 0: return all;
    case 1: return (U128{0x0123456789abcdef} << 64 | 0xfedcba9876543210) & all;
    case 2: return (U128{1} << (bits - 1)) & all;
    case 3: return U128{0xa05} & all;
    default: return dice.below(4) & all;
  }
}

U128 special(Dice& dice, const FieldSpec& f) {
  const std::string_view name = f.name;
  const auto of = [&](std::initializer_list<unsigned> all) -> U128 {
    return *(all.begin() + dice.below(static_cast<unsigned>(all.size())));
  };
  if (name == "eth_type") return of({0x800, 0x86dd, 0x806, 0x1234, 0x5ff});
  if (name == "vlan_tci") return of({0, 0x1005, 0xb005, 0x1006, 0x1fff});
  if (name.find("vlan") != name.npos) return f.bits == 3 ? of({0, 3, 7}) : of({0, 5, 6, 7, 4095});
  if (name == "nw_proto" || name == "ct_nw_proto") return of({6, 17, 1, 58, 132, 47, 0});
  if (name == "nw_tos") return of({0, 0xb8, 4, 0xfc});
  if (name == "nw_ttl" || name == "mpls_ttl" || name == "nsh_ttl") return of({64, 1, 2, 0, 255, 63});
  if (name == "arp_op") return of({1, 2, 3, 255});
  if (name == "icmp_type") return of({8, 0, 3});
  if (name == "icmpv6_type") return of({128, 135, 136, 1});
  if (name.find("tp_") != name.npos || name.find("cp_") != name.npos || name.starts_with("udp_"))
    return name == "tcp_flags" ? of({0x12, 2, 0x10, 0, 0x11, 0xfff}) : of({80, 443, 53, 1000, 0, 65535, 0x7800});
  if (name == "nsh_mdtype") return of({1, 2});
  if (name == "nsh_np") return of({1, 2, 3, 4});
  if (name == "mpls_label") return of({100, 3, 0, 0xfffff, 16});
  if (name == "ct_zone") return of({0, 5, 64000});
  return number(dice, f.bits);
}

U128 one(Dice& dice, const FieldSpec& f) {
  switch (f.form) {
    case Form::mac: return dice.of(kMacs);
    case Form::ip4: return dice.of(kV4);
    case Form::ip6: return address6(dice);
    case Form::port: {
      static constexpr std::uint32_t kPorts[] = {1, 2, 3, 4, 10, 0xfffe, 5, 6};
      return dice.of(kPorts);
    }
    case Form::ct_state: {
      static constexpr unsigned kStates[] = {0x21, 0x22, 0x2a, 0x30, 0x24, 0, 0x20, 0x61, 0xa2};
      return dice.of(kStates);
    }
    case Form::tunnel_flags: return dice.below(2);
    case Form::fragment: {
      static constexpr unsigned kFragments[] = {0, 1, 3};
      return dice.of(kFragments);
    }
    case Form::packet_type: {
      static constexpr unsigned kTypes[] = {0x10800, 0x186dd, 0x1894f, 0x18847};  // no dump shows a match of (0,0)
      return dice.of(kTypes);
    }
    default: return special(dice, f);
  }
}

constexpr unsigned kNamedFlags = 0x1ff;  // of TCP

U128 partial_mask(Dice& dice, const FieldSpec& f) {
  const U128 all = ones(f.bits);
  switch (f.form) {
    case Form::fragment: return dice.one_in(2) ? 1 : 2;
    case Form::ct_state: {
      static constexpr unsigned kMasks[] = {0x20, 0x21, 0x22, 0x2a, 0x2b, 0x30, 0x28, 0xff, 0xe0};
      return dice.of(kMasks);
    }
    default: break;
  }
  const unsigned at = dice.below(f.bits), width = dice.between(1, f.bits - at);
  U128 mask = ones(width) << at;
  if (dice.one_in(3)) mask = all ^ ones(dice.below(f.bits));  // a prefix
  if (dice.one_in(4)) mask |= U128{1} << dice.below(f.bits);  // not contiguous
  // ovs-ofctl takes a mask that begins with a digit for the length of a prefix.
  if (f.form == Form::ip6) mask = dice.one_in(2) ? all ^ ones(128 - dice.between(1, 127)) : mask | U128{0xf} << 124;
  // Dumps do not show a match of nothing but a tag's priority.
  if (f.name == std::string_view("vlan_tci") && (mask & 0x1fff) == 0) mask |= 0x1000;
  if (f.form == Form::tcp_flags) mask &= kNamedFlags;
  if (f.form == Form::tcp_flags && mask == 0) return 2;
  // Dumps do not show one of the lowest whole bytes from none: the wire leaves out bytes that no mask looks at.
  if (is_tunnel_option(f) && (mask & (mask + 1)) == 0) mask ^= mask == 1 ? 3 : 1;
  return (mask & all) == 0 ? all : mask & all;
}

std::string flags_text(const Value& v, std::initializer_list<const char*> names, bool signs) {
  std::string out;
  unsigned bit = 0;
  for (const char* name : names) {
    const bool on = v.value >> bit & 1, asked = v.mask >> bit & 1;
    ++bit;
    if (signs && asked) out += fmt::format("{}{}", on ? '+' : '-', name);
    if (!signs && on) out += fmt::format("{}{}", out.empty() ? "" : "|", name);
  }
  return out.empty() ? "0" : out;
}

std::string port_text(U128 v) { return v == 0xfffe ? "LOCAL" : fmt::format("{}", low64(v)); }

const char* fragment_text(const Value& v) {
  if (v.mask == 1) return v.value & 1 ? "yes" : "no";
  if (v.mask == 2) return v.value & 2 ? "later" : "not_later";
  return v.value == 0 ? "no" : v.value == 1 ? "first" : "later";
}

std::string plain(const FieldSpec& f, U128 v) {
  switch (f.form) {
    case Form::mac: return MacAddr{low64(v)}.to_string();
    case Form::ip4: return IpAddr::v4(static_cast<std::uint32_t>(v)).to_string();
    case Form::ip6: return IpAddr::v6(v).to_string();
    case Form::port: return port_text(v);
    case Form::packet_type: return fmt::format("({},0x{:x})", static_cast<unsigned>(v >> 16), static_cast<unsigned>(v & 0xffff));
    case Form::decimal: return fmt::format("{}", low64(v));
    default: return hex(v, true);
  }
}

}  // namespace

const std::vector<FieldSpec>& field_specs(unsigned tlv_map) {
  static const auto all = fields_of_maps();
  return all.at(tlv_map);
}

const FieldSpec& field_spec(std::string_view name) {
  for (const FieldSpec& f : field_specs())
    if (f.name == name) return f;
  throw std::logic_error(fmt::format("no field {}", name));
}

Value random_value(Dice& dice, const FieldSpec& f, Masking masking) {
  Value v{one(dice, f), ones(f.bits)};
  if (masking == Masking::partial) v.mask = partial_mask(dice, f);
  if (f.form == Form::fragment && v.mask == 2) v.value |= v.value >> 1;
  v.value &= f.form == Form::fragment ? U128{3} : v.mask;
  return v;
}

std::string text_of(const FieldSpec& f, const Value& v, Masking masking) {
  const bool masked = masking != Masking::none;
  switch (f.form) {
    case Form::ct_state:
      return flags_text(v, {"new", "est", "rel", "rpl", "inv", "trk", "snat", "dnat"}, masking == Masking::partial);
    case Form::tcp_flags:
      if (masking != Masking::partial) return fmt::format("0x{:x}", low64(v.value));
      return flags_text(v, {"fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr", "ns"}, true);
    case Form::tunnel_flags: return v.value != 0 ? masked ? "+oam" : "oam" : masked ? "-oam" : "0";
    case Form::fragment: return fragment_text(v);
    default: break;
  }
  if (!masked) return plain(f, v.value);
  if (f.form == Form::decimal) return fmt::format("{}/{}", hex(v.value, true), hex(v.mask, true));
  return fmt::format("{}/{}", plain(f, v.value), plain(f, v.mask));
}

}  // namespace egt::testing
