// Grammar of operators, lists, sets and maps around selectors and literals.
#include <algorithm>

#include "nft/keywords.h"
#include "nft/x3.h"

namespace egt::parsers::nft {
namespace {

template <class Tag, class Attribute>
x3::rule<Tag, Attribute> rule(const char* name) {
  return {name};
}

// --- binary operators ----------------------------------------------------------------------------------------------
struct Operation {
  std::string op;
  Expression operand;
};
struct OperatorChain {
  Expression first;
  std::vector<Operation> rest;
};  // operators as they stand, before precedence

int precedence(const std::string& word) {
  const std::string_view op = op_symbol(word);
  if (op == "<<" || op == ">>") return 4;
  if (op == "&") return 3;
  if (op == "^") return 2;
  return 1;
}

// Folds operators of at least `lowest` precedence, left to right; `at` stands at the first unread operation.
Expression fold(Expression left, std::vector<Operation>& rest, std::size_t& at, int lowest) {
  while (at < rest.size() && precedence(rest[at].op) >= lowest) {
    BinaryExpr b;
    b.op = rest[at].op;
    const int own = precedence(b.op);
    Expression right = std::move(rest[at++].operand);
    if (at < rest.size() && precedence(rest[at].op) > own) right = fold(std::move(right), rest, at, own + 1);
    b.operands.push_back(std::move(left));
    b.operands.push_back(std::move(right));
    left = Expression{std::move(b)};
  }
  return left;
}

const auto fold_chain = [](auto& context) {
  OperatorChain& chain = x3::_attr(context);
  std::size_t at = 0;
  x3::_val(context) = fold(std::move(chain.first), chain.rest, at, 0);
};
const auto in_parentheses = [](auto& context) {
  x3::_val(context) = std::move(x3::_attr(context));
  if (auto* b = std::get_if<BinaryExpr>(&x3::_val(context).node)) b->in_parentheses = true;
};
const auto same = [](auto& context) { x3::_val(context) = std::move(x3::_attr(context)); };

// One of a number of parts, or a node that holds all of them.
template <class Node>
auto one_or() {
  return [](auto& context) {
    auto& parts = x3::_attr(context);
    if (parts.size() == 1) {
      x3::_val(context) = std::move(parts.front());
    } else {
      x3::_val(context).node = Node{std::move(parts)};
    }
  };
}

const auto binary_op = rule<struct BinaryOpRule, std::string>("operator") =
    x3::lexeme[x3::raw[x3::lit("<<") | ">>" | x3::char_("&|^") |
                       ((x3::lit("and") | "or" | "xor" | "lshift" | "rshift") >> !x3::char_("A-Za-z0-9_-"))]];

// The grammar of operators over `Leaf`; each leaf needs rules of its own, hence the tag.
template <class Tag>
struct OperationTag;
template <class Tag>
struct ChainTag;
template <class Tag>
struct ParenTag;
template <class Tag>
struct FoldTag;

bool parse_literal_tree(Position& first, Position last, Expression& out);
bool parse_value_tree(Position& first, Position last, Expression& out);
bool parse_tested_tree(Position& first, Position last, Expression& out);

template <class Tag, class Self, class First, class Rest>
auto operators(const Self& self, const First& first, const Rest& rest) {
  const auto group = rule<ParenTag<Tag>, Expression>("group") = '(' >> self[in_parentheses] >> ')';
  const auto operation = rule<OperationTag<Tag>, Operation>("operation") =
      binary_op[into(&Operation::op)] >> (group[into(&Operation::operand)] | rest[into(&Operation::operand)]);
  const auto chain = rule<ChainTag<Tag>, OperatorChain>("chain") =
      (group[into(&OperatorChain::first)] | first[into(&OperatorChain::first)]) >> *operation[append(&OperatorChain::rest)];
  return rule<FoldTag<Tag>, Expression>("operators") = chain[fold_chain];
}

const auto selector_or_literal = rule<struct EitherRule, Expression>("value") = selector_[same] | literal_[same];

bool parse_literal_tree(Position& first, Position last, Expression& out) {
  static const auto self = PlainParser<Expression, &parse_literal_tree>{};
  static const auto grammar = operators<struct LiteralTree>(self, literal_, literal_);
  return run_grammar(first, last, grammar, out);
}
bool parse_value_tree(Position& first, Position last, Expression& out) {
  static const auto self = PlainParser<Expression, &parse_value_tree>{};
  static const auto grammar = operators<struct ValueTree>(self, selector_or_literal, selector_or_literal);
  return run_grammar(first, last, grammar, out);
}
bool parse_tested_tree(Position& first, Position last, Expression& out) {
  static const auto inner = PlainParser<Expression, &parse_value_tree>{};
  static const auto grammar = operators<struct TestedTree>(inner, selector_, selector_or_literal);
  return run_grammar(first, last, grammar, out);
}

const auto literal_tree = PlainParser<Expression, &parse_literal_tree>{};
const auto value_tree = PlainParser<Expression, &parse_value_tree>{};
const auto tested_tree = PlainParser<Expression, &parse_tested_tree>{};

using Parts = std::vector<Expression>;
const auto flags = rule<struct FlagsRule, Parts>("flags") = literal_tree % ',';
const auto flag_list = rule<struct FlagListRule, Expression>("flag list") = flags[one_or<ListExpr>()];

const auto set_reference = rule<struct SetReferenceRule, SetReference>("set") =
    x3::lexeme['@' >> name_word[into(&SetReference::name)]];

}  // namespace

bool parse_tested(Position& first, Position last, Expression& out) {
  static const auto parts = rule<struct TestedPartsRule, Parts>("tested") = tested_tree % (x3::lit('.') >> x3::eps);
  static const auto grammar = rule<struct TestedRule, Expression>("tested") = parts[one_or<ConcatExpr>()];
  return run_grammar(first, last, grammar, out);
}

bool parse_operand(Position& first, Position last, Expression& out) {
  static const auto masked = rule<struct MaskedRule, BinaryExpr>("flags / mask") =
      flag_list[append(&BinaryExpr::operands)] >> x3::lit('/')[([](auto& context) { x3::_val(context).op = "/"; })] >>
      flag_list[append(&BinaryExpr::operands)];
  static const auto grammar = rule<struct OperandRule, Expression>("operand") =
      set_[same] | set_reference[as_node] | masked[as_node] | flag_list[same];
  return run_grammar(first, last, grammar, out);
}

bool parse_value(Position& first, Position last, Expression& out) {
  static const auto parts = rule<struct ValuePartsRule, Parts>("value") = value_tree % (x3::lit('.') >> x3::eps);
  static const auto key = rule<struct ValueKeyRule, Expression>("value") = parts[one_or<ConcatExpr>()];
  static const auto target = rule<struct MapTargetRule, Expression>("map") = set_[same] | set_reference[as_node];
  static const auto map = rule<struct MapRule, MapExpr>("map") =
      key[append(&MapExpr::key_and_map)] >> -(kw("map") >> target[append(&MapExpr::key_and_map)]);
  static const auto mapped = [](auto& context) {
    auto& parts_of_map = x3::_attr(context).key_and_map;
    if (parts_of_map.size() == 1) {
      x3::_val(context) = std::move(parts_of_map.front());
    } else {
      x3::_val(context).node = std::move(x3::_attr(context));
    }
  };
  static const auto list_tail = rule<struct ValueListRule, Parts>("list") = +(',' >> literal_tree);
  static const auto listed = [](auto& context) {
    ListExpr list;
    list.parts.push_back(std::move(x3::_val(context)));
    for (auto& e : x3::_attr(context)) list.parts.push_back(std::move(e));
    x3::_val(context).node = std::move(list);
  };
  static const auto grammar = rule<struct ValueRule, Expression>("value") = map[mapped] >> -list_tail[listed];
  return run_grammar(first, last, grammar, out);
}

}  // namespace egt::parsers::nft
