// What the matches of iptables test (iptables-extensions(8)). Each option is one test; all must hold.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "egtrace/base/text.h"
#include "iptables/lower.h"
#include "iptables/rule_parser.h"
#include "iptables/schema.h"
#include "iptables/value.h"

namespace egt::parsers::iptables {
namespace {

namespace nf = netfilter;

std::vector<Tests> one(nf::Test t) { return {{std::move(t)}}; }

std::vector<Tests> cannot_decide(const Match& m, std::optional<double> probability = std::nullopt) {
  return one(undecided(print_match(m), probability));
}

nf::Test option_undecided(const Match& m, const Option& o) {
  return undecided(fmt::format("-m {} {}", m.module, print_option(o)));
}

nf::Atom atom_of(const Range& r) {
  return r.first == r.last ? nf::Atom{nf::Number{r.first}} : nf::Atom{nf::NumberRange{r.first, r.last}};
}

nf::Op equal_op(bool negate) { return negate ? nf::Op::ne : nf::Op::eq; }

nf::Test masked_test(nf::Key key, const MaskedNumber& m, bool negate) {
  if (m.mask == 0xffffffff) return equals(key, nf::Number{m.value}, negate);
  return nf::Compare{read_masked(key, m.mask), equal_op(negate), nf::Number{m.value}};
}

nf::SetPtr set_of(const std::vector<Range>& ranges) {
  auto set = std::make_shared<nf::Set>();
  for (const Range& r : ranges) set->elements.push_back({{atom_of(r)}, "", std::nullopt, {}});
  return set;
}

nf::Test in_ranges(nf::Key key, const std::vector<Range>& ranges, bool negate) {
  if (ranges.size() == 1) return equals(key, atom_of(ranges[0]), negate);
  return nf::InSet{{nf::read_of(key)}, set_of(ranges), negate};
}

// ---- connections

struct StateBits {
  unsigned state = 0, status = 0;
  bool known = true;
};

StateBits state_bits(const std::vector<std::string>& names) {
  struct Name {
    std::string_view name;
    unsigned state, status;
  };
  static constexpr Name kNames[] = {{"INVALID", nf::ct_state_bit::invalid, 0},
                                    {"NEW", nf::ct_state_bit::new_, 0},
                                    {"ESTABLISHED", nf::ct_state_bit::established, 0},
                                    {"RELATED", nf::ct_state_bit::related, 0},
                                    {"UNTRACKED", nf::ct_state_bit::untracked, 0},
                                    {"SNAT", 0, nf::ct_status_bit::snat},
                                    {"DNAT", 0, nf::ct_status_bit::dnat}};
  StateBits bits;
  for (const std::string& n : names) {
    const auto* found = std::find_if(std::begin(kNames), std::end(kNames), [&](const Name& k) { return k.name == n; });
    if (found == std::end(kNames))
      bits.known = false;
    else
      bits.state |= found->state, bits.status |= found->status;
  }
  return bits;
}

constexpr unsigned kNoConnection = nf::ct_state_bit::invalid | nf::ct_state_bit::untracked;

nf::Test any_bits(nf::Key key, unsigned bits) { return nf::Compare{nf::read_of(key), nf::Op::any_bits_of, nf::Number{bits}}; }
nf::Test no_bits(nf::Key key, unsigned bits) { return nf::Compare{read_masked(key, bits), nf::Op::eq, nf::Number{0}}; }

// "SNAT" and "DNAT" are no states but properties of the connection, so a mixed list is an "or" of two tests.
std::vector<Tests> state_tests(const Match& m, const Option& o) {
  const auto* list = std::get_if<WordList>(&o.value);
  if (!list) return one(option_undecided(m, o));
  const StateBits bits = state_bits(list->words);
  if (!bits.known) return one(option_undecided(m, o));
  const nf::Key state = nf::Key::ct_state, status = nf::Key::ct_status;
  if (o.negate) {
    Tests all;
    if (bits.state) all.push_back(no_bits(state, bits.state));
    if (bits.status) all.push_back(no_bits(status, bits.status));
    return {all};
  }
  if (!bits.status) return one(any_bits(state, bits.state));
  if (!bits.state) return one(any_bits(status, bits.status));
  return {{any_bits(state, bits.state)}, {no_bits(state, bits.state), any_bits(status, bits.status)}};
}

// A packet without a connection is asked for its state alone, whatever else the rule asks for (conntrack_mt() of
// net/netfilter/xt_conntrack.c). Empty: it never matches.
std::vector<Tests> tests_without_connection(const Option& o) {
  const auto* list = std::get_if<WordList>(&o.value);
  const StateBits bits = state_bits(list ? list->words : std::vector<std::string>{});
  const Tests none{any_bits(nf::Key::ct_state, kNoConnection)};
  if (!bits.known || (!o.negate && !(bits.state & kNoConnection))) return {};
  if (!bits.state) return {none};
  return {{none.front(), o.negate ? no_bits(nf::Key::ct_state, bits.state) : any_bits(nf::Key::ct_state, bits.state)}};
}

nf::Test status_test(const Match& m, const Option& o) {
  struct Name {
    std::string_view name;
    unsigned bit;
  };
  static constexpr Name kNames[] = {{"EXPECTED", nf::ct_status_bit::expected},
                                    {"SEEN_REPLY", nf::ct_status_bit::seen_reply},
                                    {"ASSURED", nf::ct_status_bit::assured},
                                    {"CONFIRMED", nf::ct_status_bit::confirmed},
                                    {"NONE", 0}};  // never matches: no bit is asked for
  const auto* list = std::get_if<WordList>(&o.value);
  unsigned bits = 0;
  for (const std::string& n : list ? list->words : std::vector<std::string>{}) {
    const auto* found = std::find_if(std::begin(kNames), std::end(kNames), [&](const Name& k) { return k.name == n; });
    if (found == std::end(kNames)) return option_undecided(m, o);
    bits |= found->bit;
  }
  if (!list || list->words.empty()) return option_undecided(m, o);
  return o.negate ? no_bits(nf::Key::ct_status, bits) : any_bits(nf::Key::ct_status, bits);
}

std::optional<nf::Key> conntrack_key(std::string_view option) {
  struct Name {
    std::string_view option;
    nf::Key key;
  };
  static constexpr Name kNames[] = {
      {"--ctorigsrc", nf::Key::ct_original_saddr},     {"--ctorigdst", nf::Key::ct_original_daddr},
      {"--ctreplsrc", nf::Key::ct_reply_saddr},        {"--ctrepldst", nf::Key::ct_reply_daddr},
      {"--ctorigsrcport", nf::Key::ct_original_sport}, {"--ctorigdstport", nf::Key::ct_original_dport},
      {"--ctproto", nf::Key::ct_original_protocol}};
  for (const Name& n : kNames)
    if (n.option == option) return n.key;
  return std::nullopt;
}

nf::Test conntrack_test(const Match& m, const Option& o) {
  if (o.name == "--ctstatus") return status_test(m, o);
  if (o.name == "--ctdir") {
    const auto* w = std::get_if<Word>(&o.value);
    if (w && (w->text == "ORIGINAL" || w->text == "REPLY"))
      return equals(nf::Key::ct_direction, nf::Number{w->text == "REPLY" ? 1u : 0u}, o.negate);
  }
  const auto key = conntrack_key(o.name);
  if (!key) return option_undecided(m, o);
  if (const auto* n = std::get_if<Network>(&o.value)) return network_test(*key, *key, *n, o.negate);
  if (const auto* r = std::get_if<Range>(&o.value)) return equals(*key, atom_of(*r), o.negate);
  if (const auto* n = std::get_if<std::uint64_t>(&o.value)) return equals(*key, nf::Number{*n}, o.negate);
  return option_undecided(m, o);
}

// ---- headers

nf::Test port_test(const Match& m, const Option& o) {
  const auto* r = std::get_if<Range>(&o.value);
  if (r && o.name == "--sport") return equals(nf::Key::sport, atom_of(*r), o.negate);
  if (r && o.name == "--dport") return equals(nf::Key::dport, atom_of(*r), o.negate);
  if (const auto* f = std::get_if<TcpFlags>(&o.value))
    return nf::Compare{read_masked(nf::Key::tcp_flags, f->mask), equal_op(o.negate), nf::Number{f->set}};
  return option_undecided(m, o);
}

// Type and code; "not type 3 code 1" is an "or", shown as two cases that exclude each other.
std::vector<Tests> icmp_tests(const Match& m, const Option& o, bool v6) {
  const auto* t = std::get_if<IcmpType>(&o.value);
  if (!t) return one(option_undecided(m, o));
  if (t->any) return o.negate ? one(undecided(print_option(o))) : std::vector<Tests>{{}};
  const nf::Key type = v6 ? nf::Key::icmpv6_type : nf::Key::icmp_type, code = v6 ? nf::Key::icmpv6_code : nf::Key::icmp_code;
  if (!t->code) return one(equals(type, nf::Number{t->type}, o.negate));
  if (!o.negate) return {{equals(type, nf::Number{t->type}), equals(code, atom_of(*t->code))}};
  return {{equals(type, nf::Number{t->type}, true)}, {equals(type, nf::Number{t->type}), equals(code, atom_of(*t->code), true)}};
}

// --ports: source or destination.
std::vector<Tests> multiport_tests(const Match& m, const Option& o) {
  const auto* list = std::get_if<PortList>(&o.value);
  if (!list) return one(option_undecided(m, o));
  if (o.name == "--sports") return one(in_ranges(nf::Key::sport, list->ranges, o.negate));
  if (o.name == "--dports") return one(in_ranges(nf::Key::dport, list->ranges, o.negate));
  const auto in = [&](nf::Key k) { return in_ranges(k, list->ranges, false); };
  const auto out = [&](nf::Key k) { return in_ranges(k, list->ranges, true); };
  if (o.negate) return {{out(nf::Key::sport), out(nf::Key::dport)}};
  return {{in(nf::Key::sport)}, {out(nf::Key::sport), in(nf::Key::dport)}};
}

nf::Test hop_test(const Match& m, const Option& o, nf::Key key) {
  const auto* n = std::get_if<std::uint64_t>(&o.value);
  if (!n) return option_undecided(m, o);
  if (o.name.ends_with("-eq")) return equals(key, nf::Number{*n}, o.negate);
  if (o.negate) return option_undecided(m, o);
  return nf::Compare{nf::read_of(key), o.name.ends_with("-gt") ? nf::Op::gt : nf::Op::lt, nf::Number{*n}};
}

nf::Test dscp_test(const Match& m, const Option& o) {
  if (const auto* n = std::get_if<std::uint64_t>(&o.value)) return equals(nf::Key::ip_dscp, nf::Number{*n}, o.negate);
  const auto* t = std::get_if<MaskedNumber>(&o.value);
  if (!t) return option_undecided(m, o);
  return nf::Compare{read_masked(nf::Key::ip_tos, t->mask), equal_op(o.negate), nf::Number{t->value}};
}

nf::Test iprange_test(const Match& m, const Option& o) {
  const auto* r = std::get_if<IpRange>(&o.value);
  if (!r) return option_undecided(m, o);
  const bool source = o.name == "--src-range";
  const nf::Key key =
      r->first.is_v4() ? (source ? nf::Key::ip_saddr : nf::Key::ip_daddr) : (source ? nf::Key::ip6_saddr : nf::Key::ip6_daddr);
  return equals(key, nf::NumberRange{r->first.value, r->last.value}, o.negate);
}

// ---- the host

std::optional<nf::AddressType> address_type(std::string_view name) {
  static constexpr std::string_view kNames[] = {"UNSPEC",    "UNICAST",   "LOCAL",       "BROADCAST", "ANYCAST",
                                                "MULTICAST", "BLACKHOLE", "UNREACHABLE", "PROHIBIT"};
  const auto* found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<nf::AddressType>(found - std::begin(kNames));
}

nf::Read address_type_read(const Match& m, const Option& o) {
  const auto has = [&](std::string_view name) {
    return std::any_of(m.options.begin(), m.options.end(), [&](const Option& other) { return other.name == name; });
  };
  nf::Read fib{o.name == "--src-type" ? nf::Key::fib_saddr_type : nf::Key::fib_daddr_type, 0, 0};
  fib.by_iif = has("--limit-iface-in");
  fib.by_oif = has("--limit-iface-out");
  return fib;
}

// One of these types; a word list of one type is a plain comparison.
nf::Test one_of_types(const nf::Read& fib, const std::vector<nf::AddressType>& types, bool negate) {
  const auto expr = std::make_shared<const nf::Expr>(nf::Expr{fib});
  std::vector<Range> ranges;
  for (const nf::AddressType t : types) ranges.push_back({static_cast<std::uint64_t>(t), static_cast<std::uint64_t>(t)});
  if (ranges.size() == 1) return nf::Compare{expr, equal_op(negate), atom_of(ranges[0])};
  return nf::InSet{{expr}, set_of(ranges), negate};
}

// IPv6 asks for the address's class, own addresses among the unicast ones, and for a route only where the list names a
// type that needs one; all that it asks for must hold (match_type6() of net/netfilter/xt_addrtype.c).
std::vector<Tests> addrtype_tests_v6(const nf::Read& fib, const std::vector<nf::AddressType>& types, bool negate) {
  using enum nf::AddressType;
  const nf::Key address = fib.key == nf::Key::fib_saddr_type ? nf::Key::ip6_saddr : nf::Key::ip6_daddr;
  const nf::NumberRange all_multicast{U128{0xff} << 120, ~U128{0}};
  const auto named = [&](nf::AddressType t) { return std::find(types.begin(), types.end(), t) != types.end(); };
  std::vector<nf::AddressType> by_route;
  for (const nf::AddressType t : {local, anycast, unreachable})
    if (named(t)) by_route.push_back(t);
  using Part = std::function<nf::Test(bool)>;
  std::vector<Part> parts;
  if (named(multicast)) parts.push_back([=](bool no) { return equals(address, all_multicast, no); });
  if (named(unicast)) {
    parts.push_back([=](bool no) { return equals(address, all_multicast, !no); });
    parts.push_back([=](bool no) { return equals(address, nf::Number{0}, !no); });
  }
  if (named(unspec)) parts.push_back([=](bool no) { return equals(address, nf::Number{0}, no); });
  if (!by_route.empty()) parts.push_back([=](bool no) { return one_of_types(fib, by_route, no); });
  std::vector<Tests> cases;
  Tests so_far;
  for (const Part& part : parts) {  // "not all" is shown as cases that exclude each other
    cases.push_back(so_far);
    cases.back().push_back(part(true));
    so_far.push_back(part(false));
  }
  return negate ? cases : std::vector<Tests>{so_far};
}

std::vector<Tests> addrtype_tests(const Match& m, const Option& o, Family family) {
  if (o.name.starts_with("--limit-iface")) return {{}};
  const auto* list = std::get_if<WordList>(&o.value);
  std::vector<nf::AddressType> types;
  for (const std::string& name : list ? list->words : std::vector<std::string>{}) {
    const auto type = address_type(name);
    if (!type) return one(option_undecided(m, o));
    types.push_back(*type);
  }
  if (types.empty()) return one(option_undecided(m, o));
  const nf::Read fib = address_type_read(m, o);
  if (family == Family::v6) return addrtype_tests_v6(fib, types, o.negate);
  return one(one_of_types(fib, types, o.negate));
}

// The route back to the source leaves by the device that the packet came in by; --loose: by any.
std::vector<Tests> rpfilter_tests(const Match& m) {
  nf::Read fib{nf::Key::fib_saddr_oif, 0, 0};
  bool invert = false;
  fib.by_iif = true;
  for (const Option& o : m.options) {
    if (o.name == "--loose")
      fib.by_iif = false;
    else if (o.name == "--validmark")
      fib.by_mark = true;
    else if (o.name == "--invert")
      invert = true;
    else
      return cannot_decide(m);
  }
  return one(nf::Compare{std::make_shared<const nf::Expr>(nf::Expr{fib}), invert ? nf::Op::eq : nf::Op::ne, nf::Number{0}});
}

// A packet without a local socket has no owner: then a test fails, but an inverted one succeeds, unlike in nft.
nf::Test owner_test(const Match& m, const Option& o) {
  const auto* r = std::get_if<Range>(&o.value);
  if (!r || (o.name != "--uid-owner" && o.name != "--gid-owner")) return option_undecided(m, o);
  return nf::Compare{nf::read_of(o.name == "--uid-owner" ? nf::Key::skuid : nf::Key::skgid),
                     o.negate ? nf::Op::ne_or_absent : nf::Op::eq, atom_of(*r)};
}

// Ports of a bridge; a packet that is not bridged has none, which satisfies only what is inverted.
nf::Test physdev_test(const Match& m, const Option& o) {
  const bool in = o.name.ends_with("-in");
  const nf::Key key = in ? nf::Key::physdev_in : nf::Key::physdev_out;
  const auto* w = std::get_if<Word>(&o.value);
  if (o.name == "--physdev-in" || o.name == "--physdev-out") {
    if (!w || w->text.empty()) return option_undecided(m, o);
    const bool wildcard = w->text.back() == '+';
    return nf::Compare{nf::read_of(key), equal_op(o.negate),
                       nf::Text{wildcard ? w->text.substr(0, w->text.size() - 1) : w->text, wildcard}};
  }
  // A device compared with 0: there is none.
  if (o.name == "--physdev-is-in" || o.name == "--physdev-is-out" || o.name == "--physdev-is-bridged")
    return nf::Compare{nf::read_of(key), equal_op(!o.negate), nf::Number{0}};
  return option_undecided(m, o);
}

nf::Test pkttype_test(const Match& m, const Option& o) {
  const auto* w = std::get_if<Word>(&o.value);
  static constexpr std::string_view kNames[] = {"unicast", "broadcast", "multicast"};
  const auto* found = w ? std::find(std::begin(kNames), std::end(kNames), w->text) : std::end(kNames);
  if (found == std::end(kNames)) return option_undecided(m, o);
  return equals(nf::Key::pkttype, nf::Number{static_cast<unsigned>(found - std::begin(kNames))}, o.negate);
}

// Counters of members change with every packet: what asks for them stays open.
std::vector<Tests> ipset_tests(const Match& m) {
  nf::InIpset test;
  for (const Option& o : m.options) {
    const auto* w = std::get_if<Words>(&o.value);
    if (o.name == "--match-set" && w != nullptr && w->words.size() == 2) {
      test.set = w->words[0].text;
      test.negate = o.negate;
      for (const std::string_view flag : split(w->words[1].text, ',')) {
        using Dimension = nf::InIpset::Dimension;
        test.dimensions.push_back(flag == "src" ? Dimension::source : Dimension::destination);
      }
    } else if (o.name == "--return-nomatch") {
      test.return_nomatch = true;
    } else if (o.name != "--update-counters" && o.name != "--update-subcounters") {
      return cannot_decide(m);
    }
  }
  if (test.set.empty()) return cannot_decide(m);
  return one(std::move(test));
}

std::vector<Tests> statistic_tests(const Match& m) {
  std::optional<double> probability;
  bool negate = false;
  for (const Option& o : m.options) {
    negate = negate || o.negate;
    if (const auto* w = std::get_if<Word>(&o.value); w && o.name == "--probability") {
      double p = 0;
      const auto [end, error] = std::from_chars(w->text.data(), w->text.data() + w->text.size(), p);
      if (error == std::errc{} && end == w->text.data() + w->text.size() && p >= 0 && p <= 1) probability = p;
    }
    if (const auto* n = std::get_if<std::uint64_t>(&o.value); n && o.name == "--every" && *n > 0)
      probability = 1.0 / static_cast<double>(*n);
  }
  if (probability && negate) probability = 1 - *probability;
  const bool sure = probability && *probability >= 1.0 && !negate;  // the last endpoint of a service
  return sure ? std::vector<Tests>{{}} : cannot_decide(m, probability);
}

std::vector<Tests> recent_tests(const Match& m) {
  for (const Option& o : m.options)
    if (o.name == "--set" && !o.negate) return {{}};  // notes the address and always matches
  return cannot_decide(m);
}

nf::Test group_test(const Match& m, const Option& o) {
  const auto* name = std::get_if<Word>(&o.value);
  static constexpr MaskedNumber kDefaultGroup{0, 0xffffffff};
  const auto* n = name != nullptr && name->text == "default" ? &kDefaultGroup : std::get_if<MaskedNumber>(&o.value);
  if (!n) return option_undecided(m, o);
  return masked_test(o.name == "--src-group" ? nf::Key::iifgroup : nf::Key::oifgroup, *n, o.negate);
}

nf::Test simple_test(const Match& m, const Option& o) {
  const std::string_view module = m.module;
  if (!o.spec) return option_undecided(m, o);
  if (module == "tcp" || module == "udp" || module == "sctp" || module == "dccp" || module == "udplite") return port_test(m, o);
  if (const auto* n = std::get_if<MaskedNumber>(&o.value)) {
    if (module == "mark") return masked_test(nf::Key::mark, *n, o.negate);
    if (module == "connmark") return masked_test(nf::Key::ct_mark, *n, o.negate);
  }
  if (module == "conntrack") return conntrack_test(m, o);
  if (module == "ttl") return hop_test(m, o, nf::Key::ip_ttl);
  if (module == "hl") return hop_test(m, o, nf::Key::ip6_hoplimit);
  if (module == "dscp" || module == "tos") return dscp_test(m, o);
  if (module == "physdev") return physdev_test(m, o);
  if (const auto* n = std::get_if<std::uint64_t>(&o.value); n && module == "ecn" && o.name == "--ecn-ip-ect")
    return equals(nf::Key::ip_ecn, nf::Number{*n}, o.negate);
  if (module == "iprange") return iprange_test(m, o);
  if (module == "owner") return owner_test(m, o);
  if (module == "pkttype") return pkttype_test(m, o);
  if (module == "devgroup") return group_test(m, o);
  if (const auto* r = std::get_if<Range>(&o.value); r && module == "length")
    return equals(nf::Key::length, atom_of(*r), o.negate);
  if (const auto* mac = std::get_if<MacAddr>(&o.value); mac && module == "mac")
    return equals(nf::Key::ether_saddr, nf::Number{mac->value}, o.negate);
  if (const auto* w = std::get_if<Word>(&o.value); w && module == "helper")
    return nf::Compare{nf::read_of(nf::Key::ct_helper), o.negate ? nf::Op::ne_or_absent : nf::Op::eq, nf::Text{w->text, false}};
  return option_undecided(m, o);
}

// The option that asks for the connection's state, where the answer is another one for packets without a connection: other
// options stand beside it, or it says "not translated".
const Option* state_option(const Match& m) {
  for (const Option& o : m.options) {
    if (o.name != "--ctstate" && o.name != "--state") continue;
    const auto* list = std::get_if<WordList>(&o.value);
    const bool not_translated = o.negate && list && state_bits(list->words).status != 0;
    return m.options.size() > 1 || not_translated ? &o : nullptr;
  }
  return nullptr;
}

bool has_unknown_option(const Match& m) {
  return std::any_of(m.options.begin(), m.options.end(), [](const Option& o) { return !o.spec; });
}

}  // namespace

std::vector<Tests> lower_match(const Match& match, Family family) {
  static constexpr std::string_view kWholeOnly[] = {
      "limit",  "hashlimit", "connlimit", "connbytes", "connlabel", "quota", "string", "u32",        "bpf",    "time", "policy",
      "socket", "cgroup",    "osf",       "rateest",   "cluster",   "ipvs",  "cpu",    "realm",      "tcpmss", "ah",   "esp",
      "ipcomp", "frag",      "rt",        "srh",       "hbh",       "dst",   "mh",     "ipv6header", "eui64"};
  if (match.module == "comment" || match.module == "nfacct") return {{}};
  const bool whole = std::find(std::begin(kWholeOnly), std::end(kWholeOnly), match.module) != std::end(kWholeOnly);
  if (!match.known || whole || has_unknown_option(match)) return cannot_decide(match);
  if (match.module == "statistic") return statistic_tests(match);
  if (match.module == "recent") return recent_tests(match);
  if (match.module == "rpfilter") return rpfilter_tests(match);
  if (match.module == "set") return ipset_tests(match);
  std::vector<Tests> all(1);
  std::vector<Tests> apart;  // cases that no other option joins
  if (const Option* state = state_option(match)) {
    apart = tests_without_connection(*state);
    all.front().push_back(no_bits(nf::Key::ct_state, kNoConnection));
  }
  for (const Option& o : match.options) {
    std::vector<Tests> more;
    if (o.name == "--ctstate" || o.name == "--state")
      more = state_tests(match, o);
    else if (match.module == "multiport")
      more = multiport_tests(match, o);
    else if (match.module == "icmp" || match.module == "icmp6")
      more = icmp_tests(match, o, match.module == "icmp6");
    else if (match.module == "addrtype")
      more = addrtype_tests(match, o, family);
    else
      more = one(simple_test(match, o));
    std::vector<Tests> product;
    for (const Tests& left : all)
      for (const Tests& right : more) {
        product.push_back(left);
        product.back().insert(product.back().end(), right.begin(), right.end());
      }
    if (product.size() > 64) return cannot_decide(match);
    all = std::move(product);
  }
  all.insert(all.end(), apart.begin(), apart.end());
  return all;
}

}  // namespace egt::parsers::iptables
