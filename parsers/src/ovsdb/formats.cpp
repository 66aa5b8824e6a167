// The faces of `list`, `find` and `show` of ovs-vsctl, ovn-nbctl and ovn-sbctl.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "egtrace/base/text.h"
#include "egtrace/parsers/format.h"
#include "ovsdb/database_format.h"
#include "ovsdb/load.h"
#include "ovsdb/record.h"
#include "ovsdb/show.h"

namespace egt::parsers {
namespace ovsdb {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kSampleBytes = 64 * 1024;
constexpr std::size_t kSampleColumns = 120;

std::string_view tool_of(Database d) {
  switch (d) {
    case Database::nb: return "ovn-nbctl";
    case Database::ovs: return "ovs-vsctl";
    case Database::sb: return "ovn-sbctl";
  }
  return {};
}

bool is_blank_text(std::string_view text) { return trim(text.substr(0, 4096)).empty() && text.size() < 4096; }

bool is_command(const Dump& dump, Database d, std::string_view verb) {
  return command_has(dump, fmt::format("{} {}", tool_of(d), verb));
}

// ---- list and find

struct Sample {
  unsigned columns = 0, lines = 0;  // lines that are columns; lines that are not blank
  bool has_uuid = false;
  std::vector<std::string> names;
};

// Headings come behind the data; a quoted name holds no escapes.
Sample sample_json(std::string_view text) {
  Sample sample;
  const std::size_t at = text.rfind("\"headings\":[");
  if (at == std::string_view::npos) return sample;
  std::string_view rest = text.substr(at + 12);
  rest = rest.substr(0, rest.find(']'));
  for (const std::string_view quoted : split(rest, ',')) {
    const std::string_view name = trim(quoted);
    if (name.size() > 2) sample.names.emplace_back(name.substr(1, name.size() - 2));
  }
  sample.columns = sample.lines = static_cast<unsigned>(sample.names.size());
  return sample;
}

Sample sample_list(const Dump& dump) {
  Sample sample;
  Dump head = dump;
  head.text = dump.text.substr(0, kSampleBytes);
  const bool cut = head.text.size() < dump.text.size();
  LineReader reader(head);
  for (Line line; sample.lines < kSampleColumns && reader.next(line);) {
    if (cut && reader.left() == 0) break;
    const ListLine parsed = parse_list_line(line);
    if (parsed.kind == ListLine::Kind::blank || parsed.kind == ListLine::Kind::comment) continue;
    ++sample.lines;
    if (parsed.kind != ListLine::Kind::column) continue;
    ++sample.columns;
    sample.has_uuid |= parsed.column.name == "_uuid";
    if (std::find(sample.names.begin(), sample.names.end(), parsed.column.name) == sample.names.end())
      sample.names.push_back(parsed.column.name);
  }
  return sample;
}

Sample sample_of(const Dump& dump) { return looks_like_json_table(dump.text) ? sample_json(dump.text) : sample_list(dump); }

// The table that the command names. `whole`: the command names nothing else, so that it printed all rows.
struct NamedTable {
  const TableInfo* table = nullptr;
  bool whole = false;
};
NamedTable named_table(const Dump& dump, Database d) {
  for (const std::string_view verb : {"list", "find"}) {
    if (!is_command(dump, d, verb)) continue;
    const std::string argument = argument_after(dump, verb);
    if (const TableInfo* table = find_table(d, argument)) return {table, verb == "list"};
    // "Interface_name=eth0": the table's name and more, in a file name.
    for (std::size_t n = argument.rfind('_'); n != std::string::npos && n > 0; n = argument.rfind('_', n - 1))
      if (const TableInfo* table = find_table(d, argument.substr(0, n))) return {table, false};
  }
  return {};
}

// By content first: a name that does not go with the columns counts nothing.
TableGuess table_of(const Dump& dump, Database d, const std::vector<std::string>& names) {
  const NamedTable named = named_table(dump, d);
  if (named.table) {
    const unsigned f = names.empty() ? 100 : fit(*named.table, names);
    if (f >= 50) return {named.table, f};
  }
  return guess_table(names, d);
}

Recognition recognise_list(const Dump& dump, Database d) {
  Recognition how;
  const bool commanded = is_command(dump, d, "list") || is_command(dump, d, "find");
  if (is_blank_text(dump.text)) {
    const NamedTable named = named_table(dump, d);
    if (!commanded || !named.table) return how;
    return {60, fmt::format("{} {}", short_name(d), named.table->name), 1};
  }
  const Sample sample = sample_of(dump);
  if (sample.columns == 0 && looks_like_json_table(dump.text))  // cut before its headings
    return {commanded ? 70 : 20, fmt::format("{} cut {}", short_name(d), dump.path), 0};
  if (sample.columns == 0 || sample.columns * 2 < sample.lines) return how;
  const TableGuess here = table_of(dump, d, sample.names), anywhere = guess_table(sample.names);
  // The name decides only between databases that fit alike.
  const bool named = commanded && anywhere.fit <= here.fit + 15;
  const bool other_tool = !named && anywhere.table && anywhere.table->database != d;
  const bool fits = here.fit >= 50;
  if (!fits && !(commanded && sample.has_uuid)) return how;
  how.confidence = fits ? 60 + static_cast<int>(here.fit) / 4 + (named ? 14 : 0) - (other_tool ? 40 : 0) : 50;
  how.topic = fmt::format("{} {}", short_name(d), here.table ? here.table->name : "rows");
  // Excerpts of one table do not compete: each may show other rows.
  if (dump.partial) how.topic += fmt::format(" excerpt {}:{}", dump.path, dump.first_line);
  how.quality = looks_like_json_table(dump.text) ? 3 : dump.partial ? 1 : 2;
  return how;
}

// What is printed again must be what stood there; where it is not, the line stays as it was, and that is reported.
void emit(const Line& line, std::string_view canonical, LineReport& report, std::string& out) {
  if (canonical != line.text)
    report.note(line, 1, "understood, but spelt differently from what the tool prints", Diagnostic::Severity::note);
  out += line.text;
  out += line.end;
}

void reprint_list_text(const Dump& dump, std::string& out, LineReport& report) {
  LineReader reader(dump);
  std::string canonical;
  for (Line line; reader.next(line);) {
    const ListLine parsed = parse_list_line(line);
    canonical.clear();
    if (parsed.kind == ListLine::Kind::column) {
      report.understood();
      print_list_line(parsed.column, canonical);
      emit(line, canonical, report, out);
      continue;
    }
    if (parsed.kind == ListLine::Kind::unknown)
      report.not_understood(line, parsed.error_column, "not a \"column : value\" line of an OVSDB listing");
    else
      report.ignored();
    out += line.text;
    out += line.end;
  }
}

void reprint_list_json(const Dump& dump, std::string& out, LineReport& report) {
  LineReader reader(dump);
  std::string canonical;
  for (Line line; reader.next(line);) {
    canonical.clear();
    const auto table = parse_json_table(line.text);
    if (table) {
      report.understood();
      print_json_table(*table, canonical);
      emit(line, canonical, report, out);
      continue;
    }
    if (trim(line.text).empty())
      report.ignored();
    else
      report.not_understood(line, 1, table.error().message);
    out += line.text;
    out += line.end;
  }
}

void reprint_list(const Dump& dump, std::string& out, Report& report) {
  LineReport lines(dump, report);
  if (looks_like_json_table(dump.text))
    reprint_list_json(dump, out, lines);
  else
    reprint_list_text(dump, out, lines);
}

Json json_of(const Atom& atom) {
  switch (atom.kind) {
    case AtomKind::integer: {
      Json number = Json::parse(atom.text, nullptr, false);
      return number.is_number() ? number : Json(atom.text);
    }
    case AtomKind::real: {
      Json number = Json::parse(atom.text, nullptr, false);
      return number.is_number() ? number : Json(atom.text);
    }
    case AtomKind::boolean: return atom.text == "true";
    case AtomKind::string:
    case AtomKind::uuid: return atom.text;
  }
  return nullptr;
}

Json json_of(const Datum& datum) {
  if (datum.shape == Datum::Shape::atom) return datum.keys.empty() ? Json() : json_of(datum.keys.front());
  Json all = datum.shape == Datum::Shape::map ? Json::object() : Json::array();
  for (std::size_t i = 0; i < datum.keys.size(); ++i) {
    if (datum.shape == Datum::Shape::map)
      all[datum.keys[i].text] = json_of(datum.values[i]);
    else
      all.push_back(json_of(datum.keys[i]));
  }
  return all;
}

void append(const Json& doc, std::string& out) {
  out += doc.dump(2, ' ', false, Json::error_handler_t::replace);
  out.push_back('\n');
}

void list_to_json(const Dump& dump, Database d, std::string& out, Report& report) {
  const std::vector<Record> records = read_records(dump, report);
  const TableGuess table = table_of(dump, d, records.empty() ? std::vector<std::string>{} : records.front().names());
  Json doc{{"database", short_name(d)}, {"table", table.table ? table.table->name : ""}, {"rows", Json::array()}};
  for (const Record& record : records) {
    Json row = Json::object();
    for (const Column& c : record.columns) row[c.name] = json_of(c.value);
    doc["rows"].push_back(std::move(row));
  }
  append(doc, out);
}

std::vector<std::string> all_names(const std::vector<Record>& records) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < records.size() && i < 16; ++i)
    for (const Column& c : records[i].columns)
      if (std::find(names.begin(), names.end(), c.name) == names.end()) names.push_back(c.name);
  return names;
}

