// Rows as the reader of a database file left them: the text of the file, and what was changed since.
#include <algorithm>
#include <limits>
#include <utility>

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

namespace {

// Calls read(column, cursor) for each column that the row names, which takes its value and hands back whether it could. How many
// could not be read.
template <class Read>
std::size_t read_columns(const TableSchema& schema, std::string_view json, Read read) {
  std::size_t damaged = 0;
  JsonCursor c(json);
  const bool whole = for_each_member(c, [&](std::string_view name, JsonCursor& v) {
    const auto column = schema.find(name);
    JsonCursor of = v;
    if (column && read(*column, of)) return v = of, true;
    ++damaged;
    return !v.value().empty();
  });
  return damaged + !whole;
}

}  // namespace

Record StoredTable::record(const StoredRow& row, std::size_t& damaged, std::span<const std::string_view> only) const {
  const auto wanted = [only](std::string_view column) {
    return only.empty() || std::find(only.begin(), only.end(), column) != only.end();
  };
  std::vector<std::optional<Datum>> values(schema.columns.size());
  std::vector<bool> unread(schema.columns.size());
  damaged += read_columns(schema, row.json, [&](std::size_t column, JsonCursor& v) {
    if (!wanted(schema.columns[column].name)) return !v.value().empty();
    values[column] = parse_json_value(v, schema.columns[column].type);
    unread[column] = !values[column];
    return values[column].has_value();
  });
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

ovn::Columns StoredTable::columns(const StoredRow& row, std::size_t& damaged) const {
  struct Value {
    std::size_t begin = 0, end = 0;  // in `texts`
    bool is_named = false, is_unread = false;
  };
  std::vector<Value> values(schema.columns.size());
  std::string texts;
  texts.reserve(row.json.size());
  damaged += read_columns(schema, row.json, [&](std::size_t column, JsonCursor& v) {
    const std::size_t begin = texts.size();
    const bool is_read = append_json_value(v, schema.columns[column].type, texts);
    values[column] = {begin, texts.size(), true, !is_read};
    return is_read;
  });
  for (const auto& [column, changed] : row.changed) {
    const std::size_t begin = texts.size();
    texts += to_text(datum_of(changed, schema.columns[column].type));
    values[column] = {begin, texts.size(), true, false};
  }
  ovn::Columns::Packer packer;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ColumnSchema& column = schema.columns[i];
    const Value& value = values[i];
    if (value.is_unread || (!value.is_named && column.ephemeral)) continue;
    std::string& packed = *packer.begin(column.name);  // the schema has them by name
    if (value.is_named)
      packed.append(texts, value.begin, value.end - value.begin);
    else
      append_default_value(column.type, packed);
  }
  return packer.take();
}

const StoredTable* DatabaseFile::table(std::string_view wanted) const {
  const auto it = std::find_if(tables.begin(), tables.end(), [&](const StoredTable& t) { return t.schema.name == wanted; });
  return it == tables.end() ? nullptr : &*it;
}

}  // namespace egt::parsers::ovsdb
