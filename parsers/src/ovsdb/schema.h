// Tables of the three databases and the columns that they had in any release since 2020. It serves to recognise a table
// by its columns and to give it its proper name; columns that are not listed are no error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace egt::parsers::ovsdb {

enum class Database : std::uint8_t { nb, ovs, sb };

struct TableInfo {
  Database database;
  std::string_view name;
  std::string_view columns;  // separated by single blanks, sorted
};

std::string_view short_name(Database d);  // "NB", "OVS", "SB"

// As the tools accept it: any case, '-' for '_', and a unique beginning. Null when there is none.
const TableInfo* find_table(Database d, std::string_view name);

// How well the columns of a record fit a table: the share of them that the table has, in percent.
unsigned fit(const TableInfo& table, const std::vector<std::string>& columns);

// The table that fits best, of one database or of any. Of two that fit equally the one with fewer columns besides.
struct TableGuess {
  const TableInfo* table = nullptr;
  unsigned fit = 0;
};
TableGuess guess_table(const std::vector<std::string>& columns, std::optional<Database> only = {});

}  // namespace egt::parsers::ovsdb