void load_list(const Dump& dump, Database d, cluster::Node& node, Report& report) {
  TableRows rows;
  rows.database = d;
  rows.records = read_records(dump, report);
  const TableGuess guess = table_of(dump, d, all_names(rows.records));
  if (guess.table) {
    rows.table = std::string(guess.table->name);
  } else {
    rows.table = named_table(dump, d).whole ? argument_after(dump, "list") : std::string();
    report.diagnostics.push_back({Diagnostic::Severity::warning,
                                  {dump.source, dump.first_line},
                                  0,
                                  "rows of a table that is not known",
                                  "name the table: ovn-nbctl list TABLE"});
  }
  const NamedTable named = named_table(dump, d);
  rows.complete = named.whole && named.table == guess.table && !dump.partial && report.not_understood.empty();
  rows.source = dump.source;
  rows.first_line = dump.first_line;
  load_rows(rows, node, report);
}

// ---- show

unsigned count_lines_beginning(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  unsigned count = 0;
  std::string_view rest = text.substr(0, kSampleBytes);
  while (!rest.empty()) {
    const std::string_view line = trim_left(next_line(rest));
    for (const std::string_view b : beginnings) count += line.starts_with(b);
  }
  return count;
}

// A switch, router or NAT line with its UUID.
bool has_northbound_entity(std::string_view text) {
  std::string_view rest = text.substr(0, kSampleBytes);
  while (!rest.empty()) {
    std::string_view line = trim(next_line(rest));
    for (const std::string_view word : {"switch ", "router ", "nat "})
      if (line.starts_with(word) && is_uuid(line.substr(word.size(), 36))) return true;
  }
  return false;
}

