#include "netfilter_nat.h"

#include <algorithm>

#include "egtrace/host/rule_view.h"

namespace egt::engine {
namespace {

using netfilter::Concat;
using netfilter::Hook;
using netfilter::NatTarget;

constexpr U128 kMostOptions = 8;  // addresses of a range that are walked one by one

bool changes_source(const NatTarget& t, Hook hook) {
  if (t.kind == NatTarget::Kind::netmap) return hook == Hook::postrouting || hook == Hook::input;
  return netfilter::translates_source(t);
}

// The prefix that covers exactly this range, for netmap through a map; its length is 0 where there is none.
Prefix covering(U128 first, U128 last, Family family) {
  unsigned host_bits = 0;
  for (U128 size = last - first; size != 0; size >>= 1) ++host_bits;
  return {{family, first}, static_cast<std::uint8_t>(address_bits(family) - std::min(host_bits, address_bits(family)))};
}

struct Chosen {
  std::optional<IpAddr> address;
  bool failed = false;
};

// The kernel picks by a hash of the addresses, which the dumps do not show.
IpAddr pick(const IpRange& range, RulePosition& at, Record& record) {
  if (range.last.value <= range.first.value) return range.first;
  const U128 count = range.last.value - range.first.value + 1;
  std::vector<Option> options;
  for (U128 i = 0; i < std::min(count, kMostOptions); ++i) {
    options.push_back({{Alternative::address, {IpAddr{range.first.family, range.first.value + i}}}});
  }
  if (count > kMostOptions)
    record.assume(
        {Supposition::first_of_range, {static_cast<std::uint64_t>(kMostOptions), range.first, range.last}, {}, at.evidence()});
  const std::size_t chosen =
      at.ask(ChoicePoint::Kind::unknown, {Branch::address_of_range, {range.first, range.last}}, std::move(options));
  return {range.first.family, range.first.value + chosen};
}

IpAddr mapped(const Prefix& to, const IpAddr& own) {
  const U128 mask = to.mask();
  return {own.family, (to.address.value & mask) | (own.value & ~mask & ones(address_bits(own.family)))};
}

Chosen choose_address(const NatTarget& t, const Concat& data, bool source, RulePosition& at, Record& record) {
  const ReadFrom from = at.reading();
  const auto own = [&] { return source ? src_ip(from.context.packet) : dst_ip(from.context.packet); };
  if (const auto* range = get_if_boxed<IpRange>(&t.address)) return {pick(*range, at, record), false};
  if (const auto* prefix = get_if_boxed<Prefix>(&t.address)) return {mapped(*prefix, own()), false};
  if (std::holds_alternative<std::monostate>(t.address)) return {};
  const auto range = data.empty() ? std::nullopt : netfilter::range_of(data.front());
  if (!range || range->first > range->last) return {std::nullopt, true};
  if (t.kind == NatTarget::Kind::netmap) return {mapped(covering(range->first, range->last, from.family), own()), false};
  return {pick({{from.family, range->first}, {from.family, range->last}}, at, record), false};
}

// A port inside the range is kept. Otherwise destinations take the first one, sources any.
void choose_port(const NatTarget& t, netfilter::NumberRange ports, const FlowKey& packet, NatDecision& d) {
  if (!has_ports(packet)) {
    // ICMP identifiers are translated like ports, and the reader never sees them.
    return;
  }
  const auto first = static_cast<std::uint16_t>(ports.first), last = static_cast<std::uint16_t>(ports.last);
  const Tuple tuple = tuple_of(packet);
  const std::uint16_t own = d.source ? tuple.sport : tuple.dport;
  const bool random = t.random || t.fully_random;
  if (first == last) {
    d.port = first;
    d.only_port = true;
  } else if (own >= first && own <= last && !random) {
    d.port = own;
  } else {
    d.port = first;
    d.port_uncertain = d.source || random;
  }
}

}  // namespace

NatLookup look_up(const NatTarget& t, RulePosition& at, Record& record) {
  const ReadFrom from = at.reading();
  NatDecision d;
  d.kind = t.kind;
  d.source = changes_source(t, from.hook);
  Concat data;
  if (const auto* e = std::get_if<netfilter::ExprPtr>(&t.address)) {
    const Evaluated value = evaluate(**e, from, at);
    if (value.kind == Evaluated::Kind::absent) return {};
    if (value.kind == Evaluated::Kind::unknown) return {{}, value.what};
    data = value.parts;
  }
  const Chosen chosen = choose_address(t, data, d.source, at, record);
  if (chosen.failed) return {{}, Unknown{Property::nat_address}};
  d.address = chosen.address;

  const FlowKey& packet = from.context.packet;
  if (const auto* fixed = std::get_if<std::pair<std::uint16_t, std::uint16_t>>(&t.port)) {
    choose_port(t, {fixed->first, fixed->second}, packet, d);
  } else if (const auto* e = std::get_if<netfilter::ExprPtr>(&t.port)) {
    const Evaluated value = evaluate(**e, from, at);
    if (value.kind == Evaluated::Kind::absent) return {};
    const auto range = value.parts.empty() ? std::nullopt : netfilter::range_of(value.parts.front());
    if (!range) return {{}, unknown_of(value, Property::nat_port)};
    choose_port(t, *range, packet, d);
  } else if (data.size() > 1) {
    const auto range = netfilter::range_of(data[1]);
    if (!range) return {{}, Unknown{Property::nat_port}};
    choose_port(t, *range, packet, d);
  } else if ((t.random || t.fully_random) && (d.source || !has_ports(packet))) {
    d.port_uncertain = true;  // of an echo the identifier, in either direction (nf_nat_l4proto_unique_tuple())
  }
  return {std::move(d), {}};
}

}  // namespace egt::engine
