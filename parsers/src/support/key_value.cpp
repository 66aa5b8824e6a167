#include "support/key_value.h"

#include "egtrace/base/text.h"

namespace egt::parsers {
namespace {

// Length of the term at the front of `s`.
std::size_t term_length(std::string_view s) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    switch (s[i]) {
      case '(':
      case '[':
      case '{': ++depth; break;
      case ')':
      case ']':
      case '}':
        if (depth > 0) --depth;
        break;
      case ',':
        if (depth == 0) return i;
        break;
      case '"':
        for (++i; i < s.size() && s[i] != '"'; ++i)
          if (s[i] == '\\') ++i;
        break;
      default: break;
    }
  }
  return s.size();
}

}  // namespace

bool next_term(std::string_view& rest, std::string_view& term) {
  if (rest.empty()) return false;
  const std::size_t n = term_length(rest);
  term = trim(rest.substr(0, n));
  rest.remove_prefix(n < rest.size() ? n + 1 : n);
  return true;
}

KeyValue split_key_value(std::string_view term, char assign) {
  const std::size_t at = term.find(assign);
  if (at == std::string_view::npos) return {term, {}, false, term};
  return {trim_right(term.substr(0, at)), trim_left(term.substr(at + 1)), true, term};
}

bool next_key_value(std::string_view& rest, char assign, KeyValue& out) {
  std::string_view term;
  if (!next_term(rest, term)) return false;
  out = split_key_value(term, assign);
  return true;
}

}  // namespace egt::parsers