bool begins_with_uuid_line(std::string_view text) {
  std::string_view rest = text.substr(0, 4096);
  while (!rest.empty()) {
    const std::string_view line = trim_right(next_line(rest));
    if (!trim(line).empty() && !line.starts_with("#")) return is_uuid(line);
  }
  return false;
}

int show_confidence(const Dump& dump, Database d) {
  switch (d) {
    case Database::ovs: {
      const bool version = count_lines_beginning(dump.text, {"ovs_version: "}) > 0;
      const bool bridges = count_lines_beginning(dump.text, {"Bridge "}) > 0;
      const bool ports = count_lines_beginning(dump.text, {"Port ", "Interface "}) > 1;
      if (begins_with_uuid_line(dump.text) && (version || bridges)) return 98;
      return bridges && ports ? 85 : 0;
    }
    case Database::sb:
      if (count_lines_beginning(dump.text, {"Chassis "}) == 0) return 0;
      return count_lines_beginning(dump.text, {"hostname: ", "Encap ", "Port_Binding "}) > 0 ? 96 : 0;
    case Database::nb: return has_northbound_entity(dump.text) ? 96 : 0;
  }
  return 0;
}

Recognition recognise_show(const Dump& dump, Database d) {
  const std::string topic = fmt::format("{} show", tool_of(d));
  if (is_blank_text(dump.text)) return {is_command(dump, d, "show") ? 60 : 0, topic, 1};
  const int confidence = show_confidence(dump, d);
  if (dump.partial) return {confidence, fmt::format("{} excerpt {}:{}", topic, dump.path, dump.first_line), 1};
  return {confidence, topic, 2};
}

ShowStyle style_of(Database d) { return d == Database::nb ? ShowStyle::northbound : ShowStyle::database; }

