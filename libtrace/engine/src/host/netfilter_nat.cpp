// From a NAT statement to the address and port that the kernel would set up.
#include <algorithm>

#include "egtrace/host/rule_view.h"
#include "netfilter_walk.h"

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

}  // namespace

// False when the rule does not apply; next_ says so where the walk ends with it.
bool ChainWalk::translate(const NatTarget& t, NatDecision& d) {
  d.kind = t.kind;
  d.source = changes_source(t, hook_);
  Concat data;
  if (const auto* e = std::get_if<netfilter::ExprPtr>(&t.address)) {
    const Evaluated value = evaluate(**e, reading(), *this);
    if (value.kind == Evaluated::Kind::absent) return false;
    if (value.kind == Evaluated::Kind::unknown) return cannot_decide(value.what);
    data = value.parts;
  }
  const Chosen chosen = choose_address(t, data);
  if (chosen.failed) return cannot_decide({Property::nat_address});
  d.address = chosen.address;

  if (const auto* fixed = std::get_if<std::pair<std::uint16_t, std::uint16_t>>(&t.port)) {
    choose_port(t, fixed->first, fixed->second, d);
  } else if (const auto* e = std::get_if<netfilter::ExprPtr>(&t.port)) {
    const Evaluated value = evaluate(**e, reading(), *this);
    if (value.kind == Evaluated::Kind::absent) return false;
    const auto range = value.parts.empty() ? std::nullopt : netfilter::range_of(value.parts.front());
    if (!range) return cannot_decide(value, Property::nat_port);
    choose_port(t, static_cast<std::uint16_t>(range->first), static_cast<std::uint16_t>(range->last), d);
  } else if (data.size() > 1) {
    const auto range = netfilter::range_of(data[1]);
    if (!range) return cannot_decide({Property::nat_port});
    choose_port(t, static_cast<std::uint16_t>(range->first), static_cast<std::uint16_t>(range->last), d);
  } else if ((t.random || t.fully_random) && (d.source || !has_ports(context_.packet))) {
    d.port_uncertain = true;  // of an echo the identifier, in either direction (nf_nat_l4proto_unique_tuple())
  }
  return true;
}

ChainWalk::Chosen ChainWalk::choose_address(const NatTarget& t, const Concat& data) {
  if (const auto* range = get_if_boxed<IpRange>(&t.address)) return {pick(*range), false};
  if (const auto* prefix = get_if_boxed<Prefix>(&t.address)) {
    return {mapped(*prefix, changes_source(t, hook_)), false};
  }
  if (std::holds_alternative<std::monostate>(t.address)) return {};
  const auto range = data.empty() ? std::nullopt : netfilter::range_of(data.front());
  if (!range || range->first > range->last) return {std::nullopt, true};
  if (t.kind == NatTarget::Kind::netmap) {
    return {mapped(covering(range->first, range->last, around_.family), changes_source(t, hook_)), false};
  }
  return {pick({{around_.family, range->first}, {around_.family, range->last}}), false};
}

// The kernel picks by a hash of the addresses, which the dumps do not show.
IpAddr ChainWalk::pick(const IpRange& range) {
  if (range.last.value <= range.first.value) return range.first;
  const U128 count = range.last.value - range.first.value + 1;
  std::vector<Option> options;
  for (U128 i = 0; i < std::min(count, kMostOptions); ++i) {
    options.push_back({{Alternative::address, {IpAddr{range.first.family, range.first.value + i}}}});
  }
  if (count > kMostOptions)
    around_.record.assume(
        {Supposition::first_of_range, {static_cast<std::uint64_t>(kMostOptions), range.first, range.last}, {}, evidence()});
  const std::size_t chosen =
      ask(ChoicePoint::Kind::unknown, {Branch::address_of_range, {range.first, range.last}}, std::move(options));
  return {range.first.family, range.first.value + chosen};
}

// A port inside the range is kept. Otherwise destinations take the first one, sources any.
void ChainWalk::choose_port(const NatTarget& t, std::uint16_t first, std::uint16_t last, NatDecision& d) {
  if (!has_ports(context_.packet)) {
    // ICMP identifiers are translated like ports, and the reader never sees them.
    return;
  }
  const Tuple tuple = tuple_of(context_.packet);
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

IpAddr ChainWalk::mapped(const Prefix& to, bool source) const {
  const IpAddr own = source ? src_ip(context_.packet) : dst_ip(context_.packet);
  const U128 mask = to.mask();
  return {own.family, (to.address.value & mask) | (own.value & ~mask & ones(address_bits(own.family)))};
}

}  // namespace egt::engine
