// Rows of database tables as `list` and `find` print them, in text ("name : value" lines, records separated by an empty
// line) and with `-f json`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/result.h"
#include "ovsdb/datum.h"
#include "ovsdb/schema.h"
#include "support/lines.h"

namespace egt::parsers::ovsdb {

struct Column {
  std::string name;
  Datum value;
  std::uint32_t line = 0;
};

struct Record {
  std::vector<Column> columns;
  std::uint32_t line = 0;
  SourceId source = kNoSource;  // of rows that are a source of their own

  const Datum* find(std::string_view column) const;
  std::string text(std::string_view column) const;                        // empty when absent
  std::map<std::string, std::string> map(std::string_view column) const;  // empty when absent
  std::string uuid() const { return text("_uuid"); }
  std::vector<std::string> names() const;
};

// ---- text

// What one line of a listing is. A column line of which the value is not understood is `unknown`.
struct ListLine {
  enum class Kind : std::uint8_t { column, blank, comment, unknown };
  Kind kind = Kind::unknown;
  Column column;
  std::uint32_t error_column = 1;
};
ListLine parse_list_line(const Line& line);
// "%-20s: %s" without the end of the line.
void print_list_line(const Column& column, std::string& out);

// All records of a text listing; what is no record is reported and skipped.
std::vector<Record> read_list(const Dump& dump, Report& report);

// ---- JSON

struct JsonTable {
  std::optional<std::string> caption;
  std::vector<std::string> headings;
  std::vector<std::vector<Datum>> rows;  // as many cells as headings
};

bool looks_like_json_table(std::string_view text);
// One document is one line. The error names what is wrong with it.
Result<JsonTable> parse_json_table(std::string_view text);
void print_json_table(const JsonTable& table, std::string& out);
std::vector<Record> records_of(const JsonTable& table, std::uint32_t line);

// ---- either

std::vector<Record> read_records(const Dump& dump, Report& report);

}  // namespace egt::parsers::ovsdb
