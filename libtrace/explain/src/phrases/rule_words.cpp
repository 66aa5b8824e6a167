#include "rule_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace egt::explain {
namespace {

using netfilter::Atom;
using netfilter::Key;
using netfilter::Number;
using netfilter::NumberRange;
using netfilter::Op;

enum class Look : std::uint8_t { number, hex, ipv4, ipv6, mac, state, status, protocol, type, family, direction };
struct KeyWords {
  Key key;
  std::string_view name;
  Look look;
};
constexpr KeyWords kKeys[] = {
    {Key::ip_saddr, "ip saddr", Look::ipv4},
    {Key::ip_daddr, "ip daddr", Look::ipv4},
    {Key::ip6_saddr, "ip6 saddr", Look::ipv6},
    {Key::ip6_daddr, "ip6 daddr", Look::ipv6},
    {Key::ip_protocol, "protocol", Look::protocol},
    {Key::ip6_nexthdr, "protocol", Look::protocol},
    {Key::l4proto, "protocol", Look::protocol},
    {Key::nfproto, "family", Look::family},
    {Key::ip_ttl, "ttl", Look::number},
    {Key::ip6_hoplimit, "hoplimit", Look::number},
    {Key::ip_dscp, "dscp", Look::hex},
    {Key::ip_ecn, "ecn", Look::number},
    {Key::ip_tos, "tos", Look::hex},
    {Key::sport, "sport", Look::number},
    {Key::dport, "dport", Look::number},
    {Key::tcp_flags, "tcp flags", Look::hex},
    {Key::icmp_type, "icmp type", Look::number},
    {Key::icmp_code, "icmp code", Look::number},
    {Key::icmpv6_type, "icmpv6 type", Look::number},
    {Key::icmpv6_code, "icmpv6 code", Look::number},
    {Key::ether_saddr, "ether saddr", Look::mac},
    {Key::ether_daddr, "ether daddr", Look::mac},
    {Key::ether_type, "ether type", Look::hex},
    {Key::arp_operation, "arp operation", Look::number},
    {Key::arp_saddr_ip, "arp saddr ip", Look::ipv4},
    {Key::arp_saddr_ether, "arp saddr ether", Look::mac},
    {Key::arp_daddr_ip, "arp daddr ip", Look::ipv4},
    {Key::arp_daddr_ether, "arp daddr ether", Look::mac},
    {Key::protocol, "ether type", Look::hex},
    {Key::iif, "iif", Look::number},
    {Key::oif, "oif", Look::number},
    {Key::iifname, "iif", Look::number},
    {Key::oifname, "oif", Look::number},
    {Key::iifgroup, "iifgroup", Look::number},
    {Key::oifgroup, "oifgroup", Look::number},
    {Key::iifkind, "iifkind", Look::number},
    {Key::oifkind, "oifkind", Look::number},
    {Key::physdev_in, "bridge port in", Look::number},
    {Key::physdev_out, "bridge port out", Look::number},
    {Key::mark, "mark", Look::hex},
    {Key::length, "length", Look::number},
    {Key::ip_length, "length", Look::number},
    {Key::ip6_length, "payload length", Look::number},
    {Key::udp_length, "UDP length", Look::number},
    {Key::pkttype, "packet type", Look::number},
    {Key::ct_state, "ct state", Look::state},
    {Key::ct_status, "ct status", Look::status},
    {Key::ct_direction, "ct direction", Look::direction},
    {Key::ct_mark, "ct mark", Look::hex},
    {Key::ct_zone, "ct zone", Look::number},
    {Key::ct_label, "ct label", Look::hex},
    {Key::ct_original_saddr, "ct original saddr", Look::ipv4},
    {Key::ct_original_daddr, "ct original daddr", Look::ipv4},
    {Key::ct_original_sport, "ct original sport", Look::number},
    {Key::ct_original_dport, "ct original dport", Look::number},
    {Key::ct_original_protocol, "ct protocol", Look::protocol},
    {Key::ct_reply_saddr, "ct reply saddr", Look::ipv4},
    {Key::ct_reply_daddr, "ct reply daddr", Look::ipv4},
    {Key::fib_saddr_type, "type of the source", Look::type},
    {Key::fib_daddr_type, "type of the destination", Look::type},
    {Key::fib_saddr_oif, "device towards the source", Look::number},
    {Key::fib_saddr_iif_oif, "device towards the source", Look::number},
    {Key::fib_daddr_oif, "device towards the destination", Look::number},
};

const netfilter::Read* read_of(const netfilter::ExprPtr& e, U128& mask) {
  constexpr int kDeep = 16;
  const netfilter::Expr* at = e.get();
  for (int depth = 0; at != nullptr && depth < kDeep; ++depth) {
    if (const auto* r = std::get_if<netfilter::Read>(&at->node)) return r;
    const auto* m = std::get_if<netfilter::Masked>(&at->node);
    if (m == nullptr) return nullptr;
    mask &= m->mask;
    at = m->operand.get();
  }
  return nullptr;
}

struct Side {
  std::string name = "what it tests";
  Look look = Look::number;
};
Side side_of(const netfilter::ExprPtr& e) {
  U128 mask = ~U128{0};
  const netfilter::Read* r = read_of(e, mask);
  const auto* found = r == nullptr
                          ? std::end(kKeys)
                          : std::find_if(std::begin(kKeys), std::end(kKeys), [&](const auto& k) { return k.key == r->key; });
  if (found == std::end(kKeys)) return {};
  Side side{std::string(found->name), found->look};
  if (mask != ~U128{0} && found->look == Look::hex) side.name += fmt::format(" & {:#x}", static_cast<std::uint64_t>(mask));
  return side;
}

using NamedBits = std::span<const std::pair<unsigned, std::string_view>>;
constexpr std::array<std::pair<unsigned, std::string_view>, 5> kStates{
    {{1, "invalid"}, {2, "established"}, {4, "related"}, {8, "new"}, {64, "untracked"}}};
constexpr std::array<std::pair<unsigned, std::string_view>, 7> kStatus{
    {{1, "expected"}, {2, "seen-reply"}, {4, "assured"}, {8, "confirmed"}, {16, "snat"}, {32, "dnat"}, {512, "dying"}}};

std::string bits(NamedBits names, Number n) {
  std::string out;
  for (const auto& [bit, name] : names)
    if ((n & bit) != 0) out += (out.empty() ? "" : ",") + std::string(name);
  return out.empty() ? "none" : out;
}

std::string number_words(Look look, Number n) {
  static constexpr std::string_view kTypes[] = {"unspec",    "unicast",   "local",       "broadcast", "anycast",
                                                "multicast", "blackhole", "unreachable", "prohibit"};
  switch (look) {
    case Look::hex: return fmt::format("{:#x}", static_cast<std::uint64_t>(n));
    case Look::ipv4:
      return (n >> 32) == 0 ? IpAddr::v4(static_cast<std::uint32_t>(n)).to_string() : IpAddr{Family::v6, n}.to_string();
    case Look::ipv6: return IpAddr{Family::v6, n}.to_string();
    case Look::mac: return MacAddr{static_cast<std::uint64_t>(n)}.to_string();
    case Look::state: return bits(kStates, n);
    case Look::status: return bits(kStatus, n);
    case Look::protocol: return proto_name(static_cast<std::uint8_t>(n), Family::v4);
    case Look::type: return n < std::size(kTypes) ? std::string(kTypes[static_cast<std::size_t>(n)]) : "unknown";
    case Look::family: return n == 2 ? "ipv4" : n == 10 ? "ipv6" : "neither";
    case Look::direction: return n == 0 ? "original" : "reply";
    case Look::number: break;
  }
  return fmt::format("{}", static_cast<std::uint64_t>(n));
}

// An aligned block of addresses is a prefix.
std::string range_words(Look look, const NumberRange& r) {
  const U128 size = r.last - r.first + 1;
  const bool aligned = size != 0 && (size & (size - 1)) == 0 && (r.first & (size - 1)) == 0;
  if (aligned && (look == Look::ipv4 || look == Look::ipv6)) {
    unsigned host_bits = 0;
    for (U128 s = size; s > 1; s >>= 1) ++host_bits;
    const bool v4 = look == Look::ipv4 && (r.last >> 32) == 0;
    return fmt::format("{}/{}", number_words(look, r.first), (v4 ? 32u : 128u) - host_bits);
  }
  return fmt::format("{}-{}", number_words(look, r.first), number_words(look, r.last));
}

std::string atom_words(Look look, const Atom& a) {
  if (const auto* n = std::get_if<Number>(&a)) return number_words(look, *n);
  if (const auto* r = get_if_boxed<NumberRange>(&a)) return range_words(look, *r);
  if (const auto* t = std::get_if<netfilter::Text>(&a)) return t->value.empty() ? "none" : t->value + (t->wildcard ? "*" : "");
  return "anything";
}

std::string wanted_words(const Side& side, const netfilter::Compare& c) {
  static constexpr std::string_view kOps[] = {"", "not ", "less than ", "at most ", "more than ", "at least ", "any of ", "not "};
  if (const auto* n = std::get_if<Number>(&c.right); n != nullptr && side.name.starts_with("device"))
    return (*n == 0) == (c.op == Op::eq) ? "none" : "one";
  return std::string(kOps[static_cast<std::size_t>(c.op)]) + atom_words(side.look, c.right);
}

std::string set_words(const std::vector<Side>& sides, const netfilter::InSet& in) {
  constexpr std::size_t kMost = 4;
  if (!in.set || !in.set->name.empty()) return fmt::format("{}one of @{}", in.negate ? "not " : "", in.set ? in.set->name : "?");
  std::string out;
  for (std::size_t i = 0; i < std::min(in.set->elements.size(), kMost); ++i) {
    std::string key;
    const auto& parts = in.set->elements[i].key;
    for (std::size_t p = 0; p < parts.size(); ++p)
      key += (p == 0 ? "" : " . ") + atom_words(p < sides.size() ? sides[p].look : Look::number, parts[p]);
    out += (out.empty() ? "" : ", ") + key;
  }
  if (in.set->elements.size() > kMost) out += ", …";
  return fmt::format("{}one of {{ {} }}", in.negate ? "not " : "", out);
}

std::string actual_words(const std::vector<Side>& sides, const engine::RuleMiss& miss) {
  std::string out;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const bool known = i < miss.actual.size() && miss.actual[i];
    out += (i == 0 ? "" : ", ") + (known ? fmt::format("{} is {}", sides[i].name, atom_words(sides[i].look, *miss.actual[i]))
                                         : fmt::format("the packet has no {}", sides[i].name));
  }
  return out;
}

