#include "nft/block_lines.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "egtrace/base/text.h"

namespace egt::parsers::nft {
namespace {

constexpr std::string_view kItems[] = {"chain", "set",     "map",      "counter",   "quota",
                                       "limit", "secmark", "synproxy", "flowtable", "tunnel"};
constexpr std::string_view kOfConntrack[] = {"helper", "timeout", "expectation"};

template <std::size_t n>
bool is_among(std::string_view word, const std::string_view (&words)[n]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// Behind the brace of "table inet t {", "chain c {", "set s {"; 0: the line begins no block.
std::size_t end_of_opening(std::string_view line) {
  const std::size_t brace = line.find('{');
  if (brace == std::string_view::npos) return 0;
  const auto w = words(line.substr(0, brace));
  const bool table = w.size() == 3 && w[0] == "table";
  const bool item = w.size() == 2 && is_among(w[0], kItems);
  const bool of_conntrack = w.size() == 3 && w[0] == "ct" && is_among(w[1], kOfConntrack);
  return table || item || of_conntrack ? brace + 1 : 0;
}

// Outside of quotes and of lists: where the line's first part ends, and whether a brace that closes its block ends it.
struct LinePart {
  std::size_t end = 0;
  bool closes = false;
};
LinePart first_part(std::string_view line, bool in_list, bool at_semicolon) {
  std::size_t depth = in_list ? 1 : 0;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '#' && depth == 0) break;
    if (c == '{') ++depth;
    if (c == '}' && depth-- == 0) return {i, true};
    if (c == ';' && depth == 0 && at_semicolon) return {i, false};
  }
  return {line.size(), false};
}

bool is_base_of_chain(std::string_view line) {
  return line.starts_with("type ") && line.find(" hook ") != std::string_view::npos;
}

// A chain's hook and its policy are one line.
std::size_t end_of_base(std::string_view line) {
  std::size_t end = first_part(line, false, true).end;
  for (;;) {
    const std::string_view rest = trim_left(line.substr(std::min(end + 1, line.size())));
    if (!rest.starts_with("policy ") && !rest.starts_with("flags ")) return std::min(end + 1, line.size());
    end = static_cast<std::size_t>(rest.data() - line.data()) + first_part(rest, false, true).end;
  }
}

bool has_several(std::string_view line, bool in_list) {
  if (line == "}" || line.empty() || line.front() == '#') return false;
  const std::size_t end = line.back() == '{' ? 0 : end_of_opening(line);
  if (end != 0) return !trim(line.substr(end)).starts_with("#");
  if (line.back() != '}' && line.back() != ';') return false;
  if (line.back() == ';') return !is_base_of_chain(line) || end_of_base(line) < line.size();
  return first_part(line, in_list, false).closes;
}

}  // namespace

std::vector<std::string_view> lines_of_blocks(std::string_view line, bool in_list) {
  std::vector<std::string_view> lines;
  if (!has_several(line, in_list)) return lines;
  const auto add = [&](std::string_view part) {
    if (part = trim(part); !part.empty()) lines.push_back(part);
  };
  while (!(line = trim(line)).empty()) {
    if (const std::size_t end = in_list ? 0 : end_of_opening(line); end != 0) {
      add(line.substr(0, end));
      line.remove_prefix(end);
      continue;
    }
    if (!in_list && is_base_of_chain(line)) {
      const std::size_t end = end_of_base(line);
      add(line.substr(0, end));
      line.remove_prefix(end);
      continue;
    }
    const LinePart part = first_part(line, in_list, true);
    in_list = false;
    add(line.substr(0, part.end));
    if (part.closes) add(line.substr(part.end, 1));
    line.remove_prefix(part.end < line.size() ? part.end + 1 : part.end);
  }
  return lines;
}

}  // namespace egt::parsers::nft
