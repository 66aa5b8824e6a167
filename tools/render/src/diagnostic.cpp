#include "egtrace/render/diagnostic.h"

#include <algorithm>
#include <string_view>

#include "egtrace/base/columns.h"
#include "egtrace/render/printable.h"

namespace egt::render {
namespace {

constexpr std::string_view kMargin = "    ";

// As a terminal shows it, a column a tab.
std::string shown(std::string_view text) {
  std::string out = printable(text);
  std::replace(out.begin(), out.end(), '\t', ' ');
  return out;
}

// Without as many whole characters at the beginning as it takes to leave no more columns than that.
std::string_view last_columns(std::string_view text, std::size_t columns) {
  const std::size_t all = columns_of(text);
  if (all <= columns) return text;
  std::size_t bytes = bytes_within(text, all - columns);
  if (columns_of(text.substr(bytes)) > columns) bytes += std::max<std::size_t>(utf8_length(text.substr(bytes)), 1);
  return text.substr(bytes);
}

}  // namespace

std::string quoted_line(const explain::DiagnosticReport& d, std::size_t width) {
  if (d.line.empty()) return {};
  const std::size_t room = std::max<std::size_t>(width, kMargin.size() + 20) - kMargin.size();
  const std::string_view line = d.line;
  const std::size_t at = std::min<std::size_t>(d.column == 0 ? 0 : d.column - 1, line.size());
  const std::string before = shown(line.substr(0, at)), from = shown(line.substr(at));
  // The end of the line is of no more use than what stands before the caret.
  const std::string_view head = last_columns(before, std::max(room / 2, room - std::min(room, columns_of(from))));
  const std::size_t caret = columns_of(head);
  const std::string_view tail = std::string_view(from).substr(0, bytes_within(from, room - caret));
  std::string out = std::string(kMargin).append(head).append(tail) + '\n';
  if (d.column != 0) out += std::string(kMargin) + std::string(caret, ' ') + "^\n";
  return out;
}

std::string diagnostic_text(const explain::DiagnosticReport& d, std::size_t width) {
  return d.head + '\n' + quoted_line(d, width);
}

}  // namespace egt::render
