// Tables with a heading and columns of fixed width: `ovn-nbctl lr-nat-list` and `lb-list`. The widths are read off the
// heading, because columns came and went over the years. nbctl cuts a cell four characters before its column ends; the
// last cell of a row is never cut.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/lines.h"

namespace egt::parsers::ovn_text {

struct ColumnTable {
  struct Heading {
    std::string name;
    std::size_t width = 0;  // 0: the last one
  };
  struct Row {
    std::vector<std::string> cells;  // may be fewer than headings
    std::uint32_t line = 0;
  };
  std::vector<Heading> headings;
  std::vector<Row> rows;

  // Position of a heading; headings.size() when there is none.
  std::size_t find(std::string_view heading) const;
  std::string cell(const Row& row, std::string_view heading) const;
  // Whether the cell fills all that nbctl prints of it: there may have been more.
  bool may_be_cut(const Row& row, std::string_view heading) const;
};

std::vector<ColumnTable::Heading> parse_headings(std::string_view line);
ColumnTable::Row parse_table_row(const std::vector<ColumnTable::Heading>& headings, const Line& line);
void print_headings(const std::vector<ColumnTable::Heading>& headings, std::string& out);
void print_table_row(const std::vector<ColumnTable::Heading>& headings, const ColumnTable::Row& row, std::string& out);

}  // namespace egt::parsers::ovn_text
