// Types of columns as a database's own schema declares them (RFC 7047 §3.2), and the values of such columns in the JSON
// of database files (§5.1).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ovsdb/datum.h"
#include "ovsdb/json_cursor.h"

namespace egt::parsers::ovsdb {

struct ColumnType {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
  AtomKind key = AtomKind::string;
  std::optional<AtomKind> value;  // of a map
  std::uint64_t min = 1, max = 1;

  bool is_composite() const { return max > 1; }
};

struct ColumnSchema {
  std::string name;
  ColumnType type;
  bool ephemeral = false;  // is not written into the file: what it held is not known
};

struct TableSchema {
  std::string name;
  std::vector<ColumnSchema> columns;  // by name

  // Index in `columns`.
  std::optional<std::size_t> find(std::string_view column) const;
};

struct DatabaseSchema {
  std::string name, version;        // "OVN_Southbound", "20.41.0"
  std::vector<TableSchema> tables;  // by name
};

// Empty where the text is no database schema.
std::optional<DatabaseSchema> parse_schema(std::string_view json);

// One value in the notation of the file, shaped as its column demands: a set of one in a column that may hold more is a
// set, though the file has it bare. Empty when it is no value.
std::optional<Datum> parse_json_value(JsonCursor& c, const ColumnType& type);
// The same value as to_text() prints it. False, and nothing is appended, where it is none.
bool append_json_value(JsonCursor& c, const ColumnType& type, std::string& out);
// What a column holds where the file does not name it (RFC 7047 §5.2.1).
Datum default_value(const ColumnType& type);
void append_default_value(const ColumnType& type, std::string& out);  // as to_text() prints it

// In the notation of the file, without blanks.
void print_json_value(const Datum& datum, std::string& out);

// The order in which the database keeps the elements of sets and maps.
bool atom_less(const Atom& a, const Atom& b);

}  // namespace egt::parsers::ovsdb
