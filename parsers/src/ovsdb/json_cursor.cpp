#include "ovsdb/json_cursor.h"

#include <cstring>

#include "egtrace/base/text.h"
#include "egtrace/base/utf8.h"

namespace egt::parsers::ovsdb {
namespace {

constexpr std::size_t kDepth = 1000;

bool is_json_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::optional<std::uint32_t> hex4(std::string_view digits) {
  if (digits.size() < 4) return std::nullopt;
  const auto code = parse_hex(digits.substr(0, 4));
  if (!code) return std::nullopt;
  return static_cast<std::uint32_t>(*code);
}

// What stands behind a backslash; gives the number of characters that belong to it, 0 where it is no escape.
std::size_t append_escape(std::string_view rest, std::string& out) {
  if (rest.empty()) return 0;
  switch (rest.front()) {
    case '"':
    case '\\':
    case '/': return out.push_back(rest.front()), 1;
    case 'b': return out.push_back('\b'), 1;
    case 'f': return out.push_back('\f'), 1;
    case 'n': return out.push_back('\n'), 1;
    case 'r': return out.push_back('\r'), 1;
    case 't': return out.push_back('\t'), 1;
    case 'u': break;
    default: return 0;
  }
  const auto high = hex4(rest.substr(1));
  if (!high || (*high >= 0xdc00 && *high <= 0xdfff)) return 0;
  if (*high < 0xd800 || *high > 0xdfff) return append_utf8(*high, out), 5;
  if (rest.substr(5, 2) != "\\u") return 0;
  const auto low = hex4(rest.substr(7));
  if (!low || *low < 0xdc00 || *low > 0xdfff) return 0;
  append_utf8(0x10000 + ((*high - 0xd800) << 10) + (*low - 0xdc00), out);
  return 11;
}

}  // namespace

char JsonCursor::peek() {
  while (at_ < text_.size() && is_json_blank(text_[at_])) ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonCursor::take(char c) {
  if (peek() != c || at_ >= text_.size()) return false;
  ++at_;
  return true;
}

// Stands on the opening quote; a quote ends the string unless an odd number of backslashes stands before it.
bool JsonCursor::skip_string() {
  const char* const begin = text_.data() + at_ + 1;
  const char* const end = text_.data() + text_.size();
  for (const char* from = begin; from < end;) {
    const auto* quote = static_cast<const char*>(std::memchr(from, '"', static_cast<std::size_t>(end - from)));
    if (quote == nullptr) return false;
    const char* before = quote;
    while (before > from && before[-1] == '\\') --before;
    if ((quote - before) % 2 == 0) {
      at_ = static_cast<std::size_t>(quote - text_.data()) + 1;
      return true;
    }
    from = quote + 1;
  }
  return false;
}

bool JsonCursor::skip_nested() {
  std::size_t depth = 0;
  while (at_ < text_.size()) {
    switch (text_[at_]) {
      case '"':
        if (!skip_string()) return false;
        continue;
      case '{':
      case '[':
        if (++depth > kDepth) return false;
        break;
      case '}':
      case ']':
        if (--depth == 0) return ++at_, true;
        break;
      default: break;
    }
    ++at_;
  }
  return false;
}

bool JsonCursor::skip_scalar() {
  const std::size_t begin = at_;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const bool part = is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' || c == 'E';
    if (!part) break;
    ++at_;
  }
  return at_ > begin;
}

std::optional<std::string_view> JsonCursor::raw_string() {
  if (peek() != '"') return std::nullopt;
  const std::size_t begin = at_ + 1;
  if (!skip_string()) return std::nullopt;
  return text_.substr(begin, at_ - 1 - begin);
}

std::string_view JsonCursor::value() {
  const char first = peek();
  const std::size_t begin = at_;
  bool whole = false;
  if (first == '"')
    whole = skip_string();
  else if (first == '{' || first == '[')
    whole = skip_nested();
  else
    whole = skip_scalar();
  return whole ? text_.substr(begin, at_ - begin) : std::string_view{};
}

bool has_escapes(std::string_view raw) { return raw.find('\\') != std::string_view::npos; }

void append_unescaped(std::string_view raw, std::string& out) {
  while (!raw.empty()) {
    const std::size_t at = raw.find('\\');
    out += raw.substr(0, at);
    if (at == std::string_view::npos) return;
    raw.remove_prefix(at + 1);
    const std::size_t taken = append_escape(raw, out);
    if (taken == 0) out.push_back('\\');
    raw.remove_prefix(taken);
  }
}

std::string unescaped(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  append_unescaped(raw, out);
  return out;
}

}  // namespace egt::parsers::ovsdb
