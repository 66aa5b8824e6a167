// Rows as the reader of a database file left them: the text of the file, and what was changed since.
#include <algorithm>
#include <limits>

#include "egtrace/base/text.h"
#include "ovsdb/database.h"

namespace egt::parsers::ovsdb {

std::int64_t transaction_date(std::string_view json) {
  constexpr std::uint64_t kSeconds = std::numeric_limits<std::int32_t>::max(), kLast = 253'402'300'799'999;  // year 9999
  const std::uint64_t date = parse_decimal(json).value_or(0);
  return date > kLast ? 0 : static_cast<std::int64_t>(date < kSeconds ? date * 1000 : date);
}

std::string_view StoredTable::stored_value(const StoredRow& row, std::string_view column) {
  std::string_view found;
  JsonCursor c(row.json);
  for_each_member(c, [&](std::string_view name, JsonCursor& v) {
    const std::string_view value = v.value();
    if (name == column) found = value;
    return found.empty() && !value.empty();
  });
  return found;
}

Record StoredTable::record(const StoredRow& row, std::size_t& damaged, std::span<const std::string_view> only) const {
  const auto wanted = [only](std::string_view column) {
    return only.empty() || std::find(only.begin(), only.end(), column) != only.end();
  };
  std::vector<std::optional<Datum>> values(schema.columns.size());
  std::vector<bool> unread(schema.columns.size());
  JsonCursor c(row.json);
  const bool whole = for_each_member(c, [&](std::string_view name, JsonCursor& v) {
    const auto column = schema.find(name);
    const std::string_view json = v.value();
    if (!column) return ++damaged, !json.empty();
    if (!wanted(name)) return !json.empty();
    JsonCursor of(json);
    values[*column] = parse_json_value(of, schema.columns[*column].type);
    unread[*column] = !values[*column];
    damaged += unread[*column];
    return !json.empty();
  });
  damaged += !whole;
  for (const auto& [column, changed] : row.changed) {
    values[column] = datum_of(changed, schema.columns[column].type);
    unread[column] = false;
  }
  Record record;
  record.columns.reserve(schema.columns.size() + 1);
  record.columns.push_back({"_uuid", atom_datum({AtomKind::uuid, false, std::string(row.uuid)}), 0});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ColumnSchema& column = schema.columns[i];
    if (unread[i] || (!values[i] && column.ephemeral) || !wanted(column.name)) continue;
    record.columns.push_back({column.name, values[i] ? std::move(*values[i]) : default_value(column.type), 0});
  }
  return record;
}

const StoredTable* DatabaseFile::table(std::string_view wanted) const {
  const auto it = std::find_if(tables.begin(), tables.end(), [&](const StoredTable& t) { return t.schema.name == wanted; });
  return it == tables.end() ? nullptr : &*it;
}

}  // namespace egt::parsers::ovsdb
