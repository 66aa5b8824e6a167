// What the X3 grammars of nft share: the skipper, keywords, and how to call another grammar through its plain
// function. Included by grammar sources only.
#pragma once

#include <boost/spirit/home/x3.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "nft/grammar.h"

namespace egt::parsers::nft {

namespace x3 = boost::spirit::x3;

// Not x3::digit, which asserts that a character is ASCII.
const auto digit = x3::char_('0', '9');
const auto skipped = x3::char_(" \t\r\n");

// Parses with `grammar` and advances `first` only on success; blanks behind are left alone.
template <class Grammar, class Attribute>
bool run_grammar(Position& first, Position last, const Grammar& grammar, Attribute& out) {
  Position at = first;
  if (!x3::phrase_parse(at, last, grammar, skipped, out, x3::skip_flag::dont_post_skip)) return false;
  // Optional parts that are absent have skipped the blanks before them.
  while (at != first && (at[-1] == ' ' || at[-1] == '\t' || at[-1] == '\r' || at[-1] == '\n')) --at;
  first = at;
  return true;
}

// Another grammar behind its plain function, as a parser.
template <class T, bool (*Function)(Position&, Position, T&)>
struct PlainParser : x3::parser<PlainParser<T, Function>> {
  using attribute_type = T;
  static bool const has_attribute = true;

  template <class Context, class RuleContext, class Attribute>
  bool parse(Position& first, const Position& last, const Context&, RuleContext&, Attribute& attribute) const {
    T value{};
    if (!Function(first, last, value)) return false;
    x3::traits::move_to(std::move(value), attribute);
    return true;
  }
};

const auto selector_ = PlainParser<Expression, &parse_selector>{};
const auto literal_ = PlainParser<Expression, &parse_literal>{};
const auto tested_ = PlainParser<Expression, &parse_tested>{};
const auto operand_ = PlainParser<Expression, &parse_operand>{};
const auto value_ = PlainParser<Expression, &parse_value>{};
const auto set_ = PlainParser<Expression, &parse_set>{};
const auto dynamic_element_ = PlainParser<Element, &parse_dynamic_element>{};
const auto stateful_ = PlainParser<Statement, &parse_stateful>{};
const auto translation_ = PlainParser<Statement, &parse_translation>{};

// A word that ends where it ends: kw("ip") does not accept "ip6".
inline auto kw(const char* word) { return x3::lexeme[x3::lit(word) >> !x3::char_("A-Za-z0-9_-")]; }

const auto identifier = x3::rule<struct IdentifierRule, std::string>{"identifier"} =
    x3::lexeme[x3::raw[x3::char_("A-Za-z_") >> *x3::char_("A-Za-z0-9_-")]];
// Names of chains, sets, objects.
const auto name_word = x3::rule<struct NameRule, std::string>{"name"} =
    x3::lexeme[x3::raw[x3::char_("A-Za-z0-9_.") >> *x3::char_("A-Za-z0-9_./\\-")]];
// A quoted string with its quotes.
const auto quoted_raw = x3::rule<struct QuotedRule, std::string>{"quoted"} =
    x3::lexeme[x3::raw['"' >> *(x3::char_ - '"') >> '"']];
const auto number = x3::lexeme[x3::ulong_long >> !x3::char_("A-Za-z0-9_.:/")];

// Semantic actions: the attribute goes into a member of the rule's value, or becomes the node of a variant.
template <class Member>
auto into(Member member) {
  return [member](auto& context) { x3::_val(context).*member = std::move(x3::_attr(context)); };
}
template <class Member>
auto append(Member member) {
  return [member](auto& context) { (x3::_val(context).*member).push_back(std::move(x3::_attr(context))); };
}
template <class Member>
auto raise(Member member) {
  return [member](auto& context) { x3::_val(context).*member = true; };
}
const auto as_node = [](auto& context) { x3::_val(context).node = std::move(x3::_attr(context)); };

}  // namespace egt::parsers::nft
