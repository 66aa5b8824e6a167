#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/base/text.h"
#include "egtrace/base/utf8.h"
#include "ovn_lang/lexer.h"

namespace egt::parsers::ovn_lang {
namespace {

using Format = ovn::ConstantFormat;
using Type = TokenType;

constexpr std::size_t kMaxDigits = 256;  // of a hexadecimal constant: what Open vSwitch keeps of a tunnel option

bool is_id_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.'; }
bool is_id(char c) { return is_id_start(c) || is_digit(c); }
bool is_alnum(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Reads one token; what it leaves is in `at`.
class Scanner {
 public:
  Scanner(std::string_view input, std::size_t at) : in_(input), at_(at) {}
  Token scan();

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < in_.size() ? in_[at_ + ahead] : '\0'; }
  bool finished() const { return at_ >= in_.size(); }
  void fail(std::string message) {
    token_.type = Type::error;
    token_.text = std::move(message);
  }
  bool skip_blanks();
  bool skip_comment();
  void punctuation(Type type, std::size_t length) {
    token_.type = type;
    at_ += length;
  }
  bool scan_punctuation();
  void scan_operator(char second, Type both, Type alone);
  void scan_doubled(char c, Type both);
  void scan_id(Type type);
  void scan_sigil(char sigil, Type type);
  void scan_string();
  bool scan_escape(std::string& out);
  bool scan_code_point(std::string& out);
  bool scan_four_digits(unsigned& value);
  void scan_number();
  void scan_integer(Token& token);
  void scan_hexadecimal(std::string_view digits, Token& token);
  void scan_decimal(std::string_view digits, Token& token);
  void scan_mask();
  bool is_address_ahead() const;

  std::string_view in_;
  std::size_t at_;
  Token token_;
};

// Blanks and comments; false where a comment does not end.
bool Scanner::skip_blanks() {
  for (;;) {
    while (!finished() && is_space(peek())) ++at_;
    if (peek() != '/' || finished()) return true;
    token_.begin = static_cast<std::uint32_t>(at_);
    if (!skip_comment()) return false;
  }
}

bool Scanner::skip_comment() {
  if (peek(1) == '/') {
    while (!finished() && peek() != '\n') ++at_;
    return true;
  }
  if (peek(1) != '*') {
    ++at_;
    fail("`/' is only valid as part of `//' or `/*'.");
    return false;
  }
  at_ += 2;
  for (; !finished() && peek() != '\n'; ++at_) {
    if (peek() != '*' || peek(1) != '/') continue;
    at_ += 2;
    return true;
  }
  fail("`/*' without matching `*/'.");
  return false;
}

void Scanner::scan_operator(char second, Type both, Type alone) {
  if (peek(1) == second)
    punctuation(both, 2);
  else
    punctuation(alone, 1);
}

void Scanner::scan_doubled(char c, Type both) {
  if (peek(1) == c) return punctuation(both, 2);
  ++at_;
  fail(fmt::format("`{0}' is only valid as part of `{0}{0}'.", c));
}

bool Scanner::scan_punctuation() {
  switch (peek()) {
    case '(': punctuation(Type::lparen, 1); return true;
    case ')': punctuation(Type::rparen, 1); return true;
    case '{': punctuation(Type::lcurly, 1); return true;
    case '}': punctuation(Type::rcurly, 1); return true;
    case '[': punctuation(Type::lsquare, 1); return true;
    case ']': punctuation(Type::rsquare, 1); return true;
    case ',': punctuation(Type::comma, 1); return true;
    case ';': punctuation(Type::semicolon, 1); return true;
    case '=': scan_operator('=', Type::eq, Type::equals); return true;
    case '!': scan_operator('=', Type::ne, Type::log_not); return true;
    case '>': scan_operator('=', Type::ge, Type::gt); return true;
    case '-': scan_operator('-', Type::decrement, Type::hyphen); return true;
    case '<':
      if (peek(1) == '-' && peek(2) == '>')
        punctuation(Type::exchange, 3);
      else
        scan_operator('=', Type::le, Type::lt);
      return true;
    case '&': scan_doubled('&', Type::log_and); return true;
    case '|': scan_doubled('|', Type::log_or); return true;
    case '.':
      if (peek(1) == '.')
        punctuation(Type::ellipsis, 2);
      else {
        ++at_;
        fail("`.' is only valid as part of `..' or a number.");
      }
      return true;
    default: return false;
  }
}

void Scanner::scan_id(Type type) {
  const std::size_t begin = at_;
  do ++at_;
  while (!finished() && is_id(peek()));
  token_.type = type;
  token_.text = in_.substr(begin, at_ - begin);
}

void Scanner::scan_sigil(char sigil, Type type) {
  ++at_;
  if (finished() || !is_id_start(peek())) return fail(fmt::format("`{}' must be followed by a valid identifier.", sigil));
  scan_id(type);
}

void Scanner::scan_string() {
  std::size_t end = at_ + 1;
  while (end < in_.size() && in_[end] != '"') end += in_[end] == '\\' ? 2 : 1;
  if (end >= in_.size()) {
    at_ = in_.size();
    return fail("Input ends inside quoted string.");
  }
  token_.type = Type::string;
  std::string text;
  for (++at_; at_ < end && token_.type == Type::string;) {
    if (static_cast<unsigned char>(in_[at_]) < ' ')
      fail("Control characters must be escaped in strings.");
    else if (in_[at_] != '\\')
      text += in_[at_++];
    else
      scan_escape(text);
  }
  if (token_.type == Type::string) token_.text = std::move(text);
  at_ = end + 1;
}

bool Scanner::scan_escape(std::string& out) {
  static constexpr std::string_view kNames = "\"\\/bfnrt", kValues = "\"\\/\b\f\n\r\t";
  const char c = peek(1);
  at_ += 2;
  if (c == 'u') return scan_code_point(out);
  const std::size_t i = kNames.find(c);
  if (i == std::string_view::npos) {
    fail(fmt::format("bad escape \\{}", c));
    return false;
  }
  out += kValues[i];
  return true;
}

bool Scanner::scan_four_digits(unsigned& value) {
  value = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const int digit = hex_digit(peek());
    if (digit < 0) {
      fail("malformed \\u escape");
      return false;
    }
    value = value << 4 | static_cast<unsigned>(digit);
  }
  return true;
}

bool Scanner::scan_code_point(std::string& out) {
  unsigned value = 0;
  if (!scan_four_digits(value)) return false;
  if (value == 0) {
    fail("null bytes not supported in quoted strings");
    return false;
  }
  if (value >= 0xd800 && value < 0xdc00) {
    unsigned low = 0;
    if (peek() != '\\' || peek(1) != 'u') {
      fail("malformed escaped surrogate pair");
      return false;
    }
    at_ += 2;
    if (!scan_four_digits(low)) return false;
    if (low < 0xdc00 || low > 0xdfff) {
      fail("second half of escaped surrogate pair is not trailing surrogate");
      return false;
    }
    value = 0x10000 + ((value - 0xd800) << 10) + (low - 0xdc00);
  }
  append_utf8(value, out);
  return true;
}

// Names never have a colon behind leading hexadecimal digits; MAC and IPv6 addresses always do.
bool Scanner::is_address_ahead() const {
  std::size_t i = at_;
  while (i < in_.size() && hex_digit(in_[i]) >= 0) ++i;
  return i < in_.size() && in_[i] == ':';
}

void Scanner::scan_decimal(std::string_view digits, Token& token) {
  if (digits[0] == '0' && digits.size() > 1) {
    token.type = Type::error;
    token.text = "Decimal constants must not have leading zeros.";
    return;
  }
  const auto value = parse_decimal(digits);
  if (!value) {
    token.type = Type::error;
    token.text = "Decimal constants must be less than 2**64.";
    return;
  }
  token.value = *value;
  token.format = Format::decimal;
}

void Scanner::scan_hexadecimal(std::string_view digits, Token& token) {
  const auto failed = [&token](std::string message) {
    token.type = Type::error;
    token.text = std::move(message);
  };
  token.format = Format::hexadecimal;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const int digit = hex_digit(digits[digits.size() - 1 - i]);
    if (digit < 0) return failed("Invalid syntax in hexadecimal constant.");
    if (digit == 0) continue;
    if (i >= kMaxDigits) return failed(fmt::format("Hexadecimal constant requires more than {} bits.", 4 * kMaxDigits));
    if (i < 32)
      token.value |= static_cast<U128>(digit) << (4 * i);
    else
      token.excess = static_cast<std::uint16_t>(4 * i + std::bit_width(static_cast<unsigned>(digit)));
  }
}

