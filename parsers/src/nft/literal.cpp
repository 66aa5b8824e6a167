// Words of the grammar: how a literal is spelled shows what it is.
#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/base/text.h"
#include "nft/grammar.h"

namespace egt::parsers::nft {
namespace {

constexpr unsigned kMaxNesting = 32;

bool is_word_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == ':' || c == '/' ||
         c == '-' || c == '*' || c == '+' || c == '\\' || c == '%' || c == '$' || c == '~' || c == '#';
}

bool all_digits(std::string_view s) {
  if (s.empty()) return false;
  for (char c : s) {
    if (!is_digit(c)) return false;
  }
  return true;
}

// "1d2h3m4s", "500ms"
bool is_duration(std::string_view s) {
  if (s.empty() || !is_digit(s.front()) || is_digit(s.back())) return false;
  for (char c : s) {
    if (!is_digit(c) && c != 'd' && c != 'h' && c != 'm' && c != 's') return false;
  }
  return true;
}

bool is_mac(std::string_view s) { return s.size() == 17 && MacAddr::parse(s).has_value(); }

// A range is cut where both sides look like values and not like a name with a dash ("echo-request").
std::size_t range_dash(std::string_view word) {
  const auto looks_like_value = [](std::string_view s) {
    if (s.empty()) return false;
    return is_digit(s.front()) || s.find(':') != std::string_view::npos;
  };
  for (std::size_t i = word.find('-'); i != std::string_view::npos; i = word.find('-', i + 1)) {
    if (looks_like_value(word.substr(0, i)) && looks_like_value(word.substr(i + 1))) return i;
  }
  return std::string_view::npos;
}

Expression literal(std::string_view word) { return {classify(word)}; }

bool has_value_char(std::string_view word) {
  if (word == "*" || word == "::" || word.substr(0, 3) == "::/") return true;
  for (char c : word) {
    if (c != '.' && c != ':' && c != '/' && c != '-') return true;
  }
  return false;
}

Position skip_blanks(Position at, Position last) {
  while (at != last && (is_blank(*at) || *at == '\n' || *at == '\r')) ++at;
  return at;
}

bool scan_quoted(Position& first, Position last, std::string_view& out) {
  if (first == last || *first != '"') return false;
  Position end = first + 1;
  while (end != last && *end != '"') ++end;
  if (end == last) return false;
  out = {first + 1, static_cast<std::size_t>(end - first - 1)};
  first = end + 1;
  return true;
}

bool scan_word(Position& first, Position last, std::string_view& out) {
  Position end = first;
  while (end != last && is_word_char(*end)) ++end;
  out = {first, static_cast<std::size_t>(end - first)};
  if (out.empty() || !has_value_char(out)) return false;
  first = end;
  return true;
}

Expression string_literal(std::string_view text) { return {Literal{Literal::Kind::string, std::string(text)}}; }

Expression range(Expression from, Expression to, bool spaced) {
  RangeExpr r;
  r.spaced = spaced;
  r.ends.push_back(std::move(from));
  r.ends.push_back(std::move(to));
  return {std::move(r)};
}

// "17:00"-"19:00"
bool parse_quoted(Position& first, Position last, Expression& out) {
  std::string_view from, to;
  Position at = first;
  if (!scan_quoted(at, last, from)) return false;
  first = at;
  if (at != last && *at == '-' && scan_quoted(++at, last, to)) {
    first = at;
    out = range(string_literal(from), string_literal(to), false);
  } else {
    out = string_literal(from);
  }
  return true;
}

// " - 8999" behind a number, as map data was printed by older versions.
bool parse_spaced_end(Position& first, Position last, std::string_view& word) {
  if (last - first < 4 || std::string_view(first, 3) != " - " || !is_digit(first[3])) return false;
  Position at = first + 3;
  if (!scan_word(at, last, word)) return false;
  first = at;
  return true;
}

}  // namespace

bool nesting_is_sane(std::string_view text) {
  unsigned depth = 0;
  bool quoted = false;
  for (char c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '{' || c == '(' || c == '[') {
      if (++depth > kMaxNesting) return false;
    } else if ((c == '}' || c == ')' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return true;
}

Literal classify(std::string_view word) {
  using Kind = Literal::Kind;
  Kind kind = Kind::other;
  const char c = word.empty() ? '\0' : word.front();
  if (all_digits(word)) {
    kind = Kind::number;
  } else if (word.substr(0, 2) == "0x" && parse_u128(word)) {
    kind = Kind::hex;
  } else if (is_duration(word)) {
    kind = Kind::duration;
  } else if (is_mac(word)) {
    kind = Kind::mac;
  } else if ((is_digit(c) || word.find(':') != std::string_view::npos) && word.find('/') != std::string_view::npos &&
             Prefix::parse(word)) {
    kind = Kind::prefix;
  } else if ((is_digit(c) || word.find(':') != std::string_view::npos) && IpAddr::parse(word)) {
    kind = word.find(':') == std::string_view::npos ? Kind::ipv4 : Kind::ipv6;
  } else if (!is_digit(c) && word.find(':') == std::string_view::npos) {
    kind = Kind::symbol;
  }
  return {kind, std::string(word)};
}

bool parse_literal(Position& first, Position last, Expression& out) {
  Position at = skip_blanks(first, last);
  if (parse_quoted(at, last, out)) {
    first = at;
    return true;
  }
  std::string_view word, to;
  if (!scan_word(at, last, word)) return false;
  const std::size_t dash = range_dash(word);
  if (dash != std::string_view::npos) {
    out = range(literal(word.substr(0, dash)), literal(word.substr(dash + 1)), false);
  } else if (is_digit(word.front()) && parse_spaced_end(at, last, to)) {
    out = range(literal(word), literal(to), true);
  } else {
    out = literal(word);
  }
  first = at;
  return true;
}

}  // namespace egt::parsers::nft
