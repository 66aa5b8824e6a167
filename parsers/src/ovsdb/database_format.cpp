#include "ovsdb/database_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <span>

#include "egtrace/base/parallel.h"
#include "egtrace/base/text.h"
#include "ovsdb/database.h"
#include "ovsdb/history.h"
#include "ovsdb/load.h"
#include "support/read_ahead.h"

namespace egt::parsers::ovsdb {
namespace {

using Json = nlohmann::ordered_json;

// The schema's name: a member of the first record of either kind of file.
std::string name_in(std::string_view text) {
  std::string name;
  const std::size_t body = text.find('\n');
  if (body == std::string_view::npos) return name;
  JsonCursor c(text.substr(body + 1));
  for_each_member(c, [&](std::string_view member, JsonCursor& v) {
    if (member == "name") {
      name = unescaped(v.raw_string().value_or(""));
      return false;  // nothing else is wanted
    }
    return !v.value().empty();
  });
  return name;
}

Recognition recognise(const Dump& dump) {
  if (!looks_like_log(dump.text)) return {};
  const std::string name = name_in(dump.text);
  return {100, name.empty() ? "database " + dump.path : "database " + name, 40};
}

std::string header_of(const LogRecord& record, bool clustered) {
  return fmt::format("OVSDB {} {} {}", clustered ? "CLUSTER" : "JSON", record.body.size(), sha1(record.body));
}

// Headers are made anew; bodies are what their hash shows that they are.
void reprint(const Dump& dump, std::string& out, Report& report) {
  const LogFile log = read_log_file(dump.text);
  std::size_t end = 0;
  for (const LogRecord& record : log.records) {
    out += header_of(record, log.clustered);
    out.push_back('\n');
    out += record.body;
    end = record.offset + record.header.size() + 1 + record.body.size();
  }
  out += dump.text.substr(end);
  report.lines = count_lines(dump.text);
  report.understood = report.lines - count_lines(dump.text.substr(end));
  if (log.problem.empty()) return;
  const Provenance at{dump.source, dump.first_line + log.problem_line - 1};
  report.not_understood.push_back(at);
  report.diagnostics.push_back({Diagnostic::Severity::warning, at, 0, log.problem, ""});
}

Json json_of(const Atom& atom) {
  switch (atom.kind) {
    case AtomKind::boolean: return atom.text == "true";
    case AtomKind::integer:
    case AtomKind::real: {
      Json number = Json::parse(atom.text, nullptr, false);
      return number.is_number() ? number : Json(atom.text);
    }
    case AtomKind::string:
    case AtomKind::uuid: break;
  }
  return atom.text;
}

Json json_of(const Datum& datum) {
  if (datum.shape == Datum::Shape::atom) return datum.keys.empty() ? Json() : json_of(datum.keys.front());
  const bool is_map = datum.shape == Datum::Shape::map;
  Json all = is_map ? Json::object() : Json::array();
  for (std::size_t i = 0; i < datum.keys.size(); ++i) {
    if (is_map)
      all[datum.keys[i].text] = json_of(datum.values[i]);
    else
      all.push_back(json_of(datum.keys[i]));
  }
  return all;
}

Json json_of(const StoredTable& table) {
  Json rows = Json::array();
  std::size_t damaged = 0;
  for (const StoredRow& stored : table.rows) {
    Json row = Json::object();
    for (const Column& c : table.record(stored, damaged).columns) row[c.name] = json_of(c.value);
    rows.push_back(std::move(row));
  }
  return rows;
}

void report_problems(const DatabaseFile& file, const Dump& dump, Report& report) {
  report.lines = count_lines(dump.text);
  report.understood = std::min<std::uint32_t>(report.lines, static_cast<std::uint32_t>(file.log.records.size()) * 2);
  for (const DatabaseProblem& p : file.problems) {
    const Provenance at{dump.source, dump.first_line + p.line - 1};
    const auto severity = p.note ? Diagnostic::Severity::note : Diagnostic::Severity::warning;
    report.diagnostics.push_back({severity, at, 0, p.message, p.note ? "" : "copy the database again"});
    if (!p.note) report.not_understood.push_back(at);
  }
}

void to_json(const Dump& dump, std::string& out, Report& report) {
  const DatabaseFile file = read_database(dump.text);
  report_problems(file, dump, report);
  Json doc{{"database", file.name}, {"version", file.version}, {"clustered", file.clustered}};
  if (file.clustered) doc.update({{"server_id", file.server_id}, {"cluster_id", file.cluster_id}});
  doc["transactions"] = Json::array();
  for (const DatabaseTransaction& t : file.transactions)
    doc["transactions"].push_back({{"line", t.line}, {"date", t.date}, {"comment", t.comment}});
  doc["tables"] = Json::object();
  for (const StoredTable& table : file.tables)
    if (!table.rows.empty()) doc["tables"][table.schema.name] = json_of(table);
  out += doc.dump(2, ' ', false, Json::error_handler_t::replace);
  out.push_back('\n');
}

// ---- into the model

std::optional<Database> database_named(std::string_view name) {
  if (name == "OVN_Northbound") return Database::nb;
  if (name == "OVN_Southbound") return Database::sb;
  if (name == "Open_vSwitch") return Database::ovs;
  return std::nullopt;
}

// What is quoted of a row: its text where it stands; of a row that was changed since, what it came to.
std::string_view text_of(const StoredTable& table, const StoredRow& row, std::vector<std::string>& made) {
  if (row.changed.empty())
    return {row.uuid.data() - 1, static_cast<std::size_t>(row.json.data() + row.json.size() - row.uuid.data()) + 1};
  std::size_t damaged = 0;
  std::string text = fmt::format("\"{}\":{{", row.uuid);
  for (const Column& c : table.record(row, damaged).columns) {
    if (c.name == "_uuid" || c.value.empty()) continue;
    if (text.back() != '{') text.push_back(',');
    text += fmt::format("\"{}\":", c.name);
    print_json_value(c.value, text);
  }
  made.push_back(text + "}");
  return made.back();
}

// What quotes of a table's rows point to besides the file.
struct QuotedTable {
  std::string name;
  std::vector<std::string> changed;
};

// Makes each row of a table a source of its own, so that it can be quoted: a file has all its rows in one line.
std::vector<Provenance> quote_rows(const StoredTable& table, const Dump& dump, SourceTable& sources) {
  std::vector<QuotedRow> rows;
  rows.reserve(table.rows.size());
  const auto quoted = std::make_shared<QuotedTable>();
  quoted->name = table.schema.name;
  quoted->changed.reserve(static_cast<std::size_t>(
      std::count_if(table.rows.begin(), table.rows.end(), [](const StoredRow& r) { return !r.changed.empty(); })));
  for (const StoredRow& row : table.rows) rows.push_back({text_of(table, row, quoted->changed), dump.first_line + row.line});
  std::vector<Provenance> from;
  from.reserve(rows.size());
  for (const QuotedRow& row : rows) from.push_back({kNoSource, row.line});
  if (rows.empty()) return from;
  SourceId id = sources.add_rows(dump.path, quoted->name, from.size(), std::move(rows), quoted);
  for (Provenance& one : from) one.source = id++;
  return from;
}

TableRows no_rows_yet(const StoredTable& table, Database database, const Dump& dump, bool complete) {
  TableRows rows;
  rows.database = database;
  rows.table = table.schema.name;
  rows.source = dump.source;
  rows.first_line = dump.first_line;
  rows.complete = complete;
  rows.jobs = dump.jobs;
  return rows;
}

// Calls read(index, damaged) for each row, on several threads; it counts up by the values that cannot be read.
template <class Read>
void read_rows(std::size_t count, TableRows& rows, Report& report, Read read) {
  std::atomic<std::size_t> damaged{0};
  for_each_index(count, rows.jobs, kRowsWorthAThread, [&](std::size_t i) {
    std::size_t here = 0;
    read(i, here);
    if (here > 0) damaged += here;
  });
  if (damaged == 0) return;
  rows.complete = false;
  report.diagnostics.push_back({Diagnostic::Severity::warning,
                                {rows.source, rows.first_line},
                                0,
                                fmt::format("{} values of table {} cannot be read", damaged.load(), rows.table),
                                ""});
}

Record record_of(const StoredTable& table, std::size_t row, std::span<const std::string_view> columns, Provenance from,
                 std::size_t& damaged) {
  Record record = table.record(table.rows[row], damaged, columns);
  record.source = from.source;
  record.line = from.line;
  return record;
}

// Into rows with types alone.
void load_typed(const StoredTable& table, std::span<const std::string_view> columns, const std::vector<Provenance>& from,
                TableRows rows, ovn::Ovn& ovn, Report& report) {
  rows.records.resize(table.rows.size());
  read_rows(table.rows.size(), rows, report,
            [&](std::size_t i, std::size_t& damaged) { rows.records[i] = record_of(table, i, columns, from[i], damaged); });
  load_southbound_rows(rows, ovn);
}

void load_all(const StoredTable& table, const std::vector<Provenance>& from, TableRows rows, cluster::Node& node,
              Report& report) {
  const std::vector<std::string_view> typed =
      rows.database == Database::sb ? typed_columns(rows.table) : std::vector<std::string_view>{};
  if (!typed.empty()) rows.records.resize(table.rows.size());
  std::vector<ovn::Row> made(table.rows.size());
  read_rows(table.rows.size(), rows, report, [&](std::size_t i, std::size_t& damaged) {
    made[i].uuid = table.rows[i].uuid;
    made[i].from = from[i].source != kNoSource ? from[i] : Provenance{rows.source, from[i].line};
    made[i].columns = table.columns(table.rows[i], damaged);
    std::size_t again = 0;
    if (!typed.empty()) rows.records[i] = record_of(table, i, typed, from[i], again);
  });
  add_rows(rows, std::move(made), node, report);
}

}  // namespace

namespace {

cluster::DatabaseMoment moment_of(const DatabaseFile& file, const Dump& dump) {
  const bool any = !file.transactions.empty();
  const std::uint32_t line = file.later > 0 ? file.first_later_line : any ? file.transactions.back().line : 1;
  return {"",
          dump.path,
          file.name,
          {dump.source, dump.first_line + line},
          file.first_date,
          file.last_date,
          any ? file.transactions.back().date : 0,
          file.later,
          file.begins_later};
}

// Whether a walk of its logical flows needs nothing that other dumps show.
bool holds_logical_network(const DatabaseFile& file) {
  constexpr std::string_view kNeeded[] = {"Datapath_Binding", "Port_Binding", "Logical_Flow"};
  return std::all_of(std::begin(kNeeded), std::end(kNeeded), [&](std::string_view name) {
    const StoredTable* table = file.table(name);
    return table != nullptr && !table->rows.empty();
  });
}

bool names_node(std::string_view southbound_table) { return southbound_table == "Chassis" || southbound_table == "Encap"; }

}  // namespace

std::shared_ptr<void> read_database_ahead(const Dump& dump) {
  return std::make_shared<DatabaseFile>(read_database(dump.text, {dump.as_of, nullptr}));
}

void load_database(const Dump& dump, cluster::Cluster& cluster, cluster::Node& node, Report& report) {
  const auto found = found_ahead<DatabaseFile>(dump, read_database_ahead);
  const DatabaseFile& file = *found;
  report_problems(file, dump, report);
  if (dump.as_of) report.moment = moment_of(file, dump);
  const auto database = database_named(file.name);
  if (!database) {
    report.diagnostics.push_back({Diagnostic::Severity::note,
                                  {dump.source, dump.first_line},
                                  0,
                                  fmt::format("nothing is read of the database {}", file.name),
                                  ""});
    return;
  }
  const bool whole = !file.partial && !dump.partial;
  const bool typed_only = dump.logical_only && *database == Database::sb && holds_logical_network(file);
  std::vector<Provenance> flows;
  for (const StoredTable& table : file.tables) {
    const auto columns = typed_only ? typed_columns(table.schema.name) : std::vector<std::string_view>{};
    if (typed_only && columns.empty() && !names_node(table.schema.name)) continue;
    std::vector<Provenance> from = quote_rows(table, dump, *cluster.sources);
    if (table.schema.name == "Logical_Flow")
      flows = std::move(from);
    else if (!columns.empty())
      load_typed(table, columns, from, no_rows_yet(table, *database, dump, whole), node.ovn, report);
    else
      load_all(table, from, no_rows_yet(table, *database, dump, whole), node, report);
  }
  if (*database == Database::ovs) return link_vswitch_rows(node);
  link_ovn_rows(node.ovn);
  if (*database == Database::sb) load_stored_flows(file, dump, flows, typed_only, node.ovn, report);
}

const Format& database_format() {
  static constexpr Format kFormat = {"ovsdb database",
                                     "ovsdb-client backup",
                                     recognise,
                                     reprint,
                                     to_json,
                                     [](const Dump& dump, cluster::Cluster& cluster, cluster::Node& node, Report& report) {
                                       load_database(dump, cluster, node, report);
                                     },
                                     nullptr,
                                     {},
                                     add_history,
                                     newest_transaction,
                                     read_database_ahead};
  return kFormat;
}

}  // namespace egt::parsers::ovsdb
