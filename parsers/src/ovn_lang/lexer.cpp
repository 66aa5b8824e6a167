#include "ovn_lang/lexer.h"

#include <fmt/format.h>

namespace egt::parsers::ovn_lang {

using Type = TokenType;

std::string_view spelling(TokenType type) {
  switch (type) {
    case Type::lparen: return "(";
    case Type::rparen: return ")";
    case Type::lcurly: return "{";
    case Type::rcurly: return "}";
    case Type::lsquare: return "[";
    case Type::rsquare: return "]";
    case Type::eq: return "==";
    case Type::ne: return "!=";
    case Type::lt: return "<";
    case Type::le: return "<=";
    case Type::gt: return ">";
    case Type::ge: return ">=";
    case Type::log_not: return "!";
    case Type::log_and: return "&&";
    case Type::log_or: return "||";
    case Type::ellipsis: return "..";
    case Type::comma: return ",";
    case Type::semicolon: return ";";
    case Type::equals: return "=";
    case Type::exchange: return "<->";
    case Type::decrement: return "--";
    case Type::colon: return ":";
    case Type::hyphen: return "-";
    default: return {};
  }
}

std::string to_string(const Token& token) {
  switch (token.type) {
    case Type::end: return "$";
    case Type::id: return token.text;
    case Type::error: return fmt::format("error({})", ovn::quoted(token.text));
    case Type::string: return ovn::quoted(token.text);
    case Type::address_set: return "$" + token.text;
    case Type::port_group: return "@" + token.text;
    case Type::template_variable: return "^" + token.text;
    case Type::integer:
    case Type::masked_integer:
      return ovn::to_string(ovn::Constant{token.value, token.mask, token.type == Type::masked_integer, token.format, {}}, false);
    default: return std::string(spelling(token.type));
  }
}

Lexer::Lexer(std::string_view input) : input_(input), token_(next_token(input, 0)) {}

TokenType Lexer::lookahead() {
  if (!has_next_) next_ = next_token(input_, token_.end);
  has_next_ = true;
  return next_.type;
}

void Lexer::advance() {
  token_ = has_next_ ? std::move(next_) : next_token(input_, token_.end);
  has_next_ = false;
}

bool Lexer::match(TokenType type) {
  if (token_.type != type) return false;
  advance();
  return true;
}

bool Lexer::match_id(std::string_view name) {
  if (!at_id(name)) return false;
  advance();
  return true;
}

bool Lexer::match_string(std::string_view text) {
  if (!at(Type::string) || token_.text != text) return false;
  advance();
  return true;
}

bool Lexer::force_match(TokenType type) {
  if (type == Type::end) return force_end();
  if (match(type)) return true;
  syntax_error(fmt::format("expecting `{}'", spelling(type)));
  return false;
}

bool Lexer::force_end() {
  if (at(Type::end)) return true;
  syntax_error("expecting end of input");
  return false;
}

bool Lexer::is_small_integer() const {
  return at(Type::integer) && token_.format == ovn::ConstantFormat::decimal && token_.value <= 0x7fffffff;
}

bool Lexer::take_small_integer(std::uint32_t& value) {
  value = 0;
  if (!is_small_integer()) return false;
  value = static_cast<std::uint32_t>(token_.value);
  advance();
  return true;
}

bool Lexer::force_small_integer(std::uint32_t& value) {
  if (take_small_integer(value)) return true;
  syntax_error("expecting small integer");
  return false;
}

bool Lexer::has_earlier_error() {
  if (!error_.empty()) return true;
  error_column_ = token_.begin + 1;
  if (token_.type != Type::error) return false;
  error_ = token_.text;
  return true;
}

void Lexer::error(std::string message) {
  if (!has_earlier_error()) error_ = std::move(message);
}

void Lexer::syntax_error(std::string_view expecting) {
  if (has_earlier_error()) return;
  error_ = "Syntax error";
  if (at(Type::end))
    error_ += " at end of input";
  else
    error_ += fmt::format(" at `{}'", input_.substr(token_.begin, token_.end - token_.begin));
  if (!expecting.empty()) error_ += fmt::format(" {}", expecting);
  error_ += '.';
}

}  // namespace egt::parsers::ovn_lang
