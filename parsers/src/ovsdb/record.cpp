#include "ovsdb/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "egtrace/base/text.h"

namespace egt::parsers::ovsdb {
namespace {

bool is_column_char(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }

// A record ends at an empty line, before "_uuid", and where a column comes again (excerpts lack the empty lines).
bool begins_record(const Record& current, std::string_view column) {
  return !current.columns.empty() && (column == "_uuid" || current.find(column) != nullptr);
}

void close(Record& current, std::vector<Record>& records) {
  if (!current.columns.empty()) records.push_back(std::move(current));
  current = {};
}

void count(const Line& line, const ListLine& parsed, LineReport& report) {
  switch (parsed.kind) {
    case ListLine::Kind::column: return report.understood();
    case ListLine::Kind::blank:
    case ListLine::Kind::comment: return report.ignored();
    case ListLine::Kind::unknown:
      return report.not_understood(line, parsed.error_column, "not a \"column : value\" line of an OVSDB listing");
  }
}

}  // namespace

const Datum* Record::find(std::string_view column) const {
  const auto it = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == column; });
  return it == columns.end() ? nullptr : &it->value;
}

std::string Record::text(std::string_view column) const {
  const Datum* value = find(column);
  return value ? value->text() : std::string();
}

std::map<std::string, std::string> Record::map(std::string_view column) const {
  const Datum* value = find(column);
  return value ? value->as_map() : std::map<std::string, std::string>();
}

std::vector<std::string> Record::names() const {
  std::vector<std::string> all;
  for (const Column& c : columns) all.push_back(c.name);
  return all;
}

ListLine parse_list_line(const Line& line) {
  ListLine parsed;
  const std::string_view trimmed = trim(line.text);
  if (trimmed.empty() || trimmed == "--") return parsed.kind = ListLine::Kind::blank, parsed;  // "--": grep
  if (trimmed.front() == '#') return parsed.kind = ListLine::Kind::comment, parsed;
  Cursor c(line.text);
  c.skip_blanks();
  const std::string_view name = c.take_while(is_column_char);
  c.skip_blanks();
  if (!name.empty() && c.take(':')) {
    if (auto value = parse_datum(c)) {
      parsed.kind = ListLine::Kind::column;
      parsed.column = {std::string(name), std::move(*value), line.number};
      return parsed;
    }
  }
  parsed.error_column = c.column();
  return parsed;
}

void print_list_line(const Column& column, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{:<20}: ", column.name);
  print(column.value, out);
}

std::vector<Record> read_list(const Dump& dump, Report& report) {
  std::vector<Record> records;
  LineReport lines(dump, report);
  LineReader reader(dump);
  Record current;
  for (Line line; reader.next(line);) {
    ListLine parsed = parse_list_line(line);
    count(line, parsed, lines);
    if (parsed.kind == ListLine::Kind::blank) close(current, records);
    if (parsed.kind != ListLine::Kind::column) continue;
    if (begins_record(current, parsed.column.name)) close(current, records);
    if (current.columns.empty()) current.line = line.number;
    current.columns.push_back(std::move(parsed.column));
  }
  close(current, records);
  return records;
}

std::vector<Record> read_records(const Dump& dump, Report& report) {
  if (!looks_like_json_table(dump.text)) return read_list(dump, report);
  std::vector<Record> records;
  LineReport lines(dump, report);
  LineReader reader(dump);
  for (Line line; reader.next(line);) {
    if (trim(line.text).empty()) {
      lines.ignored();
      continue;
    }
    auto table = parse_json_table(line.text);
    if (!table) {
      lines.not_understood(line, 1, table.error().message);
      continue;
    }
    lines.understood();
    auto more = records_of(*table, line.number);
    std::move(more.begin(), more.end(), std::back_inserter(records));
  }
  return records;
}

}  // namespace egt::parsers::ovsdb
