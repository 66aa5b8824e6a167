// Microflows: a match that leaves exactly one packet (expr_parse_microflow() in lib/expr.c of OVN).
//
// The match is brought into its normal form. One conjunction of single values is a packet; none is a contradiction,
// more are ambiguous.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "egtrace/ovn/normal_form.h"
#include "egtrace/parsers/ovn_lang.h"
#include "ovn_lang/annotate.h"
#include "ovn_lang/expression_parser.h"

namespace egt::parsers::ovn_lang {
namespace {

using ovn::Comparison;
using ovn::Expression;
using ovn::Junction;

FlowKey key_of(const ovn::Conjunct& conjunct, const std::function<std::optional<std::uint32_t>(std::string_view)>& port_key) {
  FlowKey key;
  for (const ovn::Clause& clause : conjunct) {
    const Comparison& c = clause.front();
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

Result<FlowKey, TextError> parse_microflow(std::string_view text, const Environment& environment,
                                           const std::function<std::optional<std::uint32_t>(std::string_view)>& port_key) {
  auto parsed = parse_expression(text, environment);
  if (!parsed) return parsed.error();
  auto annotated = annotate(std::move(*parsed));
  if (!annotated) return annotated.error();
  const auto form = ovn::normal_form(simplify(*annotated, [](std::string_view) { return true; }));
  const auto is_choice = [](const ovn::Clause& clause) { return clause.size() > 1; };
  if (!form || form->size() > 1 || (form->size() == 1 && std::any_of(form->front().begin(), form->front().end(), is_choice)))
    return TextError{fmt::format("Constraints are ambiguous: {}.", to_string(*annotated)), 1};
  if (form->empty()) return TextError{"Constraints are contradictory.", 1};
  for (const ovn::Clause& clause : form->front())
    if (!clause.front().symbol->field)  // ovn-trace crashes
      return TextError{fmt::format("{} is written by actions only; no packet has it.", clause.front().symbol->name), 1};
  return key_of(form->front(), port_key);
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
