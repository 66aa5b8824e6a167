// Tables with a heading and columns of fixed width: `ovn-nbctl lr-nat-list` and `lb-list`. The widths are read off the
// heading, because columns came and went over the years. nbctl cuts a cell four characters before its column ends; the
// last cell of a row is never cut.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/lines.h"

namespace egt::parsers::ovn_text {

struct ColumnHeading {
  std::string name;
  std::size_t width = 0;  // 0: the last one
};
using ColumnHeadings = std::vector<ColumnHeading>;

struct ColumnRow {
  std::shared_ptr<const ColumnHeadings> headings;  // of its table: a dump may hold several
  std::vector<std::string> cells;                  // may be fewer than headings
  std::uint32_t line = 0;

  bool has(std::string_view heading) const { return find(heading) < headings->size(); }
  std::string cell(std::string_view heading) const;  // empty where there is none
  // Whether the cell fills all that nbctl prints of it: there may have been more.
  bool may_be_cut(std::string_view heading) const;

 private:
  std::size_t find(std::string_view heading) const;
};

ColumnHeadings parse_headings(std::string_view line);
ColumnRow parse_table_row(std::shared_ptr<const ColumnHeadings> headings, const Line& line);
void print_headings(const ColumnHeadings& headings, std::string& out);
void print_table_row(const ColumnRow& row, std::string& out);

}  // namespace egt::parsers::ovn_text