// The extent of anything that may be a number. Two dots are an ellipsis, and a colon behind a dot begins a port.
void Scanner::scan_integer(Token& token) {
  const std::size_t begin = at_;
  for (bool dotted = false; !finished(); ++at_) {
    const char c = peek();
    if (c == '.' && peek(1) == '.') break;
    if (!is_alnum(c) && c != '.' && !(c == ':' && !dotted)) break;
    dotted |= c == '.';
  }
  const std::string_view text = in_.substr(begin, at_ - begin);
  token.type = Type::integer;
  const auto failed = [&token](std::string message) {
    token.type = Type::error;
    token.text = std::move(message);
  };
  if (text.empty()) return failed("Integer constant expected.");
  if (text.find_first_not_of("0123456789") == std::string_view::npos) return scan_decimal(text, token);
  if (text[0] == '0' && text.size() > 1 && (text[1] | 0x20) == 'x') {
    if (text.size() == 2) return failed(fmt::format("Hex digits expected following 0{}.", text[1]));
    return scan_hexadecimal(text.substr(2), token);
  }
  if (text.size() == 17)
    if (const auto mac = MacAddr::parse(text)) {
      token.value = mac->value;
      token.format = Format::ethernet;
      return;
    }
  const auto ip = text.size() < 46 ? IpAddr::parse(text) : std::nullopt;
  if (!ip) return failed("Invalid numeric constant.");
  token.value = ip->value;
  token.format = ip->is_v4() ? Format::ipv4 : Format::ipv6;
}

