// One rule: its statements from left to right, then comment and handle.
#include "egtrace/base/text.h"
#include "nft/grammar.h"

namespace egt::parsers::nft {
namespace {

// Cuts " # handle 12" off the end.
std::optional<std::uint64_t> take_handle(std::string_view& text) {
  constexpr std::string_view kMark = "# handle ";
  const std::size_t at = text.rfind(kMark);
  if (at == std::string_view::npos) return std::nullopt;
  const auto handle = parse_decimal(trim(text.substr(at + kMark.size())));
  if (!handle) return std::nullopt;
  text = text.substr(0, at);
  if (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return handle;
}

// Cuts "comment "…"" off the end.
std::optional<std::string> take_comment(std::string_view& text) {
  constexpr std::string_view kMark = "comment \"";
  if (text.empty() || text.back() != '"') return std::nullopt;
  const std::size_t quote = text.rfind('"', text.size() - 2);
  if (text.size() < kMark.size() + 1 || quote == std::string_view::npos || quote + 1 < kMark.size()) {
    return std::nullopt;
  }
  const std::size_t at = quote + 1 - kMark.size();
  if (text.substr(at, kMark.size()) != kMark || (at > 0 && text[at - 1] != ' ')) return std::nullopt;
  std::string comment(text.substr(quote + 1, text.size() - quote - 2));
  text = text.substr(0, at > 0 ? at - 1 : 0);
  return comment;
}

}  // namespace

Rule parse_rule(std::string_view text) {
  Rule rule;
  const char* const begin = text.data();
  rule.handle = take_handle(text);
  rule.comment = take_comment(text);
  Position at = text.data();
  const Position last = at + text.size();
  const bool sane = nesting_is_sane(text);
  // iptables-nft's comment match prints as nothing: one blank more than a statement needs.
  std::size_t expected_blanks = 0;
  while (at != last) {
    std::size_t blanks = 0;
    while (at != last && is_blank(*at)) {
      ++at;
      ++blanks;
    }
    if (at == last) expected_blanks = 0;
    for (; blanks > expected_blanks; --blanks) rule.statements.push_back({HiddenMatch{}});
    expected_blanks = 1;
    if (at == last) break;
    Statement statement;
    const Position start = at;
    const bool understood = sane && (parse_common_statement(at, last, statement) || parse_statement(at, last, statement = {}));
    if (!understood || (at != last && !is_blank(*at))) {
      rule.opaque_column = static_cast<std::uint32_t>(start - begin + 1);
      statement = {OpaqueStatement{std::string(start, last)}};
      at = last;
    }
    rule.statements.push_back(std::move(statement));
  }
  return rule;
}

}  // namespace egt::parsers::nft
