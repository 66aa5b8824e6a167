#include "ovn_lang/annotate.h"

#include <fmt/format.h>

#include <algorithm>

namespace egt::parsers::ovn_lang {

using ovn::Comparison;
using ovn::Expression;
using ovn::Junction;
using ovn::Membership;
using ovn::Symbol;

std::optional<Expression> Annotator::parse_and_annotate(const std::string& text) {
  auto tree = parse_expression(text, Environment{table_, nullptr, nullptr, 0});
  if (tree && annotate(*tree)) return std::move(*tree);
  error_ = fmt::format("Error parsing expression `{}' encountered as prerequisite or predicate of initial expression: {}", text,
                       tree ? error_ : tree.error().message);
  return std::nullopt;
}

std::optional<Expression> Annotator::parse_within(const Symbol& symbol, const std::string& text) {
  nesting_.push_back(&symbol);
  auto tree = parse_and_annotate(text);
  nesting_.pop_back();
  return tree;
}

std::optional<Expression> Annotator::prerequisite(const Symbol& symbol) {
  if (table_) return parse_and_annotate(symbol.prerequisites);
  if (symbol.prerequisite_tree) return *symbol.prerequisite_tree;
  error_ = symbol.prerequisite_error;
  return std::nullopt;
}

std::optional<Expression> Annotator::predicate(const Symbol& symbol) {
  if (table_) return parse_and_annotate(symbol.predicate);
  if (symbol.predicate_tree) return *symbol.predicate_tree;
  error_ = symbol.predicate_error;
  return std::nullopt;
}

bool Annotator::append_prerequisites(Expression& e, const Symbol& symbol) {
  if (symbol.prerequisites.empty()) return true;
  auto tree = prerequisite(symbol);
  if (!tree) return false;
  e = combine(true, std::move(e), std::move(*tree));
  return true;
}

bool Annotator::annotate_leaf(Expression& e, const Symbol& symbol, bool with_prerequisites) {
  if (std::find(nesting_.begin(), nesting_.end(), &symbol) != nesting_.end()) {
    error_ = fmt::format("Recursive expansion of symbol `{}'.", symbol.name);
    return false;
  }
  nesting_.push_back(&symbol);
  std::optional<Expression> needed;
  bool good = true;
  if (with_prerequisites && !symbol.prerequisites.empty()) good = (needed = prerequisite(symbol)).has_value();
  if (good && symbol.parent) {
    if (auto* c = std::get_if<Comparison>(&e.node)) {
      c->symbol = symbol.parent;
      c->value <<= symbol.first_in_parent;
      c->mask <<= symbol.first_in_parent;
    } else {
      auto& m = std::get<Membership>(e.node);
      m.symbol = symbol.parent;
      m.shift = static_cast<std::uint16_t>(m.shift + symbol.first_in_parent);
    }
  } else if (good && !symbol.predicate.empty()) {
    const auto& c = std::get<Comparison>(e.node);
    const bool positive = ((c.value & 1) != 0) ^ (c.relop == ovn::Relop::ne);
    auto tree = predicate(symbol);
    if ((good = tree.has_value())) {
      if (!positive) negate(*tree);
      e = std::move(*tree);
    }
  }
  nesting_.pop_back();
  if (good && needed) e = combine(true, std::move(e), std::move(*needed));
  return good;
}

// Where all terms are over one symbol its prerequisites are asked for once.
bool Annotator::annotate_junction(Expression& e, bool with_prerequisites) {
  if (with_prerequisites)
    if (const Symbol* symbol = unique_symbol(e)) {
      with_prerequisites = false;
      if (!append_prerequisites(e, *symbol)) return false;
    }
  auto& junction = std::get<Junction>(e.node);
  const bool conjunction = junction.conjunction;
  Junction annotated{conjunction, {}};
  annotated.terms.reserve(junction.terms.size());
  for (Expression& term : junction.terms) {
    if (!annotate(term, with_prerequisites)) return false;
    auto* inner = std::get_if<Junction>(&term.node);
    if (inner && inner->conjunction == conjunction)
      std::move(inner->terms.begin(), inner->terms.end(), std::back_inserter(annotated.terms));
    else
      annotated.terms.push_back(std::move(term));
  }
  e.node = std::move(annotated);
  return true;
}

bool Annotator::annotate(Expression& e, bool with_prerequisites) {
  if (const auto* c = std::get_if<Comparison>(&e.node)) return annotate_leaf(e, *c->symbol, with_prerequisites);
  if (const auto* m = std::get_if<Membership>(&e.node)) return annotate_leaf(e, *m->symbol, with_prerequisites);
  if (std::holds_alternative<Junction>(e.node)) return annotate_junction(e, with_prerequisites);
  return true;
}

Result<Expression, TextError> annotate(Expression expression) {
  Annotator annotator;
  if (!annotator.annotate(expression)) return TextError{annotator.error(), 1};
  return expression;
}

}  // namespace egt::parsers::ovn_lang