void Scanner::scan_mask() {
  ++at_;
  Token mask;
  scan_integer(mask);
  if (mask.type == Type::error) {
    token_.type = mask.type;
    token_.text = mask.text;
    return;
  }
  token_.type = Type::masked_integer;
  const bool is_length = mask.format == Format::decimal;
  if (token_.format == mask.format) {
    token_.mask = mask.value;
  } else if (token_.format == Format::ipv4 && is_length && static_cast<std::uint32_t>(mask.value) <= 32) {
    token_.mask = ones(32) & ~ones(32 - static_cast<unsigned>(mask.value));
  } else if (token_.format == Format::ipv6 && is_length && static_cast<std::uint32_t>(mask.value) <= 128) {
    token_.mask = ~ones(128 - static_cast<unsigned>(mask.value));
  } else if (token_.format == Format::decimal && mask.format == Format::hexadecimal && token_.value == 0) {
    token_.format = Format::hexadecimal;  // 0/0x1234
    token_.mask = mask.value;
  } else {
    return fail("Value and mask have incompatible formats.");
  }
  token_.value &= token_.mask;
}

void Scanner::scan_number() {
  scan_integer(token_);
  if (token_.type == Type::integer && peek() == '/') scan_mask();
}

Token Scanner::scan() {
  if (!skip_blanks()) {
    token_.end = static_cast<std::uint32_t>(at_);
    return std::move(token_);
  }
  token_.begin = static_cast<std::uint32_t>(at_);
  const char c = peek();
  if (finished())
    token_.type = Type::end;
  else if (is_digit(c) || (c == ':' && peek(1) == ':'))
    scan_number();
  else if (c == ':')
    punctuation(Type::colon, 1);
  else if (c == '"')
    scan_string();
  else if (c == '$')
    scan_sigil('$', Type::address_set);
  else if (c == '@')
    scan_sigil('@', Type::port_group);
  else if (c == '^')
    scan_sigil('^', Type::template_variable);
  else if (hex_digit(c) >= 0 && is_address_ahead())
    scan_number();
  else if (c != '.' && is_id_start(c))
    scan_id(Type::id);
  else if (!scan_punctuation()) {
    const auto byte = static_cast<unsigned char>(c);
    fail(byte > ' ' && byte < 0x7f ? fmt::format("Invalid character `{}' in input.", c)
                                   : fmt::format("Invalid byte 0x{} in input.", static_cast<int>(c)));
    ++at_;
  }
  token_.end = static_cast<std::uint32_t>(at_);
  return std::move(token_);
}

}  // namespace

Token next_token(std::string_view input, std::size_t at) { return Scanner(input, at).scan(); }

}  // namespace egt::parsers::ovn_lang
