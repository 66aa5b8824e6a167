#include <fmt/format.h>

#include "generator.h"

namespace egt::testing {
namespace {

using namespace kind;

const std::vector<Protocol>& all_protocols() {
  static const std::vector<Protocol> all = {
      {"", any},
      {"ip", ip | ip4},
      {"tcp", ip | ip4 | tcp},
      {"udp", ip | ip4 | udp},
      {"icmp", ip | ip4 | icmp4},
      {"ipv6", ip | ip6},
      {"tcp6", ip | ip6 | tcp},
      {"udp6", ip | ip6 | udp},
      {"icmp6", ip | ip6 | icmp6},
      {"icmp6,icmp_type=135,icmp_code=0", ip | ip6 | icmp6 | nd},
      {"icmp6,icmp_type=136,icmp_code=0", ip | ip6 | icmp6 | nd},
      {"arp", arp},
      {"sctp", ip | ip4 | sctp},
      {"sctp6", ip | ip6 | sctp},
      {"ip,nw_proto=47", ip | ip4},
      {"rarp", arp},
      {"mpls", mpls},
      {"mplsm", mpls},
      {"dl_type=0x1234", any},
      {"tcp,vlan_tci=0x1000/0x1000", ip | ip4 | tcp | vlan},
      {"vlan_tci=0x1000/0x1000", vlan},
      {"udp6,vlan_tci=0x1005", ip | ip6 | udp | vlan},
  };
  return all;
}
constexpr unsigned kOvnProtocols = 12;   // the first ones

std::string joined(const std::string& a, const std::string& b) { return a.empty() || b.empty() ? a + b : a + "," + b; }

std::string ports_of(Dice& dice, unsigned kinds, bool both) {
  static const char* const kPorts[] = {"80", "443", "53", "1000", "0", "65535"};
  if (!(kinds & (tcp | udp | sctp))) return "";
  std::string text;
  if (both || dice.one_in(4)) text = fmt::format("tp_src={}", dice.of(kPorts));
  if (both || dice.one_in(3)) text = joined(text, fmt::format("tp_dst={}", dice.of(kPorts)));
  if (!both && dice.one_in(10)) text = joined(text, dice.one_in(2) ? "tcp_flags=+syn-ack" : "tcp_flags=+ack");
  return !(kinds & tcp) && text.find("tcp_flags") != std::string::npos ? "" : text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// ofproto/trace takes only the field's own name, and no mask.
std::string words_of_packet(const Protocol& protocol) {
  const std::string words = replaced(protocol.words, "/0x1000", "");
  return has_kinds(protocol.kinds, icmp6) ? replaced(words, "icmp_", "icmpv6_") : words;
}

std::string in_words_of(const Protocol& protocol, const std::string& ports) {
  if (has_kinds(protocol.kinds, tcp)) return ports;
  return replaced(ports, "tp_", has_kinds(protocol.kinds, udp) ? "udp_" : "sctp_");
}

std::string one_field(Dice& dice, const FieldPool& f) {
  const bool masked = !f.masked.empty() && dice.one_in(3);
  return fmt::format("{}={}", f.name, masked ? dice.of(f.masked) : dice.of(f.values));
}

bool overlaps(const std::string& match, const std::string& name) {
  return (',' + match).find("," + name + "=") != std::string::npos;
}

// vlan_tci and its parts, registers and what they are part of: one of them in a match.
bool clashes(const std::string& match, std::string_view name) {
  const bool tag = name.find("vlan") != std::string_view::npos;
  if (tag && match.find("vlan") != std::string::npos) return true;
  if (name == "xreg1") return overlaps(match, "reg2") || overlaps(match, "reg3") || overlaps(match, "xxreg0");
  if (name == "xxreg0")
    return overlaps(match, "reg0") || overlaps(match, "reg1") || overlaps(match, "reg2") || overlaps(match, "xreg1");
  if (name == "nw_tos") return overlaps(match, "ip_dscp");
  return overlaps(match, std::string(name));
}

}  // namespace

const Protocol& random_protocol(Dice& dice, bool like_ovn) {
  const auto& all = all_protocols();
  return all[dice.below(like_ovn ? kOvnProtocols : static_cast<unsigned>(all.size()))];
}

const std::vector<FieldPool>& field_pools() {
  static const std::vector<FieldPool> pools = {
      {"reg0", any, {"0", "1", "0x5"}, {"0x1/0x1", "0/0x2", "0x4/0xc"}},
      {"reg1", any, {"0", "2"}, {"0x1/0x1", "0xa00/0xff00"}},
      {"reg2", any, {"0", "1"}, {"0x80000000/0x80000000"}},
      {"reg10", any, {"0", "1"}, {"0x1/0x1", "0/0x1"}},
      {"reg14", any, {"0", "1", "2"}, {}},
      {"reg15", any, {"1", "2", "3"}, {}},
      {"xreg1", any, {"0", "0x100000002"}, {"0x100000000/0xff00000000"}},
      {"xxreg0", any, {"0", "1"}, {"0x1/0xff"}},
      {"metadata", any, {"0", "1", "2"}, {"0x1/0x1", "0x8000000000000000/0x8000000000000000"}},
      {"tun_id", any, {"0", "5"}, {"0x5/0xff"}},
      {"pkt_mark", any, {"0", "0x2a"}, {"0x2/0x2"}},
      {"dl_src", any, {"0a:00:00:00:00:01", "0a:00:00:00:00:02"}, {"0a:00:00:00:00:00/ff:00:00:00:00:00"}},
      {"dl_dst", any, {"0a:00:00:00:00:01", "0a:00:00:00:00:03", "ff:ff:ff:ff:ff:ff", "01:80:c2:00:00:0e"},
       {"01:00:00:00:00:00/01:00:00:00:00:00", "00:00:00:00:00:00/01:00:00:00:00:00"}},
      {"vlan_tci", any, {"0", "0x1005", "0xb005"}, {"0x1000/0x1000", "0x0000/0x1000", "0x1005/0x1fff"}, true, false},
      {"dl_vlan", any, {"5", "6", "0"}, {}, true, false},
      {"vlan_vid", vlan, {"5", "7"}, {"0x1/0x1"}, false},
      {"vlan_pcp", vlan, {"3", "0"}, {}, false},
      {"nw_src", ip4, {"10.0.0.1", "10.0.0.2", "10.1.0.1"}, {"10.0.0.0/24", "10.0.0.0/8", "10.0.0.1/255.0.0.255"}},
      {"nw_dst", ip4, {"10.0.0.1", "10.0.0.3", "10.96.0.1"}, {"10.0.0.0/24", "10.96.0.0/16", "0.0.0.1/0.0.0.1"}},
      {"ipv6_src", ip6, {"fd00::1", "fd00::2"}, {"fd00::/64", "::1/::f"}},
      {"ipv6_dst", ip6, {"fd00::1", "fd01::3", "ff02::1"}, {"fd00::/16", "fd00::/8"}},
      {"ipv6_label", ip6, {"0", "0x12345"}, {"0x5/0xf"}},
      {"nw_ttl", ip, {"64", "1", "2"}, {}},
      {"nw_ecn", ip, {"0", "3", "1"}, {}},
      {"ip_dscp", ip, {"0", "46"}, {}},
      {"ip_frag", ip, {"no", "first", "later", "not_later"}, {}, false, false},
      {"icmp_type", icmp4, {"8", "0"}, {}},
      {"icmp_code", icmp4, {"0", "1"}, {}},
      {"icmpv6_type", icmp6, {"128", "135"}, {}, false},
      {"icmpv6_code", icmp6, {"0"}, {}, false},
      {"nd_target", nd, {"fd00::1", "fd00::9"}, {"fd00::/64"}},
      {"arp_op", arp, {"1", "2"}, {}},
      {"arp_spa", arp, {"10.0.0.1", "10.0.0.2"}, {"10.0.0.0/24"}},
      {"arp_tpa", arp, {"10.0.0.1", "10.0.0.3"}, {"10.0.0.0/30"}},
      {"arp_sha", arp, {"0a:00:00:00:00:01", "00:00:00:00:00:00"}, {}},
      {"arp_tha", arp, {"0a:00:00:00:00:02", "00:00:00:00:00:00"}, {}},
      {"mpls_label", mpls, {"100", "3"}, {}},
      {"mpls_tc", mpls, {"0", "5"}, {}},
      {"mpls_ttl", mpls, {"64", "1"}, {}},
      {"mpls_bos", mpls, {"1", "0"}, {}, true, false},
      {"ct_state", any, {"0"}, {"+trk", "-trk", "+est+trk", "+new+trk", "-new+est-rpl+trk", "+rpl+trk"}, false, false},
      {"ct_zone", any, {"0", "5"}, {}, true, false},
      {"ct_mark", any, {"0", "1"}, {"0x1/0x1", "0/0x2"}, true, false},
      {"ct_label", any, {"0", "1"}, {"0x1/0x1", "0x100000000/0xff00000000"}, true, false},
  };
  return pools;
}

std::string random_match(Dice& dice, const Protocol& protocol, bool like_ovn) {
  static const char* const kPorts[] = {"1", "2", "3", "10", "LOCAL"};
  std::string match = protocol.words;
  if (dice.one_in(like_ovn ? 5 : 8)) match = joined(match, fmt::format("in_port={}", dice.of(kPorts)));
  match = joined(match, ports_of(dice, protocol.kinds, false));
  for (unsigned i = dice.below(3); i > 0; --i) {
    const FieldPool& f = dice.of(field_pools());
    if (has_kinds(protocol.kinds, f.needs) && !clashes(match, f.name)) match = joined(match, one_field(dice, f));
  }
  return match;
}

std::string random_packet(Dice& dice, const std::string& bridge) {
  static const char* const kStates[] = {"trk|new", "trk|est", "trk|est|rpl", "trk|inv"};
  const Protocol& protocol = random_protocol(dice, dice.one_in(2));
  std::string flow = dice.one_in(30) ? "" : fmt::format("in_port={}", dice.between(1, bridge == "br-int" ? 4 : 3));
  flow = joined(flow, words_of_packet(protocol));
  flow = joined(flow, in_words_of(protocol, ports_of(dice, protocol.kinds, true)));
  if (dice.one_in(8)) flow += fmt::format(",ct_state={}", dice.of(kStates));
  for (const FieldPool& f : field_pools()) {
    const bool header = f.needs != any || f.name[0] == 'd';
    if (!f.in_packets || !has_kinds(protocol.kinds, f.needs) || clashes(flow, f.name)) continue;
    if (dice.one_in(header ? 5 : 1) == header && (header || !dice.one_in(6))) continue;
    flow = joined(flow, fmt::format("{}={}", f.name, dice.of(f.values)));
  }
  if (has_kinds(protocol.kinds, tcp) && dice.one_in(3)) flow += ",tcp_flags=0x012";
  if (has_kinds(protocol.kinds, ip) && dice.one_in(12)) flow += dice.one_in(2) ? ",ip_frag=first" : ",ip_frag=later";
  return flow.empty() ? "in_port=1" : flow;
}

}  // namespace egt::testing
