#include "ovn/column_table.h"

#include <algorithm>
#include <utility>

#include "egtrace/base/text.h"

namespace egt::parsers::ovn_text {
namespace {

constexpr std::size_t kGap = 4;  // blanks that nbctl leaves at least behind a cell

void pad(std::string& out, std::size_t from, std::size_t width) {
  const std::size_t length = out.size() - from;
  if (length < width) out.append(width - length, ' ');
}

}  // namespace

std::size_t ColumnRow::find(std::string_view heading) const {
  const auto it = std::find_if(headings->begin(), headings->end(), [&](const ColumnHeading& h) { return h.name == heading; });
  return static_cast<std::size_t>(it - headings->begin());
}

std::string ColumnRow::cell(std::string_view heading) const {
  const std::size_t i = find(heading);
  return i < cells.size() ? cells[i] : std::string();
}

bool ColumnRow::may_be_cut(std::string_view heading) const {
  const std::size_t i = find(heading);
  return i + 1 < cells.size() && cells[i].size() + kGap >= (*headings)[i].width;
}

ColumnHeadings parse_headings(std::string_view line) {
  ColumnHeadings headings;
  std::size_t at = 0;
  while (at < line.size()) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const std::size_t next = std::min(line.find_first_not_of(' ', end), line.size());
    headings.push_back({std::string(line.substr(at, end - at)), next - at});
    at = next;
  }
  if (!headings.empty()) headings.back().width = 0;
  return headings;
}

// What has no blank any more is the last cell of its row: rows end early where nothing follows.
ColumnRow parse_table_row(std::shared_ptr<const ColumnHeadings> headings, const Line& line) {
  ColumnRow row;
  row.headings = std::move(headings);
  row.line = line.number;
  std::string_view rest = line.text;
  for (const ColumnHeading& h : *row.headings) {
    const bool last = h.width == 0 || rest.find(' ') == std::string_view::npos;
    const std::size_t width = last ? rest.size() : std::min(h.width, rest.size());
    row.cells.emplace_back(last ? rest : trim_right(rest.substr(0, width)));
    rest.remove_prefix(width);
    if (last) break;
  }
  return row;
}

void print_headings(const ColumnHeadings& headings, std::string& out) {
  for (const ColumnHeading& h : headings) {
    const std::size_t from = out.size();
    out += h.name;
    pad(out, from, h.width);
  }
}

void print_table_row(const ColumnRow& row, std::string& out) {
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const std::size_t from = out.size();
    out += row.cells[i];
    if (i + 1 < row.cells.size()) pad(out, from, (*row.headings)[i].width);
  }
}

}  // namespace egt::parsers::ovn_text
