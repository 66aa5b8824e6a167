// Grammar of ovs-flowviz(8), "Filter Syntax" (python/ovs/flow/filter.py of Open vSwitch).
#include <fmt/format.h>

#include <algorithm>
#include <boost/spirit/home/x3.hpp>

#include "egtrace/base/text.h"
#include "egtrace/parsers/flows.h"

namespace egt::parsers {
namespace {

namespace x3 = boost::spirit::x3;
using openflow::FlowClause;
using openflow::FlowFilter;

constexpr std::size_t kLongest = 4096, kDeepest = 64;  // characters; brackets and negations within each other

const auto word_char = x3::char_("a-zA-Z0-9._:/+*[]-");
const auto quoted = '"' >> *(x3::char_ - '"') >> '"';

struct Operators : x3::symbols<FlowClause::Op> {
  Operators() {
    using enum FlowClause::Op;
    add("=", equal)("!=", differs)("<", less)(">", more)("~=", within);
  }
} const operators;

struct ExpressionRule;
const x3::rule<ExpressionRule, FlowFilter> expression = "a filter";

template <class Tag, class Attribute>
x3::rule<Tag, Attribute> rule(const char* name) {
  return {name};
}

// A word that is none of the language's own.
const auto own_word = x3::lexeme[(x3::lit("and") | "or" | "not") >> !word_char];
const auto key = rule<struct KeyRule, std::string>("a key") = !own_word >> x3::lexeme[+word_char];
const auto value = rule<struct ValueRule, std::string>("a value") = x3::lexeme[quoted | +word_char];

const auto set_key = [](auto& c) { x3::_val(c).clause.key = std::move(x3::_attr(c)); };
const auto set_op = [](auto& c) { x3::_val(c).clause.op = x3::_attr(c); };
const auto set_value = [](auto& c) { x3::_val(c).clause.value = std::move(x3::_attr(c)); };
const auto take = [](auto& c) { x3::_val(c) = std::move(x3::_attr(c)); };
const auto negate = [](auto& c) { x3::_val(c) = FlowFilter{FlowFilter::Kind::none, {}, {std::move(x3::_attr(c))}}; };
template <FlowFilter::Kind kKind>
const auto join = [](auto& c) {
  FlowFilter& all = x3::_val(c);
  if (all.kind != kKind || all.parts.empty()) all = FlowFilter{kKind, {}, {std::move(all)}};
  all.parts.push_back(std::move(x3::_attr(c)));
};

struct NegationRule;
const x3::rule<NegationRule, FlowFilter> negation = "a filter";
const auto clause = rule<struct ClauseRule, FlowFilter>("a key") = key[set_key] >> -(operators[set_op] > value[set_value]);
const auto primary = rule<struct PrimaryRule, FlowFilter>("a key or a bracket") = ('(' > expression[take] > ')') | clause[take];
const auto negation_def = ((x3::lit("!") | x3::lexeme["not" >> !word_char]) > negation[negate]) | primary[take];
const auto both = rule<struct BothRule, FlowFilter>("a filter") = negation[take] >>
                                                                  *((x3::lit("&&") | x3::lexeme["and" >> !word_char]) >
                                                                    negation[join<FlowFilter::Kind::all>]);
const auto expression_def = both[take] >> *((x3::lit("||") | x3::lexeme["or" >> !word_char]) > both[join<FlowFilter::Kind::any>]);
BOOST_SPIRIT_DEFINE(negation, expression)

// How many brackets and negations stand within each other, at most: each is a call of the grammar.
std::size_t depth_of(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  for (const char c : text) {
    if (c == '(' || c == '!') deepest = std::max(deepest, ++depth);
    if (c == ')' && depth > 0) --depth;
  }
  std::size_t negations = 0;
  for (std::size_t at = 0; (at = text.find("not", at)) != text.npos; ++at) ++negations;
  return deepest + negations;
}

// What was expected behind `before`. X3 names literals; of other parsers it has the name of their type.
std::string expected_behind(std::string_view before, const std::string& which) {
  constexpr std::size_t kLongestName = 4;
  if (which.size() <= kLongestName) return which;
  return std::string_view("=<>").find(trim(before).back()) != std::string_view::npos ? "a value" : "a key or a bracket";
}

}  // namespace

Result<FlowFilter> parse_flow_filter(std::string_view text) {
  if (text.size() > kLongest || depth_of(text) > kDeepest) return Error{"the filter is too long, or nested too deeply"};
  FlowFilter filter;
  auto at = text.begin();
  std::string expected = "a key";
  try {
    if (x3::phrase_parse(at, text.end(), expression, x3::char_(" \t"), filter) && at == text.end()) return filter;
    if (at != text.begin()) expected = "`and`, `or` or the end";
  } catch (const x3::expectation_failure<std::string_view::iterator>& failure) {
    at = failure.where();
    expected = expected_behind(text.substr(0, static_cast<std::size_t>(at - text.begin())), failure.which());
  }
  while (at != text.end() && *at == ' ') ++at;
  return Error{fmt::format("filter '{}', column {}: expected {}", text, at - text.begin() + 1, expected)};
}

}  // namespace egt::parsers
