#include "egtrace/render/wrap.h"

#include <algorithm>

#include "egtrace/base/columns.h"
#include "egtrace/render/printable.h"

namespace egt::render {
namespace {

bool is_break(std::string_view text, std::size_t at) {
  const bool behind_comma = text[at - 1] == ',' && (at < 2 || text[at - 2] != '(');  // "resubmit(,8)" stays whole
  return text[at] == ' ' || behind_comma;
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

// Where a line of at most `room` columns may end: behind a blank or a comma; in the middle of a word only where the
// word would not fit a line of its own.
std::size_t break_point(std::string_view text, std::size_t room) {
  const std::size_t most = bytes_within(text, room);
  if (most == text.size()) return most;
  std::size_t i = most;
  while (i > 0 && !is_break(text, i)) --i;
  if (i > most / 3) return i;
  const std::string_view word = first_word(text.substr(i == 0 ? 0 : text.find_first_not_of(' ', i)));
  return i > 0 && columns_of(word) <= room ? i : std::max<std::size_t>(most, 1);
}

// Paths that no line has room for, without their middle: a path in two pieces can neither be read nor copied.
std::string with_short_paths(std::string_view text, std::size_t room) {
  std::string out;
  while (!text.empty()) {
    const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
    out += text.substr(0, blanks);
    text.remove_prefix(blanks);
    const std::string_view word = first_word(text);
    const std::string_view name = word.substr(0, word.find_last_not_of(",;") + 1);
    const bool is_path = name.find('/') != std::string_view::npos && name.find(',') == std::string_view::npos;
    out += is_path ? shortened_path(name, room - (word.size() - name.size())) : std::string(name);
    out += word.substr(name.size());
    text.remove_prefix(word.size());
  }
  return out;
}

}  // namespace

std::string wrap(std::string_view whole, std::size_t indent, std::size_t width, std::size_t most_lines) {
  const std::size_t room = width > indent + 20 ? width - indent : 20;
  const std::string margin(indent, ' ');
  const std::string fitting = with_short_paths(is_printable(whole) ? std::string(whole) : printable(whole), room);
  std::string_view text = fitting;
  std::string out;
  for (std::size_t line = 1;; ++line) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    const bool last = most_lines != 0 && line == most_lines;
    const std::size_t end = break_point(text, last && columns_of(text) > room ? room - 4 : room);
    std::string_view part = text.substr(0, end);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    text.remove_prefix(end);
    out += margin;
    out += part;
    if (last && !text.empty()) out += " ...";
    out += '\n';
    if (text.empty() || last) return out;
  }
}

std::string wrap_behind(std::string_view label, std::string_view text, std::size_t width, std::size_t most_lines) {
  const std::size_t indent = columns_of(label);
  return std::string(label) + wrap(text, indent, width, most_lines).substr(indent);
}

}  // namespace egt::render
