#include "ovsdb/schema.h"

#include <array>
#include <iterator>
#include <unordered_map>

#include "egtrace/base/text.h"
#include "egtrace/ovn/rows/tables.h"

namespace egt::parsers::ovsdb {
namespace {

constexpr Database database_of(std::string_view short_name) {
  return short_name == "NB" ? Database::nb : short_name == "SB" ? Database::sb : Database::ovs;
}

constexpr auto kTables = [] {
  std::array<TableInfo, std::size(rows::kTables)> all{};
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = {database_of(rows::kTables[i].database), rows::kTables[i].table, rows::kTables[i].columns};
  return all;
}();

bool is_column(const TableInfo& table, std::string_view column) {
  std::string_view rest = table.columns;
  while (!rest.empty())
    if (take_until(rest, ' ') == column) return true;
  return false;
}

char folded(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == '-' ? '_' : c;
}

bool begins_with_folded(std::string_view name, std::string_view beginning) {
  if (beginning.size() > name.size()) return false;
  for (std::size_t i = 0; i < beginning.size(); ++i)
    if (folded(name[i]) != folded(beginning[i])) return false;
  return true;
}

// The tables that have a column, by their places in kTables.
using Tables = std::vector<std::uint16_t>;
const Tables& tables_with(std::string_view column) {
  static const std::unordered_map<std::string_view, Tables> all = [] {
    std::unordered_map<std::string_view, Tables> by_column;
    for (std::uint16_t i = 0; i < std::size(kTables); ++i)
      for (std::string_view rest = kTables[i].columns; !rest.empty();)
        by_column[take_until(rest, ' ')].push_back(i);  // sorted: each once
    return by_column;
  }();
  static const Tables none;
  const auto found = all.find(column);
  return found == all.end() ? none : found->second;
}

std::size_t column_count(const TableInfo& table) {
  std::size_t count = 1;
  for (const char c : table.columns) count += c == ' ';
  return count;
}

}  // namespace

std::string_view short_name(Database d) {
  switch (d) {
    case Database::nb: return "NB";
    case Database::ovs: return "OVS";
    case Database::sb: return "SB";
  }
  return {};
}

const TableInfo* find_table(Database d, std::string_view name) {
  const TableInfo* found = nullptr;
  unsigned candidates = 0;
  for (const TableInfo& t : kTables) {
    if (t.database != d || name.empty() || !begins_with_folded(t.name, name)) continue;
    if (t.name.size() == name.size()) return &t;
    found = &t;
    ++candidates;
  }
  return candidates == 1 ? found : nullptr;
}

unsigned fit(const TableInfo& table, const std::vector<std::string>& columns) {
  unsigned known = 0, all = 0;
  for (const std::string& c : columns) {
    if (c == "_uuid") continue;
    ++all;
    known += is_column(table, c);
  }
  return all == 0 ? 0 : known * 100 / all;
}

TableGuess guess_table(const std::vector<std::string>& columns, std::optional<Database> only) {
  std::array<unsigned, std::size(kTables)> known{};
  unsigned all = 0;
  for (const std::string& c : columns) {
    if (c == "_uuid") continue;
    ++all;
    for (const std::uint16_t table : tables_with(c)) ++known[table];
  }
  TableGuess best;
  std::size_t best_columns = 0;
  for (std::size_t i = 0; all > 0 && i < known.size(); ++i) {
    const TableInfo& t = kTables[i];
    const unsigned f = known[i] * 100 / all;
    if (f == 0 || f < best.fit || (only && t.database != *only)) continue;
    const std::size_t count = column_count(t);
    if (f > best.fit || count < best_columns) best = {&t, f}, best_columns = count;
  }
  return best;
}

}  // namespace egt::parsers::ovsdb
