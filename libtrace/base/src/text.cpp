#include "egtrace/base/text.h"

#include <algorithm>
#include <cstring>

namespace egt {
namespace {

constexpr bool is_space(char c) { return is_blank(c) || c == '\n' || c == '\r'; }

constexpr int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string_view trim_left(std::string_view s) {
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  return s;
}

std::string_view trim_right(std::string_view s) {
  while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
  return s;
}

std::string_view trim(std::string_view s) { return trim_left(trim_right(s)); }

std::vector<std::string_view> split(std::string_view s, char separator) {
  std::vector<std::string_view> parts;
  if (s.empty()) return parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = s.find(separator, begin);
    parts.push_back(s.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::vector<std::string_view> words(std::string_view s) {
  std::vector<std::string_view> parts;
  std::size_t i = 0;
  while (i < s.size()) {
    while (i < s.size() && is_space(s[i])) ++i;
    const std::size_t begin = i;
    while (i < s.size() && !is_space(s[i])) ++i;
    if (i > begin) parts.push_back(s.substr(begin, i - begin));
  }
  return parts;
}

std::vector<std::string_view> split_outside(std::string_view s, char separator) {
  std::vector<std::string_view> parts;
  if (s.empty()) return parts;
  std::size_t begin = 0;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const char c = s[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      if (depth > 0) --depth;
    } else if (c == separator && depth == 0) {
      parts.push_back(s.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(s.substr(begin));
  return parts;
}

std::string_view take_until(std::string_view& s, char separator) {
  const std::size_t end = s.find(separator);
  const std::string_view head = s.substr(0, end);
  s = end == std::string_view::npos ? std::string_view{} : s.substr(end + 1);
  return head;
}

bool consume(std::string_view& s, std::string_view prefix) {
  if (!s.starts_with(prefix)) return false;
  s.remove_prefix(prefix.size());
  return true;
}

std::optional<std::uint64_t> parse_decimal(std::string_view s) {
  std::uint64_t v = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v, 10);
  if (s.empty() || error != std::errc{} || end != s.data() + s.size()) return std::nullopt;
  return v;
}

std::optional<std::uint64_t> parse_hex(std::string_view s) {
  std::uint64_t v = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v, 16);
  if (s.empty() || error != std::errc{} || end != s.data() + s.size()) return std::nullopt;
  return v;
}

std::optional<std::uint64_t> parse_u64(std::string_view s) {
  if (s.starts_with("0x") || s.starts_with("0X")) return parse_hex(s.substr(2));
  return parse_decimal(s);
}

std::optional<U128> parse_u128(std::string_view s) {
  const bool hexadecimal = s.starts_with("0x") || s.starts_with("0X");
  if (hexadecimal) s.remove_prefix(2);
  if (s.empty() || s.size() > (hexadecimal ? 32u : 39u)) return std::nullopt;
  U128 v = 0;
  for (const char c : s) {
    const int digit = hex_value(c);
    if (digit < 0 || (!hexadecimal && digit > 9)) return std::nullopt;
    const U128 base = hexadecimal ? 16 : 10;
    if (v > (~static_cast<U128>(0) - static_cast<unsigned>(digit)) / base) return std::nullopt;
    v = v * base + static_cast<unsigned>(digit);
  }
  return v;
}

std::uint32_t count_lines(std::string_view text) {
  std::uint32_t n = 0;
  for (; !text.empty(); ++n) next_line(text);
  return n;
}

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return out;
}

std::string upper(std::string_view s) {
  std::string out(s);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - ('a' - 'A'));
  return out;
}

std::string_view next_line(std::string_view& rest) {
  const void* newline = rest.empty() ? nullptr : std::memchr(rest.data(), '\n', rest.size());
  if (newline == nullptr) {
    const std::string_view line = rest;
    rest = {};
    return line;
  }
  const auto length = static_cast<std::size_t>(static_cast<const char*>(newline) - rest.data());
  const std::string_view line = rest.substr(0, length);
  rest.remove_prefix(length + 1);
  return line;
}

}  // namespace egt
