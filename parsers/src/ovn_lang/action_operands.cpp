#include "ovn_lang/action_operands.h"

#include <fmt/format.h>

namespace egt::parsers::ovn_lang {

void ActionOperands::add_prerequisite(ovn::Expression e) {
  prerequisites_ = prerequisites_ ? combine(true, std::move(*prerequisites_), std::move(e)) : std::move(e);
}

void ActionOperands::add_prerequisite(std::string_view symbol) {
  if (auto e = parse_expression(symbol, environment_)) add_prerequisite(std::move(*e));
}

std::optional<ovn::FieldRef> ActionOperands::parse_target() {
  const auto f = fields_.parse_field();
  if (f && !f->symbol->predicate.empty())
    lexer.error(fmt::format("Predicate symbol {} used where lvalue required.", f->symbol->name));
  if (!f || lexer.failed()) return std::nullopt;
  for (const ovn::Symbol* s = f->symbol; s != nullptr; s = s->parent) {
    if (s->prerequisites.empty()) continue;
    if (!s->prerequisite_tree) {
      lexer.error(s->prerequisite_error);
      return std::nullopt;
    }
    add_prerequisite(*s->prerequisite_tree);
  }
  return f;
}

bool ActionOperands::check_field(const ovn::FieldRef& f, unsigned bits, bool to_write) {
  const std::string& name = f.symbol->name;
  if (bits != f.bits) {
    if (bits && f.bits)
      lexer.error(fmt::format("Cannot use {}-bit field {}[{}..{}] where {}-bit field is required.", f.bits, name, f.first,
                              f.first + f.bits - 1, bits));
    else
      lexer.error(fmt::format("Cannot use {} field {} where {} field is required.", bits ? "string" : "numeric", name,
                              bits ? "numeric" : "string"));
    return false;
  }
  if (to_write && !(f.symbol->writable & scope_)) {
    lexer.error(fmt::format("Field {} is not modifiable.", name));
    return false;
  }
  return true;
}

// Errors are in the lexer; a field is handed back in any case, so that what follows need not ask.
ovn::FieldRef ActionOperands::parse_field_of(unsigned bits) {
  const auto f = lexer.failed() ? std::nullopt : parse_target();
  if (!f) return {};
  check_field(*f, bits, false);
  return *f;
}

bool ActionOperands::parse_u16(std::uint16_t& value, std::string_view what) {
  if (lexer.is_small_integer() && lexer.token().value <= 0xffff) {
    value = static_cast<std::uint16_t>(lexer.token().value);
    lexer.advance();
    return true;
  }
  lexer.syntax_error(fmt::format("expecting {}", what));
  return false;
}

bool ActionOperands::parse_bool(bool& value) {
  for (const bool candidate : {true, false}) {
    const std::string_view word = candidate ? "true" : "false";
    if (!lexer.match_string(word) && !lexer.match_id(word)) continue;
    value = candidate;
    return true;
  }
  lexer.syntax_error("expecting true or false");
  return false;
}

bool ActionOperands::force_parameter(std::string_view name) {
  if (lexer.match_id(name)) return lexer.force_match(TokenType::equals);
  lexer.syntax_error("invalid parameter");
  return false;
}

bool ActionOperands::not_in_last_table(std::string_view name) {
  if (context.table < tables(context.pipeline)) return true;
  lexer.error(fmt::format("\"{}\" action not allowed in last table.", name));
  return false;
}

}  // namespace egt::parsers::ovn_lang
