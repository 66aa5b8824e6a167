// Grammar of statements: tests and assignments, verdicts, and everything that is not counted as stateful or translation.
#include "nft/x3.h"

namespace egt::parsers::nft {

bool parse_other_statement(Position& first, Position last, Statement& out);

namespace {

template <class Tag, class Attribute>
x3::rule<Tag, Attribute> rule(const char* name) {
  return {name};
}

const auto plain_verdict = rule<struct PlainVerdictRule, std::string>("verdict") =
    x3::lexeme[x3::raw[(x3::lit("accept") | "drop" | "continue" | "return") >> !x3::char_("A-Za-z0-9_-")]];
const auto call = rule<struct CallRule, std::string>("call") =
    x3::lexeme[x3::raw[(x3::lit("jump") | "goto") >> !x3::char_("A-Za-z0-9_-")]];
const auto chain_name = rule<struct ChainNameRule, std::string>("name") = quoted_raw | name_word;
const auto verdict = rule<struct VerdictRule, VerdictExpr>("verdict") =
    plain_verdict[into(&VerdictExpr::kind)] | (call[into(&VerdictExpr::kind)] >> chain_name[into(&VerdictExpr::chain)]);
const auto verdict_statement = rule<struct VerdictStatementRule, VerdictStatement>("verdict") =
    verdict[into(&VerdictStatement::verdict)];
const auto block = rule<struct BlockRule, BlockVerdict>("block") = call[into(&BlockVerdict::kind)] >> '{' >> x3::eoi;

// "LEFT vmap MAP", "LEFT set VALUE", "LEFT [OP] RIGHT".
struct Tested {
  Expression left;
  std::string op;
  Expression right;
};
const auto op = rule<struct OpRule, std::string>("operator") =
    x3::lexeme[x3::raw[x3::lit("==") | "!=" | "<=" | ">=" | "<" | ">" | "!" |
                       ((x3::lit("eq") | "ne" | "le" | "ge" | "lt" | "gt") >> !x3::char_("A-Za-z0-9_-"))]];
const auto word = [](const char* text) { return [text](auto& context) { x3::_val(context).op = text; }; };
const auto tested = rule<struct TestedRule, Tested>("test") = tested_[into(&Tested::left)] >>
                                                              ((kw("vmap")[word("vmap")] >> operand_[into(&Tested::right)]) |
                                                               (kw("set")[word("set")] >> value_[into(&Tested::right)]) |
                                                               (-op[into(&Tested::op)] >> operand_[into(&Tested::right)]));

Statement from_tested(Tested t) {
  if (t.op == "vmap") return {VerdictMap{std::move(t.left), std::move(t.right)}};
  if (t.op == "set") return {Assign{std::move(t.left), std::move(t.right)}};
  return {Match{std::move(t.left), std::move(t.op), std::move(t.right)}};
}
const auto as_test = [](auto& context) { x3::_val(context) = from_tested(std::move(x3::_attr(context))); };
const auto same = [](auto& context) { x3::_val(context) = std::move(x3::_attr(context)); };
const auto other = PlainParser<Statement, &parse_other_statement>{};

}  // namespace

bool parse_statement(Position& first, Position last, Statement& out) {
  static const auto any = x3::rule<struct StatementRule, Statement>{"statement"} =
      block[as_node] | verdict_statement[as_node] | stateful_[same] | tested[as_test] | translation_[same] | other[same];
  return run_grammar(first, last, any, out);
}

}  // namespace egt::parsers::nft
