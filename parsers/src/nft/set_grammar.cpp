// Grammar of element lists: sets, maps and verdict maps, anonymous or named, and the element of a dynamic update.
#include <algorithm>

#include "nft/x3.h"

namespace egt::parsers::nft {

bool parse_element_value(Position& first, Position last, Expression& out);

namespace {

template <class Tag, class Attribute>
x3::rule<Tag, Attribute> rule(const char* name) {
  return {name};
}

// "accept", "jump c"
const auto plain_verdict = rule<struct PlainVerdictRule, std::string>("verdict") =
    x3::lexeme[x3::raw[(x3::lit("accept") | "drop" | "continue" | "return" | "queue") >> !x3::char_("A-Za-z0-9_-")]];
const auto call = rule<struct CallRule, std::string>("call") =
    x3::lexeme[x3::raw[(x3::lit("jump") | "goto") >> !x3::char_("A-Za-z0-9_-")]];
const auto quoted_name = rule<struct QuotedNameRule, std::string>("name") = quoted_raw | name_word;
const auto verdict = rule<struct VerdictRule, VerdictExpr>("verdict") =
    plain_verdict[into(&VerdictExpr::kind)] | (call[into(&VerdictExpr::kind)] >> quoted_name[into(&VerdictExpr::chain)]);

const auto set_node = [](auto& context) { x3::_val(context).node = std::move(x3::_attr(context)); };
const auto element_value = PlainParser<Expression, &parse_element_value>{};
const auto static_data = rule<struct DataRule, Expression>("data") =
    verdict[set_node] | element_value[([](auto& context) { x3::_val(context) = std::move(x3::_attr(context)); })];
const auto dynamic_data = rule<struct DynamicDataRule, Expression>("data") =
    verdict[set_node] | value_[([](auto& context) { x3::_val(context) = std::move(x3::_attr(context)); })];

const auto duration = rule<struct DurationRule, std::string>("duration") = x3::lexeme[x3::raw[+x3::char_("0-9a-z")]];
const auto mark_time = [](auto& context) {
  if (!x3::_val(context).statements.empty()) x3::_val(context).statements_first = true;
};
const auto unquote = [](auto& context) {
  const std::string& quoted = x3::_attr(context);
  x3::_val(context).comment = quoted.substr(1, quoted.size() - 2);
  x3::_val(context).has_comment = true;
};
const auto property = (kw("timeout") >> duration[into(&Element::timeout)] >> x3::eps[mark_time]) |
                      (kw("expires") >> duration[into(&Element::expires)] >> x3::eps[mark_time]) |
                      (kw("comment") >> quoted_raw[unquote]) | stateful_[append(&Element::statements)];

template <class Tag, class Key, class Data>
auto element_rule(const Key& key, const Data& data) {
  return rule<Tag, Element>("element") = key[into(&Element::key)] >> *property >> -(x3::lit(':') >> data[append(&Element::data)]);
}

// The comma behind an element, and whether its line ends there.
const auto line_end = [](auto& context) { x3::_val(context).ends_line = true; };
const auto comma = x3::lexeme[',' >> *x3::char_(" \t\r")] >> -x3::no_skip[x3::lit('\n')][line_end];

void number_lines(Position begin, std::vector<Element>& elements) {
  (void)begin;
  std::uint32_t line = 0;
  for (Element& e : elements) {
    e.line = line;
    if (e.ends_line) ++line;
  }
}

}  // namespace

bool parse_element_value(Position& first, Position last, Expression& out) {
  static const auto tree = PlainParser<Expression, &parse_literal>{};
  static const auto flag_or = rule<struct FlagOrRule, std::vector<Expression>>("flags") = tree % '|';
  static const auto with_flags = rule<struct WithFlagsRule, Expression>("value") = flag_or[([](auto& context) {
    auto& parts = x3::_attr(context);
    Expression left = std::move(parts.front());
    for (std::size_t i = 1; i < parts.size(); ++i) {
      BinaryExpr b;
      b.op = "|";
      b.operands.push_back(std::move(left));
      b.operands.push_back(std::move(parts[i]));
      left = Expression{std::move(b)};
    }
    x3::_val(context) = std::move(left);
  })];
  static const auto parts = rule<struct ElementPartsRule, std::vector<Expression>>("parts") =
      with_flags % (x3::lit('.') >> x3::eps);
  static const auto grammar = rule<struct ElementValueRule, Expression>("value") = parts[([](auto& context) {
    auto& all = x3::_attr(context);
    if (all.size() == 1) {
      x3::_val(context) = std::move(all.front());
    } else {
      x3::_val(context).node = ConcatExpr{std::move(all)};
    }
  })];
  return run_grammar(first, last, grammar, out);
}

bool parse_elements(Position& first, Position last, std::vector<Element>& out) {
  if (std::vector<Element> common; parse_common_elements(first, last, common)) {
    out = std::move(common);
    return true;
  }
  static const auto element = element_rule<struct ElementRule>(element_value, static_data);
  static const auto separated = rule<struct SeparatedRule, Element>("element") =
      element[([](auto& context) { x3::_val(context) = std::move(x3::_attr(context)); })] >> (comma | &x3::lit('}'));
  static const auto grammar = rule<struct ElementsRule, std::vector<Element>>("elements") = *separated;
  if (!run_grammar(first, last, grammar, out)) return false;
  number_lines(first, out);
  return true;
}

bool parse_dynamic_element(Position& first, Position last, Element& out) {
  static const auto grammar = element_rule<struct DynamicElementRule>(value_, dynamic_data);
  return run_grammar(first, last, grammar, out);
}

bool parse_set(Position& first, Position last, Expression& out) {
  static const auto elements = PlainParser<std::vector<Element>, &parse_elements>{};
  static const auto set = rule<struct SetRule, SetExpr>("set") = '{' >> elements[into(&SetExpr::elements)] >> '}';
  static const auto grammar = rule<struct SetExpressionRule, Expression>("set") = set[as_node];
  return run_grammar(first, last, grammar, out);
}

}  // namespace egt::parsers::nft
