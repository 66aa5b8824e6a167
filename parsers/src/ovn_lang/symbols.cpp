#include "ovn_lang/symbols.h"

#include <fmt/format.h>

#include "ovn_lang/annotate.h"
#include "ovn_lang/expression_parser.h"

namespace egt::parsers::ovn_lang {
namespace {

using ovn::Level;
using F = FieldId;
namespace writable = ovn::writable;

Level level_of(const ovn::Expression& e) {
  if (const auto* c = std::get_if<ovn::Comparison>(&e.node))
    return c->symbol->level == Level::nominal ? Level::nominal : Level::boolean;
  const auto* junction = std::get_if<ovn::Junction>(&e.node);
  if (junction == nullptr) return Level::boolean;
  Level level = Level::ordinal;
  for (const ovn::Expression& term : junction->terms) level = std::min(level, level_of(term));
  return level;
}

}  // namespace

const ovn::Symbol* SymbolTable::find(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

ovn::Symbol& SymbolTable::add(std::string name, std::uint16_t bits, Level level, std::uint8_t writable_in,
                              std::string prerequisites) {
  ovn::Symbol& s = symbols_.emplace_back();
  s.name = std::move(name);
  s.bits = bits;
  s.level = level;
  s.writable = writable_in;
  s.prerequisites = std::move(prerequisites);
  by_name_.emplace(s.name, &s);
  return s;
}

ovn::Symbol& SymbolTable::add_field(std::string name, FieldId id, std::string prerequisites, std::uint8_t scope) {
  const Field& f = field(id);
  ovn::Symbol& s = add(std::move(name), f.bits, f.maskable ? Level::ordinal : Level::nominal,
                       f.writable ? scope : writable::nowhere, std::move(prerequisites));
  s.field = id;
  return s;
}

void SymbolTable::add_part(std::string name, std::string prerequisites, std::string_view expansion, std::uint8_t scope) {
  Lexer lexer(expansion);
  const Environment environment{this, nullptr, nullptr, 0};
  const auto part = ExpressionParser(lexer, environment).parse_field();
  if (!part) return;
  ovn::Symbol& s = add(std::move(name), part->bits, part->symbol->level, part->symbol->writable ? scope : writable::nowhere,
                       std::move(prerequisites));
  s.parent = part->symbol;
  s.first_in_parent = part->first;
}

void SymbolTable::add_string(std::string name, FieldId id, std::string prerequisites) {
  add(std::move(name), 0, Level::nominal, writable::by_default, std::move(prerequisites)).field = id;
}

void SymbolTable::add_predicate(std::string name, std::string expansion) {
  const auto tree = parse_expression(expansion, Environment{this, nullptr, nullptr, 0});
  if (!tree) return;
  add(std::move(name), 1, level_of(*tree), writable::nowhere, {}).predicate = std::move(expansion);
}

void SymbolTable::add_ovn_field(std::string name, std::uint16_t bits) {
  add(std::move(name), bits, Level::nominal, writable::everywhere, {}).is_ovn_field = true;
}

void SymbolTable::finish() {
  const auto understand = [this](const ovn::Symbol& s, const std::string& text, std::shared_ptr<const ovn::Expression>& tree,
                                 std::string& error) {
    if (text.empty()) return;
    Annotator annotator(this);
    if (auto parsed = annotator.parse_within(s, text))
      tree = std::make_shared<ovn::Expression>(std::move(*parsed));
    else
      error = annotator.error();
  };
  for (ovn::Symbol& s : symbols_) {
    understand(s, s.predicate, s.predicate_tree, s.predicate_error);
    understand(s, s.prerequisites, s.prerequisite_tree, s.prerequisite_error);
  }
}

namespace {

constexpr unsigned kRegisters = 10;     // 0 to 9; the others are OVN's own
constexpr unsigned kWideRegisters = 2;  // xxreg0 and xxreg1 are whole

void add_registers(SymbolTable& t) {
  const auto id = [](F first, unsigned i) { return static_cast<F>(static_cast<unsigned>(first) + i); };
  for (unsigned i = 0; i < kWideRegisters; ++i) t.add_field(fmt::format("xxreg{}", i), id(F::xxreg0, i));
  for (unsigned i = 0; i < kRegisters / 2; ++i) {
    const unsigned first = 64 * (1 - i % 2);
    if (i / 2 < kWideRegisters)
      t.add_part(fmt::format("xreg{}", i), {}, fmt::format("xxreg{}[{}..{}]", i / 2, first, first + 63));
    else
      t.add_field(fmt::format("xreg{}", i), id(F::xreg0, i));
  }
  for (unsigned i = 0; i < kRegisters; ++i) {
    const unsigned in_wide = 32 * (3 - i % 4), in_double = 32 * (1 - i % 2);
    const std::string name = fmt::format("reg{}", i);
    if (i / 4 < kWideRegisters)
      t.add_part(name, {}, fmt::format("xxreg{}[{}..{}]", i / 4, in_wide, in_wide + 31));
    else
      t.add_part(name, {}, fmt::format("xreg{}[{}..{}]", i / 2, in_double, in_double + 31));
  }
}

void add_flags(SymbolTable& t) {
  t.add_field("flags", F::reg10);
  static constexpr std::pair<const char*, const char*> kFlags[] = {
      {"loopback", "0"},       {"force_snat_for_dnat", "2"}, {"force_snat_for_lb", "3"},   {"skip_snat_for_lb", "9"},
      {"use_snat_zone", "11"}, {"localnet", "15"},           {"tunnel_rx", "16"},          {"icmp_snat", "17"},
      {"from_ctrl", "19"},     {"unsnat_new", "20"},         {"unsnat_not_tracked", "21"}, {"igmp_loopback", "22"},
      {"pkt_sampled", "23"},   {"network_id", "28..31"},
  };
  for (const auto& [name, bits] : kFlags) t.add_part(fmt::format("flags.{}", name), {}, fmt::format("flags[{}]", bits));
}

void add_connection(SymbolTable& t, const Dialect& dialect) {
  static constexpr std::pair<const char*, const char*> kMark[] = {
      {"blocked", "0"},    {"natted", "1"},       {"ecmp_reply_port", "16..31"}, {"skip_snat", "2"},
      {"force_snat", "3"}, {"obs_stage", "4..5"}, {"allow_established", "6"},    {"obs_collector_id", "16..23"},
  };
  t.add_field("ct_mark", F::ct_mark, {}, writable::in_ct_commit);
  for (const auto& [name, bits] : kMark)
    t.add_part(fmt::format("ct_mark.{}", name), {}, fmt::format("ct_mark[{}]", bits), writable::in_ct_commit);
  static constexpr std::pair<const char*, const char*> kLabel[] = {
      {"ecmp_reply_eth", "32..79"}, {"label", "96..127"}, {"obs_point_id", "96..127"},
      {"obs_unused", "0..95"},      {"acl_id", "80..95"}, {"nf", "7"},
      {"nf_id", "17..24"},          {"tun_if", "8"},      {"tun_if_id", "80..95"},
  };
  static constexpr std::pair<const char*, const char*> kOldLabel[] = {
      {"blocked", "0"}, {"natted", "1"}, {"skip_snat", "2"}, {"force_snat", "3"}, {"ecmp_reply_port", "80..95"},
  };
  t.add_field("ct_label", F::ct_label, {}, writable::in_ct_commit);
  const auto add_label = [&t](const char* name, const char* bits) {
    t.add_part(fmt::format("ct_label.{}", name), {}, fmt::format("ct_label[{}]", bits), writable::in_ct_commit);
  };
  for (const auto& [name, bits] : kLabel) add_label(name, bits);
  if (dialect.has_blocked_label)
    for (const auto& [name, bits] : kOldLabel) add_label(name, bits);
  static constexpr const char* kStates[] = {"new", "est", "rel", "rpl", "inv", "trk", "snat", "dnat"};
  t.add_field("ct_state", F::ct_state);
  for (unsigned i = 0; i < std::size(kStates); ++i)
    t.add_part(fmt::format("ct.{}", kStates[i]), std::string_view(kStates[i]) == "trk" ? "" : "ct.trk",
               fmt::format("ct_state[{}]", i));
}

void add_ethernet(SymbolTable& t) {
  t.add_field("eth.src", F::eth_src);
  t.add_field("eth.dst", F::eth_dst);
  t.add_field("eth.type", F::eth_type);
  t.add_predicate("eth.bcast", "eth.dst == ff:ff:ff:ff:ff:ff");
  t.add_part("eth.mcast", {}, "eth.dst[40]");
  t.add_predicate("eth.mcastv6", "eth.dst[32..47] == 0x3333");
  t.add_field("vlan.tci", F::vlan_tci);
  t.add_predicate("vlan.present", "vlan.tci[12]");
  t.add_part("vlan.pcp", "vlan.present", "vlan.tci[13..15]");
  t.add_part("vlan.vid", "vlan.present", "vlan.tci[0..11]");
}

void add_ip(SymbolTable& t, const Dialect& dialect) {
  t.add_predicate("ip4", "eth.type == 0x800");
  t.add_predicate("ip6", "eth.type == 0x86dd");
  t.add_predicate("ip", "ip4 || ip6");
  t.add_field("ip.proto", F::nw_proto, "ip");
  t.add_field("ip.dscp", F::ip_dscp, "ip");
  t.add_field("ip.ecn", F::nw_ecn, "ip");
  t.add_field("ip.ttl", F::nw_ttl, "ip");
  t.add_field("ip4.src", F::ip_src, "ip4");
  t.add_field("ip4.dst", F::ip_dst, "ip4");
  t.add_predicate("ip4.src_mcast", "ip4.src[28..31] == 0xe");
  t.add_predicate("ip4.mcast", "eth.mcast && ip4.dst[28..31] == 0xe");
  t.add_predicate("icmp4", "ip4 && ip.proto == 1");
  t.add_field("icmp4.type", F::icmp_type, "icmp4");
  t.add_field("icmp4.code", F::icmp_code, "icmp4");
  t.add_predicate("igmp", dialect.multicast_by_mac ? "ip4.mcast && ip.proto == 2" : "ip4 && ip.proto == 2");
  t.add_field("ip6.src", F::ipv6_src, "ip6");
  t.add_field("ip6.dst", F::ipv6_dst, "ip6");
  t.add_field("ip6.label", F::ipv6_label, "ip6");
  t.add_predicate("ip6.mcast_rsvd", dialect.lists_reserved_multicast
                                        ? "ip6.dst == { ff00::0, ff01::0, ff02::0, ff03::0, ff04::0, ff05::0, ff06::0, "
                                          "ff07::0, ff08::0, ff09::0, ff0a::0, ff0b::0, ff0c::0, ff0d::0, ff0e::0, ff0f::0 }"
                                        : "ip6.dst[116..127] == 0xff0 && ip6.dst[0..111] == 0x0");
  t.add_predicate("ip6.mcast_all_nodes", "ip6.dst == ff01::1 || ip6.dst == ff02::1");
  t.add_predicate("ip6.mcast_all_rtrs", "ip6.dst == ff01::2 || ip6.dst == ff02::2 || ip6.dst == ff05::2");
  t.add_predicate("ip6.mcast_sol_node", "ip6.dst == ff02::1:ff00:0000/104");
  t.add_predicate("ip6.mcast_flood",
                  "eth.mcastv6 && (ip6.mcast_rsvd || ip6.mcast_all_nodes || ip6.mcast_all_rtrs || ip6.mcast_sol_node)");
  t.add_predicate("ip6.mcast", "eth.mcastv6 && ip6.dst[120..127] == 0xff");
  t.add_predicate("icmp6", "ip6 && ip.proto == 58");
  t.add_field("icmp6.type", F::icmpv6_type, "icmp6");
  t.add_field("icmp6.code", F::icmpv6_code, "icmp6");
  t.add_predicate("icmp", "icmp4 || icmp6");
  t.add_field("ip.frag", F::ip_frag, "ip");
  t.add_predicate("ip.is_frag", "ip.frag[0]");
  t.add_predicate("ip.later_frag", "ip.frag[1]");
  t.add_predicate("ip.first_frag", "ip.is_frag && !ip.later_frag");
}

void add_neighbours(SymbolTable& t, const Dialect& dialect) {
  static constexpr std::pair<const char*, F> kArp[] = {
      {"op", F::arp_op}, {"spa", F::arp_spa}, {"sha", F::arp_sha}, {"tpa", F::arp_tpa}, {"tha", F::arp_tha}};
  t.add_predicate("arp", "eth.type == 0x806");
  for (const auto& [name, id] : kArp) t.add_field(fmt::format("arp.{}", name), id, "arp");
  t.add_predicate("rarp", "eth.type == 0x8035");
  for (const auto& [name, id] : kArp) t.add_field(fmt::format("rarp.{}", name), id, "rarp");
  const auto nd = [](const char* type) { return fmt::format("icmp6.type == {} && icmp6.code == 0 && ip.ttl == 255", type); };
  t.add_predicate("nd", nd("{135, 136}"));
  t.add_predicate("nd_ns", nd("135"));
  t.add_predicate("nd_ns_mcast", "ip6.mcast && " + nd("135"));
  t.add_predicate("nd_na", nd("136"));
  t.add_predicate("nd_rs", nd("133"));
  t.add_predicate("nd_ra", nd("134"));
  t.add_field("nd.target", F::nd_target, "nd");
  t.add_field("nd.sll", F::nd_sll, "nd_ns");
  t.add_field("nd.tll", F::nd_tll, "nd_na");
  const std::string by_mac = dialect.multicast_by_mac ? "eth.mcastv6 && " : "";
  t.add_predicate("mldv1", by_mac + "ip6.src == fe80::/10 && icmp6.type == {130, 131, 132}");
  t.add_predicate("mldv2", by_mac + "ip6.dst == ff02::16 && icmp6.type == 143");
}

void add_transport(SymbolTable& t) {
  t.add_predicate("tcp", "ip.proto == 6");
  t.add_field("tcp.src", F::tcp_src, "tcp");
  t.add_field("tcp.dst", F::tcp_dst, "tcp");
  t.add_field("tcp.flags", F::tcp_flags, "tcp");
  t.add_predicate("udp", "ip.proto == 17");
  t.add_field("udp.src", F::udp_src, "udp");
  t.add_field("udp.dst", F::udp_dst, "udp");
  t.add_predicate("sctp", "ip.proto == 132");
  t.add_field("sctp.src", F::sctp_src, "sctp");
  t.add_field("sctp.dst", F::sctp_dst, "sctp");
  t.add_field("pkt.mark", F::pkt_mark);
  t.add_ovn_field("icmp4.frag_mtu", 16);
  t.add_ovn_field("icmp6.frag_mtu", 32);
  t.add_ovn_field("icmp4.inner_ip4.src", 32);
}

}  // namespace

void add_symbols(SymbolTable& t, const Dialect& dialect) {
  t.add_string("inport", F::reg14);
  t.add_string("outport", F::reg15);
  t.add_field("__inport", F::reg14);
  t.add_field("__outport", F::reg15);
  t.add_predicate("from_evpn_vtep", "__inport[31]");
  t.add_predicate("to_evpn_vtep", "__outport[31]");
  t.add_string("remote_outport", F::reg1);
  add_registers(t);
  add_flags(t);
  add_connection(t, dialect);
  add_ethernet(t);
  add_ip(t, dialect);
  add_neighbours(t, dialect);
  add_transport(t);
}

}  // namespace egt::parsers::ovn_lang
