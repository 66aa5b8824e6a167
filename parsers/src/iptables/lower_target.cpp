// What the targets of iptables do to a packet (iptables-extensions(8)).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "egtrace/base/text.h"
#include "iptables/lower.h"
#include "iptables/rule_parser.h"
#include "iptables/value.h"

namespace egt::parsers::iptables {
namespace {

namespace nf = netfilter;
using Effects = std::vector<nf::Statement>;

constexpr std::uint64_t kMarkBits = 0xffffffff;

const Option* option(const Target& t, std::string_view name) {
  const auto found = std::find_if(t.options.begin(), t.options.end(), [&](const Option& o) { return o.name == name; });
  return found == t.options.end() ? nullptr : &*found;
}

template <class T>
const T* value(const Target& t, std::string_view name) {
  const Option* o = option(t, name);
  return o ? std::get_if<T>(&o->value) : nullptr;
}

std::uint64_t number_or(const Target& t, std::string_view name, std::uint64_t otherwise) {
  const auto* n = value<std::uint64_t>(t, name);
  return n ? *n : otherwise;
}

Effects opaque(const Target& t) { return {nf::OpaqueStatement{print_target(t)}}; }
Effects annotation(const Target& t) { return {nf::Annotation{print_target(t)}}; }

Effects verdict(nf::Verdict::Kind kind, std::string chain = {}) { return {nf::VerdictStatement{{kind, std::move(chain), {}}}}; }

std::pair<std::uint16_t, std::uint16_t> port_pair(const Range& r) {
  return {static_cast<std::uint16_t>(r.first), static_cast<std::uint16_t>(r.last)};
}

Effects translation(const Target& t, Family family) {
  nf::NatTarget nat;
  nat.family = family;
  nat.random = option(t, "--random");
  nat.fully_random = option(t, "--random-fully");
  if (t.name == "MASQUERADE" || t.name == "REDIRECT") {
    nat.kind = t.name == "MASQUERADE" ? nf::NatTarget::Kind::masquerade : nf::NatTarget::Kind::redirect;
    if (const auto* r = value<Range>(t, "--to-ports"); r && r->last <= 0xffff && r->last != 0) nat.port = port_pair(*r);
    return {nat};
  }
  if (t.name == "NETMAP") {
    const auto* n = value<Network>(t, "--to");
    const auto prefix = n ? Prefix::parse(print_network(*n, true)) : std::nullopt;
    if (!prefix) return opaque(t);
    nat.kind = nf::NatTarget::Kind::netmap;
    nat.address = *prefix;
    return {nat};
  }
  const bool source = t.name == "SNAT";
  const auto* to = value<NatAddress>(t, source ? "--to-source" : "--to-destination");
  if (!to || to->base) return opaque(t);
  nat.kind = source ? nf::NatTarget::Kind::snat : nf::NatTarget::Kind::dnat;
  if (to->address) nat.address = *to->address;
  if (to->ports) nat.port = port_pair(*to->ports);
  return {nat};
}

nf::ExprPtr masked(nf::Key key, std::uint64_t mask) { return mask == kMarkBits ? nf::read_of(key) : read_masked(key, mask); }

std::optional<nf::Number> keep(std::uint64_t mask) {
  const std::uint64_t kept = ~mask & kMarkBits;
  return kept ? std::optional<nf::Number>(kept) : std::nullopt;
}

nf::ExprPtr node(nf::Expr e) { return std::make_shared<const nf::Expr>(std::move(e)); }

// CONNMARK that shifts what it sets, saves or restores: the mark's bits outside of its mask stay.
Effects shifted_mark(const Target& t, int left) {
  constexpr int kMostBits = 31;
  if (left > kMostBits || left < -kMostBits) return opaque(t);
  const auto shifted = [&](nf::ExprPtr e) { return node({nf::Masked{node({nf::Shifted{std::move(e), left}}), kMarkBits, 0}}); };
  const std::uint64_t both = number_or(t, "--mask", kMarkBits);
  const std::uint64_t nf_mask = number_or(t, "--nfmask", both), ct_mask = number_or(t, "--ctmask", both);
  if (option(t, "--save-mark")) return {nf::SetCtMark{shifted(masked(nf::Key::mark, nf_mask)), keep(ct_mask)}};
  if (option(t, "--restore-mark")) return {nf::SetMark{shifted(masked(nf::Key::ct_mark, ct_mask)), keep(nf_mask)}};
  return opaque(t);
}

// TTL and HL; DSCP and TOS.
Effects header_field(const Target& t) {
  if (t.name == "TTL" || t.name == "HL") {
    const nf::Key key = t.name == "TTL" ? nf::Key::ip_ttl : nf::Key::ip6_hoplimit;
    const std::string prefix = t.name == "TTL" ? "--ttl-" : "--hl-";
    if (const auto* n = value<std::uint64_t>(t, prefix + "set")) return {nf::SetField{key, constant(*n), std::nullopt, 0}};
    constexpr std::uint64_t kMost = 255;
    if (const auto* n = value<std::uint64_t>(t, prefix + "inc"); n && *n <= kMost)
      return {nf::SetField{key, nullptr, std::nullopt, static_cast<int>(*n)}};
    if (const auto* n = value<std::uint64_t>(t, prefix + "dec"); n && *n <= kMost)
      return {nf::SetField{key, nullptr, std::nullopt, -static_cast<int>(*n)}};
    return opaque(t);
  }
  if (const auto* n = value<std::uint64_t>(t, "--set-dscp"))
    return {nf::SetField{nf::Key::ip_dscp, constant(*n), std::nullopt, 0}};
  if (const auto* m = value<MaskedNumber>(t, "--set-tos"))
    return {nf::SetField{nf::Key::ip_tos, constant(m->value), nf::Number{~m->mask & 0xff}, 0}};
  return opaque(t);
}

Effects connection_mark(const Target& t) {
  if (const auto* left = value<std::uint64_t>(t, "--left-shift-mark")) return shifted_mark(t, static_cast<int>(*left));
  if (const auto* right = value<std::uint64_t>(t, "--right-shift-mark")) return shifted_mark(t, -static_cast<int>(*right));
  if (const auto* m = value<MaskedNumber>(t, "--set-xmark")) return {nf::SetCtMark{constant(m->value), keep(m->mask)}};
  const std::uint64_t both = number_or(t, "--mask", kMarkBits);
  const std::uint64_t nf_mask = number_or(t, "--nfmask", both), ct_mask = number_or(t, "--ctmask", both);
  if (option(t, "--save-mark")) return {nf::SetCtMark{masked(nf::Key::mark, nf_mask), keep(ct_mask)}};
  if (option(t, "--restore-mark")) return {nf::SetMark{masked(nf::Key::ct_mark, ct_mask), keep(nf_mask)}};
  return opaque(t);
}

Effects track(const Target& t) {
  if (option(t, "--zone-orig") || option(t, "--zone-reply")) return opaque(t);
  Effects effects;
  if (option(t, "--notrack")) effects.push_back(nf::NoTrack{});
  if (const auto* zone = value<Word>(t, "--zone")) {
    const auto number = parse_u64(zone->text);
    if (number && *number <= 0xffff)
      effects.push_back(nf::CtZone{constant(*number)});
    else if (zone->text == "mark")
      effects.push_back(nf::CtZone{nf::read_of(nf::Key::mark)});
    else
      return opaque(t);
  }
  // Events, a helper or a time-out come on a connection of their own, for which a later CT target is too late.
  if (effects.empty()) effects.push_back(nf::CtZone{constant(0)});
  return effects;
}

Effects reject(const Target& t, Family family) {
  nf::Verdict v{nf::Verdict::Kind::reject, {}, family == Family::v4 ? "icmp-port-unreachable" : "icmp6-port-unreachable"};
  if (const auto* w = value<Word>(t, "--reject-with")) v.reject_with = w->text;
  return {nf::VerdictStatement{v}};
}

Effects transparent_proxy(const Target& t) {
  nf::Tproxy proxy;
  proxy.terminal = true;
  proxy.port = static_cast<std::uint16_t>(number_or(t, "--on-port", 0));
  if (const auto* n = value<Network>(t, "--on-ip"); n && !n->address.is_unspecified()) proxy.address = n->address;
  Effects effects;
  if (const auto* m = value<MaskedNumber>(t, "--tproxy-mark")) effects.push_back(nf::SetMark{constant(m->value), keep(m->mask)});
  effects.push_back(proxy);
  return effects;
}

Effects set_update(const Target& t) {
  if (option(t, "--map-set")) return opaque(t);
  Effects updates;
  for (const std::string_view name : {"--add-set", "--del-set"})
    if (const auto* w = value<Words>(t, name); w && !w->words.empty())
      updates.emplace_back(nf::SetUpdate{w->words[0].text, name == "--del-set"});
  return updates.empty() ? opaque(t) : updates;
}

Effects duplicate(const Target& t) {
  nf::Duplicate copy;
  if (const auto* gateway = value<Network>(t, "--gateway")) copy.gateway = constant(gateway->address.value);
  if (const auto* device = value<Word>(t, "--oif")) copy.device = device->text;
  return {std::move(copy)};
}

bool only_reports(std::string_view name) {
  static constexpr std::string_view kNames[] = {"LOG",    "NFLOG",       "ULOG",     "AUDIT",    "TRACE",
                                                "TCPMSS", "TCPOPTSTRIP", "CHECKSUM", "CLASSIFY", "ECN",
                                                "LED",    "IDLETIMER",   "RATEEST",  "SECMARK",  "CONNSECMARK"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

bool has_chain(const nf::Table& table, const std::string& name) {
  return std::any_of(table.chains.begin(), table.chains.end(), [&](const nf::Chain& c) { return c.name == name; });
}

Effects extension(const Target& t, Family family) {
  if (std::any_of(t.options.begin(), t.options.end(), [](const Option& o) { return !o.spec; })) return opaque(t);
  if (t.name == "SNAT" || t.name == "DNAT" || t.name == "MASQUERADE" || t.name == "REDIRECT" || t.name == "NETMAP")
    return translation(t, family);
  if (t.name == "MARK") {
    const auto* m = value<MaskedNumber>(t, "--set-xmark");
    return m ? Effects{nf::SetMark{constant(m->value), keep(m->mask)}} : opaque(t);
  }
  if (t.name == "CONNMARK") return connection_mark(t);
  if (t.name == "TTL" || t.name == "HL" || t.name == "DSCP" || t.name == "TOS") return header_field(t);
  if (t.name == "CT") return track(t);
  if (t.name == "NOTRACK") return {nf::NoTrack{}};
  if (t.name == "REJECT") return reject(t, family);
  if (t.name == "TPROXY") return transparent_proxy(t);
  if (t.name == "SET") return set_update(t);
  if (t.name == "TEE") return duplicate(t);
  if (t.name == "QUEUE" || t.name == "NFQUEUE") return verdict(nf::Verdict::Kind::queue);
  return only_reports(t.name) ? annotation(t) : opaque(t);
}

}  // namespace

std::vector<nf::Statement> lower_target(const Target& target, Family family, const nf::Table& table) {
  if (target.go_to) return verdict(nf::Verdict::Kind::goto_, target.name);
  if (target.name == "ACCEPT") return verdict(nf::Verdict::Kind::accept);
  if (target.name == "DROP") return verdict(nf::Verdict::Kind::drop);
  if (target.name == "RETURN") return verdict(nf::Verdict::Kind::return_);
  if (target.known && !has_chain(table, target.name)) return extension(target, family);
  // Words behind a chain's name cannot be: then it is an extension that is not known here.
  if (!target.options.empty()) return opaque(target);
  return verdict(nf::Verdict::Kind::jump, target.name);
}

}  // namespace egt::parsers::iptables
