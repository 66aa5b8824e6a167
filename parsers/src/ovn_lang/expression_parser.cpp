#include "ovn_lang/expression_parser.h"

#include <fmt/format.h>

namespace egt::parsers::ovn_lang {
namespace {

using ovn::Comparison;
using ovn::Constant;
using ovn::Expression;
using ovn::FieldRef;
using ovn::Level;
using ovn::Relop;
using Type = TokenType;

constexpr unsigned kMaxDepth = 100;

std::optional<Relop> relop_of(TokenType type) {
  switch (type) {
    case Type::eq: return Relop::eq;
    case Type::ne: return Relop::ne;
    case Type::lt: return Relop::lt;
    case Type::le: return Relop::le;
    case Type::gt: return Relop::gt;
    case Type::ge: return Relop::ge;
    default: return std::nullopt;
  }
}

// a < b as b > a.
Relop turned(Relop r) {
  switch (r) {
    case Relop::lt: return Relop::gt;
    case Relop::le: return Relop::ge;
    case Relop::gt: return Relop::lt;
    case Relop::ge: return Relop::le;
    default: return r;
  }
}

bool is_less(Relop r) { return r == Relop::lt || r == Relop::le; }
bool is_greater(Relop r) { return r == Relop::gt || r == Relop::ge; }
bool is_equality(Relop r) { return r == Relop::eq || r == Relop::ne; }

std::string_view level_name(Level level) {
  return level == Level::nominal ? "nominal" : level == Level::boolean ? "Boolean" : "ordinal";
}

Expression comparison(const FieldRef& f, Relop relop, const Constant& c) {
  Comparison result{f.symbol, relop, 0, 0, {}};
  if (f.symbol->is_string()) {
    result.text = c.text;
  } else {
    result.value = (c.value & ones(f.bits)) << f.first;
    result.mask = ((c.masked ? c.mask : ~U128{0}) & ones(f.bits)) << f.first;
  }
  return {std::move(result)};
}

Expression membership(const FieldRef& f, Relop relop, const std::shared_ptr<const ovn::ValueSet>& set) {
  return {ovn::Membership{f.symbol, set, relop == Relop::ne, f.first, f.bits}};
}

// Calls `take` for each constant of a list, those of sets included, until it returns false.
template <class Take>
bool each_constant(const ConstantList& list, Take take) {
  for (const ConstantList::Part& part : list.parts) {
    if (const auto* constant = std::get_if<Constant>(&part)) {
      if (!take(*constant)) return false;
    } else {
      for (const Constant& c : std::get<1>(part)->constants().values)
        if (!take(c)) return false;
    }
  }
  return true;
}

}  // namespace

const Constant* ConstantList::first() const {
  const Constant* found = nullptr;
  each_constant(*this, [&](const Constant& c) {
    found = &c;
    return false;
  });
  return found;
}

bool ConstantList::has_values() const { return first() != nullptr; }

std::optional<FieldRef> ExpressionParser::parse_field() {
  const ovn::Symbol* symbol =
      lexer_.at(Type::id) && environment_.symbols ? environment_.symbols->find(lexer_.token().text) : nullptr;
  if (symbol == nullptr) {
    lexer_.syntax_error("expecting field name");
    return std::nullopt;
  }
  lexer_.advance();
  if (!lexer_.match(Type::lsquare)) return FieldRef{symbol, 0, symbol->bits};
  if (symbol->is_string()) return fail(fmt::format("Cannot select subfield of string field {}.", symbol->name));
  std::uint32_t low = 0, high = 0;
  if (!lexer_.force_small_integer(low)) return std::nullopt;
  high = low;
  if (lexer_.match(Type::ellipsis) && !lexer_.force_small_integer(high)) return std::nullopt;
  if (!lexer_.force_match(Type::rsquare)) return std::nullopt;
  if (low > high) return fail(fmt::format("Invalid bit range {} to {}.", low, high));
  if (high >= symbol->bits)
    return fail(fmt::format("Cannot select bits {} to {} of {}-bit field {}.", low, high, symbol->bits, symbol->name));
  if (symbol->level == Level::nominal && (low != 0 || high != symbol->bits - 1u))
    return fail(fmt::format("Cannot select subfield of nominal field {}.", symbol->name));
  return FieldRef{symbol, static_cast<std::uint16_t>(low), static_cast<std::uint16_t>(high - low + 1)};
}

bool ExpressionParser::set_type(ConstantList& list, bool strings) {
  if (list.has_values() && list.strings != strings) {
    lexer_.syntax_error(fmt::format("expecting {}", list.strings ? "string" : "integer"));
    return false;
  }
  list.strings = strings;
  return true;
}

bool ExpressionParser::append_set(ConstantList& list, const ValueSets* sets, std::string_view name, bool strings,
                                  std::string_view what) {
  const auto it = sets ? sets->find(name) : ValueSets::const_iterator();
  if (sets == nullptr || it == sets->end()) {
    lexer_.syntax_error(fmt::format("expecting {} name", what));
    return false;
  }
  if (!set_type(list, strings)) return false;
  list.parts.push_back(it->second);
  lexer_.advance();
  return true;
}

bool ExpressionParser::parse_one_constant(ConstantList& list) {
  const Token& token = lexer_.token();
  switch (token.type) {
    case Type::template_variable: lexer_.error("Unexpanded template."); return false;
    case Type::address_set: return append_set(list, environment_.address_sets, token.text, false, "address set");
    case Type::port_group: {
      const std::string name = fmt::format("{}_{}", environment_.datapath_key, token.text);
      return append_set(list, environment_.port_groups, name, true, "port group");
    }
    case Type::string:
    case Type::integer:
    case Type::masked_integer: break;
    default: lexer_.syntax_error("expecting constant"); return false;
  }
  if (!set_type(list, token.type == Type::string)) return false;
  const bool masked = token.type == Type::masked_integer;
  list.parts.push_back(
      Constant{token.value, token.mask, masked, token.format, list.strings ? token.text : std::string(), token.excess});
  lexer_.advance();
  return true;
}

std::optional<ConstantList> ExpressionParser::parse_constants() {
  ConstantList list;
  if (!lexer_.match(Type::lcurly)) return parse_one_constant(list) ? std::optional(std::move(list)) : std::nullopt;
  list.in_curlies = true;
  do {
    if (!parse_one_constant(list)) return std::nullopt;
    lexer_.match(Type::comma);
  } while (!lexer_.match(Type::rcurly));
  return list;
}

std::optional<Constant> ExpressionParser::parse_constant_for(const FieldRef& field) {
  if (lexer_.failed()) return std::nullopt;
  ConstantList list;
  if (!parse_one_constant(list) || !check_types(field, list)) return std::nullopt;
  const Constant* first = list.first();
  return first ? std::optional(*first) : fail("Constant expected.");
}

std::optional<Relop> ExpressionParser::parse_relop() {
  const auto relop = relop_of(lexer_.token().type);
  if (relop)
    lexer_.advance();
  else
    lexer_.syntax_error("expecting relational operator");
  return relop;
}

bool ExpressionParser::check_width(const FieldRef& field, unsigned width) {
  const ovn::Symbol& s = *field.symbol;
  if (width <= s.bits) return true;
  lexer_.error(fmt::format("{}-bit constant is not compatible with {}-bit field {}.", width, s.bits, s.name));
  return false;
}

bool ExpressionParser::check_types(const FieldRef& field, const ConstantList& list) {
  const ovn::Symbol& s = *field.symbol;
  if (list.strings != s.is_string()) {
    lexer_.error(fmt::format("{} field {} is not compatible with {} constant.", s.is_string() ? "String" : "Integer", s.name,
                             list.strings ? "string" : "integer"));
    return false;
  }
  if (s.is_string()) return true;
  for (const ConstantList::Part& part : list.parts) {
    if (const auto* constant = std::get_if<Constant>(&part)) {
      if (!check_width(field, width_of(*constant))) return false;
      continue;
    }
    const ovn::ValueSet& set = *std::get<1>(part);
    if (set.width() <= s.bits) continue;
    for (const Constant& c : set.constants().values)
      if (!check_width(field, width_of(c))) return false;
  }
  return true;
}

bool ExpressionParser::check_relop(const FieldRef& field, Relop relop, const ConstantList& list) {
  if (is_equality(relop)) return true;
  const ovn::Symbol& s = *field.symbol;
  const Constant* first = list.first();
  if (list.in_curlies) {
    lexer_.error("Only == and != operators may be used with value sets.");
  } else if (s.level != Level::ordinal) {
    lexer_.error(fmt::format("Only == and != operators may be used with {} field {}.", level_name(s.level), s.name));
  } else if (first == nullptr) {
    lexer_.error("Only == and != operators may be used to compare a field against an empty value set.");
  } else if (first->masked) {
    lexer_.error(
        "Only == and != operators may be used with masked constants.  Consider using subfields instead (e.g. "
        "eth.src[0..15] > 0x1111 in place of eth.src > 00:00:00:00:11:11/00:00:00:00:ff:ff).");
  } else {
    return true;
  }
  return false;
}

bool ExpressionParser::check_nominal(const FieldRef& field, Relop relop, const ConstantList& list) {
  const ovn::Symbol& s = *field.symbol;
  if (s.level != Level::nominal) return true;
  if (s.predicate.empty()) {
    if (relop == (inverted_ ? Relop::ne : Relop::eq)) return true;
    lexer_.error(
        fmt::format("Nominal field {} may only be tested for equality (taking enclosing `!' operators into "
                    "account).",
                    s.name));
    return false;
  }
  return each_constant(list, [&](const Constant& c) {
    const bool positive = ((c.value & 1) != 0) ^ (relop == Relop::ne) ^ inverted_;
    if (!positive)
      lexer_.error(
          fmt::format("Nominal predicate {0} may only be tested positively, e.g. `{0}' or `{0} == 1' but not "
                      "`!{0}' or `{0} == 0'.",
                      s.name));
    return positive;
  });
}

std::optional<Expression> ExpressionParser::compare(const FieldRef& field, Relop relop, const ConstantList& list) {
  if (!check_types(field, list) || !check_relop(field, relop, list) || !check_nominal(field, relop, list)) return std::nullopt;
  ovn::Junction all{relop == Relop::ne, {}};
  for (const ConstantList::Part& part : list.parts) {
    if (const auto* constant = std::get_if<Constant>(&part)) {
      all.terms.push_back(comparison(field, relop, *constant));
      continue;
    }
    const auto& set = std::get<1>(part);
    if (set->constants().values.size() > 1 && is_equality(relop) && field.is_whole() && field.symbol->predicate.empty()) {
      all.terms.push_back(membership(field, relop, set));
    } else {
      for (const Constant& c : set->constants().values) all.terms.push_back(comparison(field, relop, c));
    }
  }
  if (all.terms.empty()) return Expression{relop == Relop::ne};
  if (all.terms.size() == 1) return std::move(all.terms.front());
  return Expression{std::move(all)};
}

std::optional<Expression> ExpressionParser::parse_parenthesised() {
  if (depth_ >= kMaxDepth) return fail("Parentheses nested too deeply.");
  ++depth_;
  auto inner = parse();
  --depth_;
  if (!lexer_.force_match(Type::rparen)) return std::nullopt;
  return inner;
}

std::optional<Expression> ExpressionParser::parse_resident() {
  lexer_.advance();
  lexer_.advance();
  if (!lexer_.at(Type::string)) {
    lexer_.syntax_error("expecting string");
    return std::nullopt;
  }
  ovn::ChassisResident resident{lexer_.token().text, false};
  lexer_.advance();
  if (!lexer_.force_match(Type::rparen)) return std::nullopt;
  return Expression{std::move(resident)};
}

std::optional<Expression> ExpressionParser::parse_bare_field(const FieldRef& field) {
  if (field.bits == 0 || lexer_.at(Type::equals)) {
    lexer_.syntax_error("expecting relational operator");
    return std::nullopt;
  }
  if (field.bits > 1 && !inverted_) return fail("Explicit `!= 0' is required for inequality test of multibit field against 0.");
  ConstantList zero;
  zero.parts.emplace_back(Constant{});
  return compare(field, Relop::ne, zero);
}

std::optional<Expression> ExpressionParser::parse_field_first(bool& atomic) {
  if (lexer_.lookahead() == Type::lparen) {
    atomic = true;
    return lexer_.at_id("is_chassis_resident") ? parse_resident() : fail("parsing function name");
  }
  const auto field = parse_field();
  if (!field) return std::nullopt;
  if (!relop_of(lexer_.token().type)) {
    atomic = true;
    return parse_bare_field(*field);
  }
  const auto relop = parse_relop();
  const auto constants = parse_constants();
  return constants ? compare(*field, *relop, *constants) : std::nullopt;
}

std::optional<Expression> ExpressionParser::parse_range(const FieldRef& field, Relop first, const ConstantList& constants) {
  const auto second = parse_relop();
  const auto bound = second ? parse_constants() : std::nullopt;
  if (!bound) return std::nullopt;
  if (!(is_less(first) && is_less(*second)) && !(is_greater(first) && is_greater(*second)))
    return fail(
        "Range expressions must have the form `x < field < y' or `x > field > y', with each `<' optionally replaced by "
        "`<=' or `>' by `>=').");
  auto low = compare(field, turned(first), constants);
  auto high = compare(field, *second, *bound);
  if (lexer_.failed() || !low || !high) return std::nullopt;
  return combine(true, std::move(*low), std::move(*high));
}

std::optional<Expression> ExpressionParser::parse_constant_first(bool& atomic) {
  const auto constants = parse_constants();
  if (!constants) return std::nullopt;
  const Constant* only = constants->parts.size() == 1 ? std::get_if<Constant>(&constants->parts.front()) : nullptr;
  if (!relop_of(lexer_.token().type) && only && !constants->strings && !constants->in_curlies && !only->masked &&
      only->format == ovn::ConstantFormat::decimal && only->value <= 1) {
    atomic = true;
    return Expression{only->value == 1};
  }
  const auto relop = parse_relop();
  const auto field = relop ? parse_field() : std::nullopt;
  if (!field) return std::nullopt;
  if (relop_of(lexer_.token().type)) return parse_range(*field, *relop, *constants);
  return compare(*field, turned(*relop), *constants);
}

std::optional<Expression> ExpressionParser::parse_primary(bool& atomic) {
  atomic = false;
  if (lexer_.match(Type::lparen)) {
    atomic = true;
    return parse_parenthesised();
  }
  if (lexer_.at(Type::template_variable)) return fail("Unexpanded template.");
  return lexer_.at(Type::id) ? parse_field_first(atomic) : parse_constant_first(atomic);
}

std::optional<Expression> ExpressionParser::parse_not() {
  bool atomic = false;
  if (!lexer_.match(Type::log_not)) return parse_primary(atomic);
  inverted_ = !inverted_;
  auto inner = parse_primary(atomic);
  inverted_ = !inverted_;
  if (!inner) return std::nullopt;
  if (!atomic) return fail("Missing parentheses around operand of !.");
  negate(*inner);
  return inner;
}

std::optional<Expression> ExpressionParser::parse() {
  auto expression = parse_not();
  if (!expression) return std::nullopt;
  const TokenType type = lexer_.token().type;
  if (type != Type::log_and && type != Type::log_or) return expression;
  while (lexer_.match(type)) {
    auto term = parse_not();
    if (!term) return std::nullopt;
    *expression = combine(type == Type::log_and, std::move(*expression), std::move(*term));
  }
  if (lexer_.at(Type::log_and) || lexer_.at(Type::log_or)) return fail("&& and || must be parenthesized when used together.");
  return expression;
}

}  // namespace egt::parsers::ovn_lang
