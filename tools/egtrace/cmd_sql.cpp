// egtrace sql SNAPSHOT STATEMENT: a snapshot asked in SQL; egtrace export: the same tables as a database file.
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "command.h"
#include "egtrace/parsers/output_file.h"
#include "egtrace/render/value_table.h"
#include "egtrace/sql/database.h"
#include "snapshot_options.h"
#include "text_options.h"

namespace egt::cli {
namespace {

constexpr const char* kSqlFooter =
    "The language is SQLite's. Beside its functions there are in_subnet(ADDRESS, NETWORK), match(FLOW, MATCH), which is 1 where "
    "`ovs-ofctl dump-flows BRIDGE MATCH` lists the flow, and may_match(FLOW, MATCH), which is 1 where some packet matches both. "
    "A "
    "statement that is `-` is read from standard input. docs/sql.md has ten queries.\n"
    "\n"
    "Examples:\n"
    "  egtrace sql --schema\n"
    "  egtrace sql ./dumps \"SELECT node, name, ip FROM pods WHERE in_subnet(ip, '10.133.0.0/24')\"\n"
    "  egtrace sql ./dumps 'SELECT * FROM flows ORDER BY n_packets DESC LIMIT 10' --format json\n"
    "\n"
    "Exit status: 0 done, 2 the call, the statement or an input is unusable, 3 no row, and the snapshot lacks dumps of a "
    "table.\n";

constexpr const char* kExportFooter =
    "`egtrace sql --schema` lists the tables. Functions of `egtrace sql` are not there in other programs.\n"
    "\n"
    "Examples:\n"
    "  egtrace export ./dumps -o case.sqlite\n"
    "  egtrace export ./dumps -o flows.sqlite --table flows --table logical_flows\n"
    "\n"
    "Exit status: 0 done, 2 the call or an input is unusable.\n";

struct SqlOptions {
  CommonOptions common;
  SnapshotOptions snapshot;
  std::string statement;
  std::vector<std::string> tables;
  unsigned seconds = 60;
  bool schema = false;
};

std::string read_standard_input() {
  constexpr std::size_t kMost = 1 << 20;
  std::string text;
  char piece[4096];
  for (std::size_t got = 0; text.size() <= kMost && (got = std::fread(piece, 1, sizeof piece, stdin)) > 0;)
    text.append(piece, got);
  if (text.size() > kMost) throw CommandError("standard input: a statement is at most 1 MB long");
  return text;
}

// What dumps show, and, once findings or the audit are asked for, the snapshot once more as walks need it.
class Opened {
 public:
  explicit Opened(const SqlOptions& o) : o_(o), dumped_(open_collection(o.snapshot, o.common)) {}
  sql::Sources sources() {
    return {&dumped_,
            [this]() -> const parsers::Snapshot& {
              SnapshotOptions options = o_.snapshot;
              options.as_intended = true;
              CommonOptions quiet = o_.common;
              quiet.quiet = true;
              return open_for_walks(options, quiet);
            },
            o_.common.jobs};
  }
  const parsers::Snapshot& dumped() const { return dumped_; }