void reprint_show(const Dump& dump, Database d, std::string& out, Report& report) {
  LineReport lines(dump, report);
  LineReader reader(dump);
  std::string canonical;
  for (Line line; reader.next(line);) {
    canonical.clear();
    if (const auto item = parse_show_line(line, style_of(d))) {
      lines.understood();
      print_show_line(*item, style_of(d), canonical);
      emit(line, canonical, lines, out);
      continue;
    }
    const std::string_view trimmed = trim(line.text);
    if (trimmed.empty() || trimmed.front() == '#' || trimmed == "--")
      lines.ignored();
    else
      lines.not_understood(line, 1, "not a line of this overview");
    out += line.text;
    out += line.end;
  }
}

Json json_of(const ShowItem& item) {
  Json j = Json::object();
  j["is"] = item.kind == ShowItem::Kind::uuid ? "database" : item.word;
  if (!item.uuid.empty()) j["uuid"] = item.uuid;
  if (!item.value.empty()) j["name"] = item.name();
  if (item.alias) j["alias"] = *item.alias;
  return j;
}

constexpr unsigned kShowDepth = 16;

// Items below `parent`, from its next one on; `i` goes to the first that is not below.
Json json_below(const std::vector<ShowItem>& items, std::size_t& i, std::size_t parent, unsigned depth, Json j) {
  while (i < items.size() && (parent == ShowItem::kNoParent || items[i].indent > items[parent].indent)) {
    const std::size_t self = i++;
    if (items[self].kind == ShowItem::Kind::attribute) {
      j[items[self].word] = json_of(items[self].value);
      continue;
    }
    Json child = depth < kShowDepth ? json_below(items, i, self, depth + 1, json_of(items[self])) : json_of(items[self]);
    j["has"].push_back(std::move(child));
  }
  return j;
}

void show_to_json(const Dump& dump, Database d, std::string& out, Report& report) {
  const std::vector<ShowItem> items = read_show(dump, style_of(d), report);
  std::size_t i = 0;
  append(json_below(items, i, ShowItem::kNoParent, 0, Json{{"overview", tool_of(d)}}), out);
}

void load_show(const Dump& dump, Database d, cluster::Node& node, Report& report) {
  const std::vector<ShowItem> items = read_show(dump, style_of(d), report);
  switch (d) {
    case Database::ovs: return load_vswitch_show(items, dump.source, node);
    case Database::sb: return load_southbound_show(items, dump.source, node.ovn);
    case Database::nb:
      load_northbound_show(items, dump.source, node.ovn);
      if (!dump.partial && !items.empty()) node.ovn.has_ports = true;
  }
}

// ---- one row of the table of formats for each tool

constexpr std::string_view schema_name(Database d) {
  return d == Database::nb ? "OVN_Northbound" : d == Database::sb ? "OVN_Southbound" : "Open_vSwitch";
}

template <Database D>
constexpr Format list_format(std::string_view kind, std::string_view command) {
  return {kind,
          command,
          [](const Dump& dump) { return recognise_list(dump, D); },
          reprint_list,
          [](const Dump& dump, std::string& out, Report& report) { list_to_json(dump, D, out, report); },
          [](const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) { load_list(dump, D, node, report); },
          nullptr,
          schema_name(D)};
}

template <Database D>
constexpr Format show_format(std::string_view kind) {
  return {kind,
          kind,
          [](const Dump& dump) { return recognise_show(dump, D); },
          [](const Dump& dump, std::string& out, Report& report) { reprint_show(dump, D, out, report); },
          [](const Dump& dump, std::string& out, Report& report) { show_to_json(dump, D, out, report); },
          [](const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) { load_show(dump, D, node, report); },
          nullptr,
          schema_name(D)};
}

}  // namespace
}  // namespace ovsdb

std::span<const Format> ovsdb_formats() {
  using namespace ovsdb;
  static const Format kFormats[] = {
      database_format(),
      show_format<Database::ovs>("ovs-vsctl show"),
      show_format<Database::nb>("ovn-nbctl show"),
      show_format<Database::sb>("ovn-sbctl show"),
      list_format<Database::ovs>("ovs-vsctl list", "ovs-vsctl list TABLE"),
      list_format<Database::nb>("ovn-nbctl list", "ovn-nbctl list TABLE"),
      list_format<Database::sb>("ovn-sbctl list", "ovn-sbctl list TABLE"),
  };
  return kFormats;
}

}  // namespace egt::parsers
