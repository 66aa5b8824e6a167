// Words of OVN's expression and action language (lib/lex.c of OVN; ovn-sb(5), Logical_Flow:match).
//
// Written by hand: a node has some hundred thousand logical flows, and the errors are to be those of OVN's own tools.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "egtrace/ovn/expression.h"

namespace egt::parsers::ovn_lang {

enum class TokenType : std::uint8_t {
  end,
  error,
  id,
  string,
  integer,
  masked_integer,
  address_set,
  port_group,
  template_variable,  // $name, @name, ^name
  lparen,
  rparen,
  lcurly,
  rcurly,
  lsquare,
  rsquare,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  log_not,
  log_and,
  log_or,
  ellipsis,
  comma,
  semicolon,
  equals,
  exchange,
  decrement,
  colon,
  hyphen,
};

struct Token {
  TokenType type = TokenType::end;
  ovn::ConstantFormat format = ovn::ConstantFormat::hexadecimal;
  std::uint32_t begin = 0, end = 0;  // within the input, without blanks and comments
  std::uint16_t excess = 0;          // see ovn::Constant
  U128 value = 0, mask = 0;
  std::string text;  // a name without its sign, a string without quotes and escapes, an error
};

// The token that begins at or behind `at`.
Token next_token(std::string_view input, std::size_t at);
// As OVN's own test prints tokens: canonical, strings quoted.
std::string to_string(const Token& token);
// Punctuation as it is written; empty for tokens that have a value.
std::string_view spelling(TokenType type);

// A cursor over tokens that keeps the first error. After an error nothing matches any more.
class Lexer {
 public:
  explicit Lexer(std::string_view input);

  const Token& token() const { return token_; }
  bool at(TokenType type) const { return token_.type == type; }
  bool at_id(std::string_view name) const { return at(TokenType::id) && token_.text == name; }
  TokenType lookahead();  // the type of the token behind this one
  void advance();

  bool match(TokenType type);
  bool match_id(std::string_view name);
  bool match_string(std::string_view text);
  bool force_match(TokenType type);
  bool force_end();
  // A decimal of at most 31 bits, as most arguments are.
  bool is_small_integer() const;
  bool take_small_integer(std::uint32_t& value);
  bool force_small_integer(std::uint32_t& value);

  // Errors have their place: `column` counts from 1. An error that the token itself has comes first.
  void error(std::string message);
  void syntax_error(std::string_view expecting = {});
  bool failed() const { return !error_.empty(); }
  const std::string& message() const { return error_; }
  std::uint32_t column() const { return error_column_; }

 private:
  bool has_earlier_error();

  std::string_view input_;
  Token token_;
  Token next_;
  bool has_next_ = false;
  std::string error_;
  std::uint32_t error_column_ = 0;
};

}  // namespace egt::parsers::ovn_lang
