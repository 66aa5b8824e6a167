#include "ovn/condition.h"

#include <algorithm>

namespace egt::engine {
namespace {

using ovn::Relop;

bool test(Relop relop, U128 a, U128 b) {
  switch (relop) {
    case Relop::eq: return a == b;
    case Relop::ne: return a != b;
    case Relop::lt: return a < b;
    case Relop::le: return a <= b;
    case Relop::gt: return a > b;
    case Relop::ge: return a >= b;
  }
  return false;
}

// A field that lies on no bits of the packet (icmp4.frag_mtu) cannot be matched on.
FieldId field_of(const ovn::Symbol& s) { return s.field.value_or(FieldId::count_); }

// x == 0/0 and its like do not look at the packet.
Condition folded(const ovn::Comparison& c) {
  if (c.mask == 0) return {test(c.relop, 0, 0)};
  return {Condition::Compare{field_of(*c.symbol), c.relop, c.value, c.mask}};
}

FlowKey all_ones() {
  FlowKey key;
  for (std::size_t i = 0; i < kFlowKeyWords; ++i) key.set_word(i, ~std::uint64_t{0});
  return key;
}

}  // namespace

Condition::Compare::Compare(FieldId of, Relop how, U128 wanted, U128 under) : field(of), relop(how), value(wanted), mask(under) {
  static const FlowKey kOnes = all_ones();
  if (relop != Relop::eq || of == FieldId::count_ || egt::field(of).bits > 64) return;
  const Field& place = egt::field(of);
  const U128 seen = kOnes.get(of) & mask;
  if ((value & ~seen) != 0) return;
  word = place.word;
  word_mask = low64(seen) << place.shift;
  word_value = low64(value) << place.shift;
}

bool Condition::Compare::holds_by_field(const FlowKey& packet) const { return test(relop, packet.get(field) & mask, value); }

bool Condition::holds(const FlowKey& packet) const {
  switch (node.index()) {
    case 0: return std::get<0>(node);
    case 1: return std::get<1>(node).holds(packet);
    case 2: {
      const auto& m = std::get<2>(node);
      return m.set->contains(packet.get(m.field) >> m.shift & ones(m.bits)) != m.negated;
    }
    case 3: {
      const auto& p = std::get<3>(node);
      return std::binary_search(p.keys->begin(), p.keys->end(), packet.u32(p.field));
    }
    default: {
      const auto& s = std::get<4>(node);
      for (const Condition& term : s.terms) {
        const auto* compare = std::get_if<Compare>(&term.node);
        if ((compare ? compare->holds(packet) : term.holds(packet)) != s.all) return !s.all;
      }
      return s.all;
    }
  }
}

Condition ConditionCompiler::compile(const ovn::Expression& e) const {
  if (const auto* value = std::get_if<bool>(&e.node)) return {*value};
  if (const auto* r = std::get_if<ovn::ChassisResident>(&e.node)) return {is_port_(r->port) != r->negated};
  if (const auto* c = std::get_if<ovn::Comparison>(&e.node)) {
    if (!c->symbol->field) return {false};
    if (!c->symbol->is_string()) return folded(*c);
    const auto key = port_key_(c->text);
    if (!key) return {false};
    return {Condition::Compare{*c->symbol->field, c->relop, *key, ones(32)}};
  }
  if (const auto* m = std::get_if<ovn::Membership>(&e.node)) {
    if (!m->symbol->field) return {false};
    if (m->symbol->is_string()) return {Condition::PortIn{*m->symbol->field, &group_keys_(*m->set)}};
    return {Condition::Member{*m->symbol->field, m->shift, m->bits, m->negated, m->set}};
  }
  const auto& junction = std::get<ovn::Junction>(e.node);
  Condition::Several several{junction.conjunction, {}};
  for (const ovn::Expression& term : junction.terms) {
    Condition c = compile(term);
    if (c.is(!several.all)) return c;
    if (!c.is(several.all)) several.terms.push_back(std::move(c));
  }
  if (several.terms.empty()) return {several.all};
  if (several.terms.size() == 1) {
    Condition only = std::move(several.terms.front());
    return only;
  }
  return {std::move(several)};
}

}  // namespace egt::engine
