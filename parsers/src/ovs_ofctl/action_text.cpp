#include "ovs_ofctl/action_text.h"

#include <algorithm>
#include <cctype>

#include "ovs_ofctl/values.h"
#include "support/cursor.h"

namespace egt::parsers::ofctl {
namespace {

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Index of the parenthesis that closes the one at s[0]; npos when there is none.
std::size_t closing(std::string_view s) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '(') ++depth;
    if (s[i] == ')' && --depth == 0) return i;
    if (s[i] == '"')
      for (++i; i < s.size() && s[i] != '"'; ++i)
        if (s[i] == '\\') ++i;
  }
  return std::string_view::npos;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 48;
  std::string out = "'";
  for (const char c : text.substr(0, kShown)) out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  return out + (text.size() > kShown ? "…'" : "'");
}

}  // namespace

bool cut_piece(std::string_view text, Piece& p) {
  std::size_t n = 0;
  while (n < text.size() && is_word_char(text[n])) ++n;
  p.text = text;
  p.name = text.substr(0, n);
  if (n == text.size()) return true;
  if (text[n] == ':' || text[n] == '=') {
    p.style = Piece::Style::colon;
    p.args = text.substr(n + 1);
    return true;
  }
  if (text[n] != '(') return false;
  const std::size_t end = closing(text.substr(n));
  if (end == std::string_view::npos) return false;
  p.style = Piece::Style::parens;
  p.args = text.substr(n + 1, end - 1);
  p.tail = text.substr(n + end + 1);
  return true;
}

bool ActionText::fail(std::string message, std::string_view at) {
  if (errors_) errors_->push_back({std::move(message) + ": " + quoted(at), column_of(at, whole_)});
  return false;
}

bool ActionText::number(std::string_view text, std::uint64_t most, std::uint64_t& out) {
  constexpr std::uint64_t kMost32 = 0xffffffff;
  Number n;
  std::uint32_t word = 0;
  if (read_number(text, n) && n.value <= most)
    out = low64(n.value);
  else if (most == kMost32 && read_lower_word(text, word))
    out = word;
  else
    return fail("not a number of the right size", text);
  return true;
}

bool ActionText::subfield(std::string_view text, Subfield& out) {
  const auto s = parse_subfield(text);
  if (!s) return fail("not a field or bits of one", text);
  out = *s;
  return true;
}

bool has_short_name(FieldId f) {
  constexpr FieldId kOthers[] = {FieldId::in_port, FieldId::tp_src, FieldId::tp_dst};  // whose header is 0, and names of tcp_src
  return field(f).oxm_header != 0 || std::find(std::begin(kOthers), std::end(kOthers), f) != std::end(kOthers);
}

bool ActionText::destination(std::string_view text, Subfield& out) {
  if (!subfield(text, out)) return false;
  if (!has_short_name(out.field)) return fail("the field has no 32-bit name", text);
  return field(out.field).writable || fail("field is read-only", text);
}

}  // namespace egt::parsers::ofctl
