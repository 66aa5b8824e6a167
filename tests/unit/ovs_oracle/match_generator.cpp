#include <fmt/format.h>

#include <algorithm>

#include "generator.h"

namespace egt::testing {
namespace {

using namespace kind;
using F = FieldId;

const std::vector<Protocol>& all_protocols() {
  static const std::vector<Protocol> all = {
      {"", "", ethernet, {}},
      {"ip", "ip", ethernet | ip | ip4, {{F::eth_type, 0x800}}},
      {"tcp", "tcp", ethernet | ip | ip4 | tcp, {{F::eth_type, 0x800}, {F::nw_proto, 6}}},
      {"udp", "udp", ethernet | ip | ip4 | udp, {{F::eth_type, 0x800}, {F::nw_proto, 17}}},
      {"icmp", "icmp", ethernet | ip | ip4 | icmp4, {{F::eth_type, 0x800}, {F::nw_proto, 1}}},
      {"ipv6", "ipv6", ethernet | ip | ip6, {{F::eth_type, 0x86dd}}},
      {"tcp6", "tcp6", ethernet | ip | ip6 | tcp, {{F::eth_type, 0x86dd}, {F::nw_proto, 6}}},
      {"udp6", "udp6", ethernet | ip | ip6 | udp, {{F::eth_type, 0x86dd}, {F::nw_proto, 17}}},
      {"icmp6", "icmp6", ethernet | ip | ip6 | icmp6, {{F::eth_type, 0x86dd}, {F::nw_proto, 58}}},
      {"icmp6,icmp_type=135,icmp_code=0",
       "icmp6,icmpv6_type=135,icmpv6_code=0",
       ethernet | ip | ip6 | icmp6 | nd | nd_solicit,
       {{F::eth_type, 0x86dd}, {F::nw_proto, 58}, {F::tp_src, 135}}},
      {"icmp6,icmp_type=136,icmp_code=0",
       "icmp6,icmpv6_type=136,icmpv6_code=0",
       ethernet | ip | ip6 | icmp6 | nd | nd_advert,
       {{F::eth_type, 0x86dd}, {F::nw_proto, 58}, {F::tp_src, 136}}},
      {"arp", "arp", ethernet | arp, {{F::eth_type, 0x806}}},
      {"sctp", "sctp", ethernet | ip | ip4 | sctp, {{F::eth_type, 0x800}, {F::nw_proto, 132}}},
      {"sctp6", "sctp6", ethernet | ip | ip6 | sctp, {{F::eth_type, 0x86dd}, {F::nw_proto, 132}}},
      {"ip,nw_proto=47", "ip,nw_proto=47", ethernet | ip | ip4, {{F::eth_type, 0x800}, {F::nw_proto, 47}}},
      {"ip,nw_proto=2", "ip,nw_proto=2", ethernet | ip | ip4, {{F::eth_type, 0x800}, {F::nw_proto, 2}}},
      {"rarp", "rarp", ethernet | arp, {{F::eth_type, 0x8035}}},
      {"mpls", "mpls", ethernet | mpls, {{F::eth_type, 0x8847}}},
      {"mplsm", "mplsm", ethernet | mpls, {{F::eth_type, 0x8848}}},
      {"mpls,vlan_tci=0x1000/0x1000",
       "mpls,vlan_tci=0x1007",
       ethernet | mpls | vlan,
       {{F::eth_type, 0x8847}, {F::vlan_tci, 0x1007}}},
      {"dl_type=0x1234", "dl_type=0x1234", ethernet, {{F::eth_type, 0x1234}}},
      {"dl_type=0x894f", "dl_type=0x894f", ethernet | nsh, {{F::eth_type, 0x894f}}},
      {"tcp,vlan_tci=0x1000/0x1000",
       "tcp,vlan_tci=0x1005",
       ethernet | ip | ip4 | tcp | vlan,
       {{F::eth_type, 0x800}, {F::nw_proto, 6}, {F::vlan_tci, 0x1005}}},
      {"vlan_tci=0x1000/0x1000", "vlan_tci=0x3006", ethernet | vlan, {{F::vlan_tci, 0x3006}}},
      {"udp6,vlan_tci=0x1005",
       "udp6,vlan_tci=0x1005",
       ethernet | ip | ip6 | udp | vlan,
       {{F::eth_type, 0x86dd}, {F::nw_proto, 17}, {F::vlan_tci, 0x1005}}},
      {"packet_type=(1,0x800)", "packet_type=(1,0x800)", ip | ip4, {{F::eth_type, 0x800}}},
      {"packet_type=(1,0x86dd),nw_proto=6",
       "packet_type=(1,0x86dd),nw_proto=6",
       ip | ip6 | tcp,
       {{F::eth_type, 0x86dd}, {F::nw_proto, 6}}},
      {"packet_type=(1,0x894f)", "packet_type=(1,0x894f)", nsh, {{F::eth_type, 0x894f}}},
      {"packet_type=(1,0x8847)", "packet_type=(1,0x8847)", mpls, {{F::eth_type, 0x8847}}},
      {"ip,ct_state=+trk-inv", "ip,ct_state=trk|est", ethernet | ip | ip4 | tracked, {{F::eth_type, 0x800}, {F::ct_state, 0x22}}},
      {"tcp,ct_state=+new+trk",
       "tcp,ct_state=trk|new",
       ethernet | ip | ip4 | tcp | tracked,
       {{F::eth_type, 0x800}, {F::nw_proto, 6}, {F::ct_state, 0x21}}},
      {"ipv6,ct_state=+est+trk",
       "ipv6,ct_state=trk|est",
       ethernet | ip | ip6 | tracked,
       {{F::eth_type, 0x86dd}, {F::ct_state, 0x22}}},
      {"udp6,ct_state=+rpl+trk",
       "udp6,ct_state=trk|est|rpl",
       ethernet | ip | ip6 | udp | tracked,
       {{F::eth_type, 0x86dd}, {F::nw_proto, 17}, {F::ct_state, 0x2a}}},
  };
  return all;
}
constexpr unsigned kOvnProtocols = 12;  // the first ones

bool said_by(const Protocol& p, const FieldSpec& f) {
  const std::string words = std::string(",") + p.words;
  const std::string_view name = f.name;
  if (name == "eth_type") return !p.fields.empty() || !(p.kinds & ethernet);
  if (name == "nw_proto")
    return std::any_of(p.fields.begin(), p.fields.end(), [](const auto& x) { return x.first == F::nw_proto; }) ||
           (p.kinds & (tcp | udp | sctp | icmp4 | icmp6));
  if (name.find("vlan") != name.npos) return words.find("vlan") != words.npos;
  if (name == "icmpv6_type" || name == "icmpv6_code") return words.find("icmp_type") != words.npos;
  return words.find(fmt::format(",{}=", name)) != words.npos;
}

// Fields that lie over one another are not matched together.
bool overlaps(const FieldSpec& a, const FieldSpec& b) {
  const Field* x = find_field(a.name);
  const Field* y = find_field(b.name);
  if (x == nullptr || y == nullptr) return false;
  const auto span = [](const Field& f) {
    const unsigned begin = f.word * 64u + (f.bits > 64 ? 0 : 64u - f.shift - f.bits);
    return std::pair(begin, begin + f.bits);
  };
  const auto [a0, a1] = span(*x);
  const auto [b0, b1] = span(*y);
  const bool tags = std::string_view(a.name).find("vlan") != std::string_view::npos &&
                    std::string_view(b.name).find("vlan") != std::string_view::npos;
  return tags || (a0 < b1 && b0 < a1);
}

Masking random_masking(Dice& dice, const FieldSpec& f) {
  if (!f.maskable || dice.one_in(2)) return Masking::none;
  return dice.one_in(4) && !is_tunnel_option(f) /* see partial_mask() */ ? Masking::full : Masking::partial;
}

// False: the match has that field already, and with what value?
bool add_term(GeneratedMatch& match, std::string_view name, unsigned value) {
  const FieldSpec& f = field_spec(name);
  if (std::any_of(match.terms.begin(), match.terms.end(), [&](const Term& t) { return t.field->name == name; })) return false;
  match.terms.push_back({&f, {value, ones(f.bits)}, Masking::none});
  return true;
}

// Half of the time one that only packets of some kinds have: they are few among all.
const FieldSpec& random_field(Dice& dice, unsigned kinds, const std::vector<const FieldSpec*>& likely, unsigned tlv_map) {
  if (dice.one_in(4)) return *dice.of(likely);
  const bool special = dice.one_in(2);
  for (unsigned tries = 0; tries < 100; ++tries) {
    const FieldSpec& f = dice.of(field_specs(tlv_map));
    if (has_kinds(kinds, f.needs) && (!special || f.needs != any)) return f;
  }
  return *dice.of(likely);
}

}  // namespace

Protocols random_protocols(Dice& dice, bool like_ovn) {
  const auto& all = all_protocols();
  constexpr unsigned kTracked = 4;  // the last ones
  Protocols some = {&all.front()};
  for (unsigned i = dice.between(4, 7); i > 0; --i)
    some.push_back(&all[dice.below(like_ovn ? kOvnProtocols : static_cast<unsigned>(all.size()))]);
  if (dice.one_in(2)) some.push_back(&all[all.size() - 1 - dice.below(kTracked)]);
  return some;
}

namespace {

// False: the match cannot have the field.
bool add_field(Dice& dice, GeneratedMatch& match, const FieldSpec& f) {
  const std::string_view name = f.name;
  const bool of_tag = f.needs & vlan;  // its match asks for the tag itself
  if (!has_kinds(match.protocol->kinds, of_tag ? unsigned{ethernet} : f.needs) || said_by(*match.protocol, f)) return false;
  if (std::any_of(match.terms.begin(), match.terms.end(), [&](const Term& t) { return overlaps(*t.field, f); })) return false;
  // Dumps print contexts of the first type only, and parts of ERSPAN's header for one version.
  if (name.starts_with("nsh_c") && !add_term(match, "nsh_mdtype", 1)) return false;
  if (name == "tun_erspan_idx" && !add_term(match, "tun_erspan_ver", 1)) return false;
  if ((name == "tun_erspan_dir" || name == "tun_erspan_hwid") && !add_term(match, "tun_erspan_ver", 2)) return false;
  const Masking masking = random_masking(dice, f);
  constexpr unsigned kTagged = 0x1000;
  if (name == "vlan_pcp") match.terms.push_back({&field_spec("vlan_vid"), {kTagged, kTagged}, Masking::partial});
  match.terms.push_back({&f, random_value(dice, f, masking), masking});
  if (name == "vlan_vid") match.terms.back().value.value |= kTagged, match.terms.back().value.mask |= kTagged;
  return true;
}

}  // namespace

GeneratedMatch random_match(Dice& dice, const Protocol& protocol, unsigned tlv_map) {
  GeneratedMatch match{&protocol, {}};
  static const std::vector<const FieldSpec*> kLikely = {&field_spec("in_port"), &field_spec("reg0"),     &field_spec("metadata"),
                                                        &field_spec("reg15"),   &field_spec("ct_state"), &field_spec("eth_dst"),
                                                        &field_spec("tun_id"),  &field_spec("ct_mark")};
  for (unsigned i = dice.below(5), tries = 0; i > 0 && tries < 40; ++tries) {
    const FieldSpec& f = random_field(dice, protocol.kinds, kLikely, tlv_map);
    const std::string_view name = f.name;
    // The switch takes these, but nothing that it traces has them; in_port_oxm is printed as in_port.
    if (name == "conj_id" || name == "in_port_oxm" || name == "packet_type" || name == "dp_hash") {
      if (!dice.one_in(8)) continue;
    }
    i -= add_field(dice, match, f) ? 1 : 0;
  }
  return match;
}

GeneratedMatch match_of(Dice& dice, const FieldSpec& f) {
  GeneratedMatch match;
  for (unsigned tries = 0; tries < 60; ++tries) {
    match = {&dice.of(all_protocols()), {}};
    if (add_field(dice, match, f)) return match;
    if (has_kinds(match.protocol->kinds, f.needs) && tries > 40) break;  // as the protocol's words say it
  }
  match.terms.clear();
  return match;
}

std::string GeneratedMatch::text() const {
  std::string text = protocol == nullptr ? "" : protocol->words;
  for (const Term& t : terms)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", t.field->name, text_of(*t.field, t.value, t.masking));
  return text;
}

unsigned GeneratedMatch::kinds() const { return protocol == nullptr ? ethernet : protocol->kinds; }

}  // namespace egt::testing
