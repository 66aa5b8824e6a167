#include "egtrace/host/rule_view.h"

#include <algorithm>

namespace egt::netfilter {

std::optional<Comparison> comparison(const Statement& s) {
  const auto* test = std::get_if<Test>(&s);
  const auto* compare = test == nullptr ? nullptr : std::get_if<Compare>(test);
  const auto* read = compare == nullptr || compare->left == nullptr ? nullptr : std::get_if<Read>(&compare->left->node);
  return read == nullptr ? std::nullopt : std::optional(Comparison{read->key, compare->op, &compare->right});
}

std::optional<Number> asked_number(const Statement& s, std::initializer_list<Key> keys) {
  const auto c = comparison(s);
  if (!c || c->op != Op::eq || std::find(keys.begin(), keys.end(), c->key) == keys.end()) return std::nullopt;
  const auto range = range_of(*c->value);
  return range && range->first == range->last ? std::optional(range->first) : std::nullopt;
}

std::string asked_device(const Statement& s, Key key) {
  const auto c = comparison(s);
  const auto* name = c && c->op == Op::eq && c->key == key ? std::get_if<Text>(c->value) : nullptr;
  return name == nullptr || name->wildcard ? std::string() : name->value.str();
}

std::optional<NumberRange> range_of(const Atom& a) {
  if (const auto* n = std::get_if<Number>(&a)) return NumberRange{*n, *n};
  if (const auto* r = get_if_boxed<NumberRange>(&a)) return *r;
  return std::nullopt;
}

std::optional<Number> constant(const ExprPtr& e) {
  const auto* c = e ? std::get_if<Constant>(&e->node) : nullptr;
  const auto* n = c == nullptr ? nullptr : std::get_if<Number>(&c->value);
  return n == nullptr ? std::nullopt : std::optional(*n);
}

const NatTarget* translation(const Rule& rule) {
  for (const Statement& s : rule.statements)
    if (const auto* target = std::get_if<NatTarget>(&s)) return target;
  return nullptr;
}

bool translates_source(const NatTarget& target) {
  return target.kind == NatTarget::Kind::snat || target.kind == NatTarget::Kind::masquerade;
}

}  // namespace egt::netfilter