// "source is 10.0.0.9, the rule matches src in ipset blocked"
std::string ipset_words(const netfilter::InIpset& in, const engine::RuleMiss& miss) {
  std::string actual, flags;
  const auto& dimensions = in.dimensions;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const bool source = dimensions[i] == netfilter::InIpset::Dimension::source;
    flags += fmt::format("{}{}", i == 0 ? "" : ",", source ? "src" : "dst");
    const auto here = dimensions.begin() + static_cast<std::ptrdiff_t>(i);
    const bool shown = std::find(dimensions.begin(), here, dimensions[i]) != here;
    if (shown || i >= miss.actual.size() || !miss.actual[i]) continue;
    actual += fmt::format("{}{} is {}", actual.empty() ? "" : ", ", source ? "source" : "destination",
                          atom_words(Look::ipv4, *miss.actual[i]));
  }
  return fmt::format("{}, the rule matches {} {}in ipset {}", actual, flags, in.negate ? "not " : "", in.set);
}

}  // namespace

std::string near_miss_words(const engine::RuleMiss& miss) {
  if (miss.failed == nullptr) return {};
  if (const auto* c = std::get_if<netfilter::Compare>(miss.failed)) {
    const Side side = side_of(c->left);
    return fmt::format("{}, the rule matches {}", actual_words({side}, miss), wanted_words(side, *c));
  }
  if (const auto* in = std::get_if<netfilter::InIpset>(miss.failed)) return ipset_words(*in, miss);
  if (const auto* in = std::get_if<netfilter::InSet>(miss.failed)) {
    std::vector<Side> sides;
    for (const auto& e : in->left) sides.push_back(side_of(e));
    return fmt::format("{}, the rule matches {}", actual_words(sides, miss), set_words(sides, *in));
  }
  return {};
}

}  // namespace egt::explain
