// Building trees of matches (lib/expr.c of OVN is the ruling implementation).
#include "egtrace/ovn/expression.h"

#include <algorithm>
#include <bit>

namespace egt::ovn {
namespace {

Relop inverted(Relop r) {
  switch (r) {
    case Relop::eq: return Relop::ne;
    case Relop::ne: return Relop::eq;
    case Relop::lt: return Relop::ge;
    case Relop::le: return Relop::gt;
    case Relop::gt: return Relop::le;
    case Relop::ge: return Relop::lt;
  }
  return r;
}

void append_terms(std::vector<Expression>& terms, bool conjunction, Expression e) {
  auto* junction = std::get_if<Junction>(&e.node);
  if (junction == nullptr || junction->conjunction != conjunction) {
    terms.push_back(std::move(e));
    return;
  }
  if (terms.empty())
    terms = std::move(junction->terms);
  else
    terms.insert(terms.end(), std::make_move_iterator(junction->terms.begin()), std::make_move_iterator(junction->terms.end()));
}

unsigned bit_width(U128 v) {
  const std::uint64_t high = high64(v);
  return high ? 64u + static_cast<unsigned>(std::bit_width(high)) : static_cast<unsigned>(std::bit_width(low64(v)));
}

}  // namespace

Subfield FieldRef::subfield() const {
  unsigned at = first;
  const Symbol* s = symbol;
  for (; s->parent != nullptr; s = s->parent) at += s->first_in_parent;
  const FieldId id = s->field.value_or(FieldId::reg0);
  return {id, static_cast<std::uint16_t>(at), s->is_string() ? field(id).bits : bits};
}

ValueSet::ValueSet(std::string name, ConstantSet constants) : name_(std::move(name)), constants_(std::move(constants)) {
  for (const Constant& c : constants_.values) {
    if (c.masked)
      masked_.emplace_back(c.mask, c.value);
    else
      exact_.push_back(c.value);
    if (!constants_.strings) width_ = std::max(width_, width_of(c));
  }
  std::sort(exact_.begin(), exact_.end());
  std::sort(masked_.begin(), masked_.end());
}

// Masked values are grouped by their mask: a set has few masks, however many values it has.
bool ValueSet::contains(U128 value) const {
  if (std::binary_search(exact_.begin(), exact_.end(), value)) return true;
  for (auto it = masked_.begin(); it != masked_.end();) {
    const U128 mask = it->first;
    const auto end = std::upper_bound(it, masked_.end(), std::pair(mask, ~U128{0}));
    if (std::binary_search(it, end, std::pair(mask, value & mask))) return true;
    it = end;
  }
  return false;
}

Expression combine(bool conjunction, Expression a, Expression b) {
  Junction joined{conjunction, {}};
  append_terms(joined.terms, conjunction, std::move(a));
  append_terms(joined.terms, conjunction, std::move(b));
  return {std::move(joined)};
}

void negate(Expression& e) {
  if (auto* value = std::get_if<bool>(&e.node))
    *value = !*value;
  else if (auto* comparison = std::get_if<Comparison>(&e.node))
    comparison->relop = inverted(comparison->relop);
  else if (auto* membership = std::get_if<Membership>(&e.node))
    membership->negated = !membership->negated;
  else if (auto* resident = std::get_if<ChassisResident>(&e.node))
    resident->negated = !resident->negated;
  else {
    auto& junction = std::get<Junction>(e.node);
    junction.conjunction = !junction.conjunction;
    for (Expression& term : junction.terms) negate(term);
  }
}

void fix(Expression& e) {
  auto* junction = std::get_if<Junction>(&e.node);
  if (junction == nullptr) return;
  const bool neutral = junction->conjunction;
  for (const Expression& term : junction->terms)
    if (term.is_constant(!neutral)) {
      e.node = !neutral;
      return;
    }
  std::erase_if(junction->terms, [&](const Expression& term) { return term.is_constant(neutral); });
  if (junction->terms.empty()) {
    e.node = neutral;
  } else if (junction->terms.size() == 1) {
    Expression only = std::move(junction->terms.front());
    e = std::move(only);
  }
}

const Symbol* unique_symbol(const Expression& e) {
  if (const auto* comparison = std::get_if<Comparison>(&e.node)) return comparison->symbol;
  if (const auto* membership = std::get_if<Membership>(&e.node)) return membership->symbol;
  const auto* junction = std::get_if<Junction>(&e.node);
  if (junction == nullptr) return nullptr;
  const Symbol* common = nullptr;
  for (const Expression& term : junction->terms) {
    const Symbol* symbol = unique_symbol(term);
    if (symbol == nullptr || (common != nullptr && symbol != common)) return nullptr;
    common = symbol;
  }
  return common;
}

unsigned width_of(const Constant& c) {
  if (c.excess) return c.excess;
  if (c.masked) return bit_width(c.mask);
  switch (c.format) {
    case ConstantFormat::decimal:
    case ConstantFormat::hexadecimal: return bit_width(c.value);
    case ConstantFormat::ipv4: return 32;
    case ConstantFormat::ipv6: return 128;
    case ConstantFormat::ethernet: return 48;
  }
  return 0;
}

}  // namespace egt::ovn
