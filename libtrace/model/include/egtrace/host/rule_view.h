// What single statements of netfilter rules do, without a packet.
#pragma once

#include <initializer_list>
#include <optional>

#include "egtrace/host/netfilter.h"

namespace egt::netfilter {

// A test that compares one key, whole, with a constant, as most do.
struct Comparison {
  Key key = Key::unknown;
  Op op = Op::eq;
  const Atom* value = nullptr;
};
std::optional<Comparison> comparison(const Statement& s);

// The one number that one of these keys must be equal to.
std::optional<Number> asked_number(const Statement& s, std::initializer_list<Key> keys);
// The device that the packet must leave by (oifname) or have come by (iifname); empty where the statement does not ask.
std::string asked_device(const Statement& s, Key key);

std::optional<NumberRange> range_of(const Atom& a);
std::optional<Number> constant(const ExprPtr& e);

// The rule's translation; null where it has none.
const NatTarget* translation(const Rule& rule);
bool translates_source(const NatTarget& target);  // snat, masquerade

}  // namespace egt::netfilter
