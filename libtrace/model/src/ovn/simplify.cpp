// Matches with equalities only (expr_simplify() and expr_evaluate_condition() in lib/expr.c of OVN).
#include "egtrace/ovn/expression.h"

namespace egt::ovn {
namespace {

Expression any_of(std::vector<Expression> terms) {
  if (terms.empty()) return {false};
  if (terms.size() == 1) return std::move(terms.front());
  return {Junction{false, std::move(terms)}};
}

bool bit(U128 v, unsigned i) { return (v >> i) & 1; }

// One alternative a bit: that bit is the other way.
Expression simplify_unequal(const Comparison& c, Inequality inequality) {
  std::vector<Expression> terms;
  for (unsigned i = 0; i < c.symbol->bits; ++i) {
    if (!bit(c.mask, i)) continue;
    const U128 rest = inequality == Inequality::bits ? U128{1} << i : ~ones(i);
    terms.push_back({Comparison{c.symbol, Relop::eq, (c.value & rest) ^ (U128{1} << i), c.mask & rest, {}}});
  }
  return any_of(std::move(terms));
}

// The mask of an order is one run of bits.
Expression simplify_order(const Comparison& c, Inequality inequality) {
  unsigned first = 0;
  while (first < c.symbol->bits && !bit(c.mask, first)) ++first;
  unsigned end = first;
  while (end < c.symbol->bits && bit(c.mask, end)) ++end;
  const bool less = c.relop == Relop::lt || c.relop == Relop::le;
  const bool or_equal = c.relop == Relop::le || c.relop == Relop::ge;
  const U128 run = c.mask & ones(end);
  const U128 extreme = less ? run : 0;  // x <= 65535, x >= 0
  if ((c.value & run) == extreme) return or_equal ? Expression{true} : simplify_unequal(c, inequality);
  std::vector<Expression> terms;
  if (or_equal) terms.push_back({Comparison{c.symbol, Relop::eq, c.value, c.mask, {}}});
  for (unsigned i = first; i < end; ++i) {
    if (bit(c.value, i) != less) continue;
    const U128 below = ones(i) & ~ones(first);
    terms.push_back({Comparison{c.symbol, Relop::eq, (c.value ^ (U128{1} << i)) & ~below, c.mask & ~below, {}}});
  }
  return any_of(std::move(terms));
}

Expression simplify_comparison(const Comparison& c, Inequality inequality) {
  if (c.symbol->is_string()) return {c};
  if (c.relop == Relop::ne) return simplify_unequal(c, inequality);
  if (c.relop != Relop::eq) return simplify_order(c, inequality);
  return c.mask == 0 ? Expression{true} : Expression{c};
}

Expression simplify_membership(const Membership& m, Inequality inequality) {
  std::vector<Expression> terms;
  for (const Constant& constant : m.set->constants().values) {
    Comparison c{m.symbol, m.negated ? Relop::ne : Relop::eq, 0, 0, constant.text};
    if (!m.symbol->is_string()) {
      c.value = (constant.value & ones(m.bits)) << m.shift;
      c.mask = ((constant.masked ? constant.mask : ~U128{0}) & ones(m.bits)) << m.shift;
    }
    terms.push_back(simplify_comparison(c, inequality));
  }
  return {Junction{m.negated, std::move(terms)}};
}

}  // namespace

Expression simplify(Expression e, const Residence& is_resident, Inequality inequality) {
  if (const auto* c = std::get_if<Comparison>(&e.node)) return simplify_comparison(*c, inequality);
  if (const auto* m = std::get_if<Membership>(&e.node)) return simplify_membership(*m, inequality);
  if (const auto* r = std::get_if<ChassisResident>(&e.node)) {
    const auto here = is_resident ? is_resident(r->port) : std::nullopt;
    return here ? Expression{*here != r->negated} : std::move(e);
  }
  auto* junction = std::get_if<Junction>(&e.node);
  if (junction == nullptr) return e;
  Junction simple{junction->conjunction, {}};
  for (Expression& term : junction->terms) {
    Expression s = simplify(std::move(term), is_resident, inequality);
    auto* inner = std::get_if<Junction>(&s.node);
    if (inner && inner->conjunction == simple.conjunction)
      std::move(inner->terms.begin(), inner->terms.end(), std::back_inserter(simple.terms));
    else
      simple.terms.push_back(std::move(s));
  }
  e.node = std::move(simple);
  fix(e);
  return e;
}

}  // namespace egt::ovn
