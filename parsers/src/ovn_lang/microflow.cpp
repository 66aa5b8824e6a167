// Microflows: a match that leaves exactly one packet (expr_parse_microflow() in lib/expr.c of OVN).
//
// The match becomes a list of conjunctions of plain values. One conjunction is a packet; none is a contradiction,
// several are ambiguous.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "egtrace/parsers/ovn_lang.h"
#include "ovn_lang/annotate.h"
#include "ovn_lang/expression_parser.h"

namespace egt::parsers::ovn_lang {
namespace {

using ovn::Comparison;
using ovn::Expression;
using ovn::Junction;

constexpr std::size_t kMaxAlternatives = 4096;

using Conjunct = std::vector<Comparison>;  // one a symbol
using Alternatives = std::vector<Conjunct>;

// Adds a comparison; false where it contradicts what is there.
bool constrain(Conjunct& conjunct, const Comparison& c) {
  const auto it =
      std::find_if(conjunct.begin(), conjunct.end(), [&](const Comparison& x) { return x.symbol == c.symbol; });
  if (it == conjunct.end()) {
    conjunct.push_back(c);
    return true;
  }
  if (c.symbol->is_string()) return it->text == c.text;
  if ((it->value ^ c.value) & it->mask & c.mask) return false;
  it->value |= c.value;
  it->mask |= c.mask;
  return true;
}

bool implies(const Comparison& a, const Comparison& b) {
  if (a.symbol->is_string()) return a.text == b.text;
  return (a.mask & b.mask) == b.mask && ((a.value ^ b.value) & b.mask) == 0;
}

// Of alternatives over one symbol those that another covers say nothing new.
void drop_covered(Alternatives& alternatives) {
  for (std::size_t i = 0; i < alternatives.size(); ++i)
    for (std::size_t j = 0; j < alternatives.size();) {
      const Conjunct &a = alternatives[j], &b = alternatives[i];
      const bool covered =
          i != j && a.size() == 1 && b.size() == 1 && a[0].symbol == b[0].symbol && implies(a[0], b[0]);
      if (!covered) {
        ++j;
        continue;
      }
      alternatives.erase(alternatives.begin() + static_cast<std::ptrdiff_t>(j));
      if (j < i) --i;
    }
}

// Whether the alternatives stay few enough.
bool multiply(Alternatives& result, const Alternatives& by) {
  Alternatives product;
  for (const Conjunct& a : result)
    for (const Conjunct& b : by) {
      Conjunct both = a;
      const bool possible = std::all_of(b.begin(), b.end(), [&](const Comparison& c) { return constrain(both, c); });
      if (possible) product.push_back(std::move(both));
      if (product.size() > kMaxAlternatives) return false;
    }
  result = std::move(product);
  return true;
}

bool alternatives_of(const Expression& e, Alternatives& result);

bool alternatives_of_all(const Junction& junction, Alternatives& result) {
  std::vector<Alternatives> factors;
  for (const Expression& term : junction.terms)
    if (!alternatives_of(term, factors.emplace_back())) return false;
  // What leaves no choice comes first: it rules out the most.
  std::stable_sort(factors.begin(), factors.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  result = {{}};
  return std::all_of(factors.begin(), factors.end(), [&](const Alternatives& f) { return multiply(result, f); });
}

bool alternatives_of(const Expression& e, Alternatives& result) {
  if (const auto* value = std::get_if<bool>(&e.node)) {
    if (*value) result.emplace_back();
    return true;
  }
  if (const auto* c = std::get_if<Comparison>(&e.node)) {
    result.push_back({*c});
    return true;
  }
  const auto& junction = std::get<Junction>(e.node);
  if (junction.conjunction) return alternatives_of_all(junction, result);
  for (const Expression& term : junction.terms) {
    Alternatives more;
    if (!alternatives_of(term, more)) return false;
    result.insert(result.end(), more.begin(), more.end());
    if (result.size() > kMaxAlternatives) return false;
  }
  if (unique_symbol(e)) drop_covered(result);
  return true;
}

FlowKey key_of(const Conjunct& conjunct,
               const std::function<std::optional<std::uint32_t>(std::string_view)>& port_key) {
  FlowKey key;
  for (const Comparison& c : conjunct) {
    if (!c.symbol->field) continue;
    if (c.symbol->is_string()) {
      if (const auto port = port_key(c.text)) key.set(*c.symbol->field, *port);
    } else {
      key.set(*c.symbol->field, (key.get(*c.symbol->field) & ~c.mask) | (c.value & c.mask));
    }
  }
  return key;
}

void find_inports(const Expression& e, std::set<std::string>& names) {
  if (const auto* c = std::get_if<Comparison>(&e.node)) {
    if (c->symbol->is_string() && c->symbol->name == "inport" && c->relop == ovn::Relop::eq) names.insert(c->text);
  } else if (const auto* m = std::get_if<ovn::Membership>(&e.node)) {
    if (m->symbol->name == "inport" && !m->negated)
      for (const ovn::Constant& name : m->set->constants().values) names.insert(name.text);
  } else if (const auto* junction = std::get_if<Junction>(&e.node)) {
    for (const Expression& term : junction->terms) find_inports(term, names);
  }
}

}  // namespace

Result<Expression, TextError> parse_expression(std::string_view text, const Environment& environment) {
  Lexer lexer(text);
  ExpressionParser parser(lexer, environment);
  auto expression = parser.parse();
  lexer.force_end();
  if (lexer.failed()) return TextError{lexer.message(), lexer.column()};
  if (!expression) return TextError{"Expression expected.", 1};
  return std::move(*expression);
}

Result<FlowKey, TextError> parse_microflow(
    std::string_view text, const Environment& environment,
    const std::function<std::optional<std::uint32_t>(std::string_view)>& port_key) {
  auto parsed = parse_expression(text, environment);
  if (!parsed) return parsed.error();
  auto annotated = annotate(std::move(*parsed));
  if (!annotated) return annotated.error();
  const Expression simple = simplify(*annotated, [](std::string_view) { return true; });
  Alternatives alternatives;
  const bool few = alternatives_of(simple, alternatives);
  if (!few || alternatives.size() > 1)
    return TextError{fmt::format("Constraints are ambiguous: {}.", to_string(*annotated)), 1};
  if (alternatives.empty()) return TextError{"Constraints are contradictory.", 1};
  return key_of(alternatives.front(), port_key);
}

Result<std::string, TextError> find_inport(std::string_view text, const Environment& environment) {
  const auto parsed = parse_expression(text, environment);
  if (!parsed) return parsed.error();
  std::set<std::string> names;
  find_inports(*parsed, names);
  if (names.empty()) return TextError{"flow match expression does not match on inport", 1};
  if (names.size() > 1) return TextError{"flow match expression matches on multiple inports", 1};
  return *names.begin();
}

}  // namespace egt::parsers::ovn_lang