 private:
  const SqlOptions& o_;
  const parsers::Snapshot& dumped_;
};

ValueTable schema_table() {
  ValueTable table{{"table", "column", "type", "meaning"}, {}};
  for (const sql::TableInfo& t : sql::schema()) {
    table.rows.push_back({t.name, Value(), Value(), t.meaning});
    for (const sql::ColumnInfo& c : t.columns) table.rows.push_back({t.name, c.name, c.type, c.meaning});
  }
  return table;
}

void write_table(const ValueTable& table, const std::vector<Gap>& gaps, const CommonOptions& common) {
  if (common.format == "json")
    write_output(common, render::value_table_json(table, gaps));
  else if (common.format == "csv")
    write_output(common, render::value_table_csv(table));
  else
    write_output(common, render::value_table_text(table, text_options(common)));
}

// JSON has them itself.
void warn_of_gaps(const std::vector<Gap>& gaps, const CommonOptions& common) {
  if (common.quiet || common.format == "json") return;
  constexpr std::size_t kMost = 3;
  for (std::size_t i = 0; i < std::min(gaps.size(), kMost); ++i)
    print_error(fmt::format("egtrace: rows may be missing: {}the snapshot lacks {}; `{}` has them\n",
                            gaps[i].node.empty() ? "" : gaps[i].node + ": ", gaps[i].what, gaps[i].command));
  if (gaps.size() > kMost)
    print_error(fmt::format("egtrace: rows may be missing: {} more; --format json lists them\n", gaps.size() - kMost));
}

ExitStatus run_sql(SqlOptions& o) {
  if (o.schema) {
    write_table(schema_table(), {}, o.common);
    return ExitStatus::done;
  }
  if (o.statement.empty())
    throw CommandError("a statement is required: egtrace sql SNAPSHOT 'SELECT ...'; --schema lists the tables");
  if (o.statement == "-") o.statement = read_standard_input();
  Opened opened(o);
  warn_of_moment(opened.dumped(), o.common);
  sql::Database database(opened.sources());
  const auto result = database.query(o.statement, std::chrono::seconds(o.seconds));
  if (!result) throw CommandError(result.error().message);
  write_table(result->table, result->gaps, o.common);
  warn_of_gaps(result->gaps, o.common);
  return result->table.rows.empty() && !result->gaps.empty() ? ExitStatus::inconclusive : ExitStatus::done;
}

ExitStatus run_export(const SqlOptions& o) {
  if (o.common.output.empty()) throw CommandError("name the file to write: -o case.sqlite");
  Opened opened(o);
  warn_of_moment(opened.dumped(), o.common);
  sql::Database database(opened.sources());
  if (const auto unknown = database.unknown_table(o.tables)) throw CommandError(unknown->message);
  // It holds what the snapshot holds, as a compiled one does.
  auto file = parsers::OutputFile::create(o.common.output, parsers::Readers::owner_alone);
  if (!file) throw CommandError(file.error().message);
  if (file->unfinished().empty())
    database.write_bytes(o.tables, [&](std::string_view bytes) { file->write(bytes); });
  else if (const std::error_code failed = database.write_file(o.tables, file->unfinished()))
    file->fail(failed.value());
  finish_output(*file);
  return ExitStatus::done;
}

}  // namespace

void add_sql(CLI::App& app, ExitStatus& status) {
  auto o = std::make_shared<SqlOptions>();
  CLI::App* verb = app.add_subcommand("sql", "ask a snapshot in SQL: flows, rules, routes, rows, pods, findings, audit");
  add_snapshot_options(*verb, o->snapshot);
  add_at_option(*verb, o->snapshot);
  verb->add_option("statement", o->statement, "a SELECT of SQLite; `-`: standard input");
  verb->add_flag("--schema", o->schema, "list the tables and their columns");
  verb->add_option("--timeout", o->seconds, "seconds that the statement may take")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str()
      ->type_name("N");
  add_common_options(*verb, o->common, {"text", "json", "csv"});
  verb->footer(kSqlFooter);
  verb->callback([o, &status] {
    if (!o->schema) take_argument_for(o->statement, o->snapshot);
    status = run_sql(*o);
  });
}

void add_export(CLI::App& app, ExitStatus& status) {
  auto o = std::make_shared<SqlOptions>();
  CLI::App* verb = app.add_subcommand("export", "write the tables of `sql` into a database file of SQLite");
  add_snapshot_options(*verb, o->snapshot);
  add_at_option(*verb, o->snapshot);
  verb->add_option("--table", o->tables, "this table alone; repeatable")->allow_extra_args(false)->type_name("NAME");
  add_common_options(*verb, o->common, {"sqlite"});
  verb->footer(kExportFooter);
  verb->callback([o, &status] { status = run_export(*o); });
}

}  // namespace egt::cli
