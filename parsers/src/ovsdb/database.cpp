#include "ovsdb/database.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"
#include "ovsdb/cluster_log.h"
#include "ovsdb/table_rows.h"

namespace egt::parsers::ovsdb {
namespace {

constexpr std::size_t kProblems = 200;

// What writes a record of all rows notes it in its comment (ovsdb_file_compact(), do_compact_standalone(), do_convert(),
// do_backup()). Only asked of the first record behind the schema: of a cluster's log the schema beside it shows.
bool shows_all_rows(std::string_view comment) {
  constexpr std::string_view kWriters[] = {"compacting database", "compacted by ", "converted by ",
                                           "produced by \"ovsdb-client backup\""};
  return std::any_of(std::begin(kWriters), std::end(kWriters), [&](std::string_view w) { return comment.starts_with(w); });
}

class DatabaseReader {
 public:
  DatabaseReader(std::string_view text, const ReadDatabase& how) : how_(how) { file_.log = read_log_file(text); }

  DatabaseFile read() {
    file_.clustered = file_.log.clustered;
    if (file_.log.records.empty())
      problem(1, "holds no record that can be read");
    else if (file_.clustered)
      read_clustered();
    else
      read_standalone();
    report_end();
    drop_deleted();
    return std::move(file_);
  }

 private:
  void problem(std::uint32_t line, std::string message, bool note = false) {
    if (file_.problems.size() < kProblems) file_.problems.push_back({line, note, std::move(message)});
    file_.partial |= !note;
  }

  // ---- records

  void read_standalone() {
    const auto& records = file_.log.records;
    set_schema(records.front().body, records.front().line);
    for (std::size_t i = 1; i < records.size(); ++i) apply({{}, records[i].body, records[i].line, 0, {}}, true);
    if (file_.log.cut && records.size() == 1) recover({{}, file_.log.cut_record.body, file_.log.cut_record.line, 0, {}});
  }

  // Those behind the last commit index known to this server were not shown to its clients.
  void read_clustered() {
    const ClusterLog log = read_cluster_log(file_.log.records);
    file_.server_id = log.server_id;
    file_.cluster_id = log.cluster_id;
    for (const auto& [line, message] : log.damaged) problem(line, message);
    for (const LogEntry& entry : log.committed) apply(entry, true);
    const auto& records = file_.log.records;
    if (log.uncommitted > 0)
      problem(records.back().line,
              fmt::format("{} transactions at the end were not committed yet, as far as this server "
                          "knew: they are left out",
                          log.uncommitted),
              true);
    if (file_.name.empty()) problem(records.front().line, "no schema: the server had not joined its cluster yet");
  }

  // ---- what they do

  // A new schema empties the database; the transaction beside it holds all rows.
  void set_schema(std::string_view json, std::uint32_t line) {
    auto schema = parse_schema(json);
    if (!schema) return problem(line, "no database schema where one should stand");
    file_.name = std::move(schema->name);
    file_.version = std::move(schema->version);
    builders_.clear();
    file_.tables.clear();
    file_.tables.reserve(schema->tables.size());
    for (TableSchema& table : schema->tables) {
      file_.tables.push_back({std::move(table), {}});
      builders_.emplace(file_.tables.back().schema.name, TableRowsBuilder(file_.tables.back()));
    }
  }

  // Takes a member that is no table.
  static bool read_heading(std::string_view name, std::string_view value, DatabaseTransaction& heading) {
    if (name == "_date")
      heading.date = transaction_date(value);
    else if (name == "_comment")
      heading.comment = unescaped(without_quotes(value));
    else
      return name == "_is_diff";
    return true;
  }

  // What a transaction has besides rows. Members come in any order, so this goes through the whole of it.
  static void read_headings(std::string_view transaction, DatabaseTransaction& heading) {
    JsonCursor c(transaction);
    for_each_member(c, [&](std::string_view name, JsonCursor& v) {
      const std::string_view value = v.value();
      read_heading(name, value, heading);
      return !value.empty();
    });
  }

  bool is_snapshot(const LogEntry& entry, const DatabaseTransaction& heading) const {
    const bool first = !file_.clustered && file_.transactions.empty() && file_.later == 0;
    return !entry.schema.empty() || (first && shows_all_rows(heading.comment));
  }

  // Whether a transaction is later than the moment as of which the database is read, or behind such a one.
  bool is_later(const DatabaseTransaction& heading) {
    if (heading.date != 0) {
      if (file_.first_date == 0) file_.first_date = heading.date;
      file_.last_date = std::max(file_.last_date, heading.date);
    }
    if (!how_.as_of) return false;
    if (file_.later == 0 && heading.date <= *how_.as_of) return false;
    if (heading.is_snapshot && file_.transactions.empty()) {
      file_.begins_later = true;
      return false;
    }
    if (file_.later++ == 0) file_.first_later_line = heading.line;
    return true;
  }

  bool apply(const LogEntry& entry, bool complain) {
    DatabaseTransaction heading{entry.line, 0, {}, std::string(entry.id), false};
    if ((how_.as_of || how_.watcher) && !entry.transaction.empty()) {
      read_headings(entry.transaction, heading);
      heading.is_snapshot = is_snapshot(entry, heading);
      if (is_later(heading)) return true;
    }
    if (!entry.schema.empty()) set_schema(entry.schema, entry.line);
    return entry.transaction.empty() || apply_transaction(entry, std::move(heading), complain);
  }

  bool apply_transaction(const LogEntry& entry, DatabaseTransaction heading, bool complain) {
    transaction_ = entry.transaction;
    difference_.reset();
    if (how_.watcher) how_.watcher->begins(file_, heading);
    JsonCursor c(entry.transaction);
    const bool whole = for_each_member(c, [&](std::string_view name, JsonCursor& v) {
      if (name.starts_with('_')) {
        const std::string_view value = v.value();
        if (!read_heading(name, value, heading))
          problem(entry.line, fmt::format("a member {} that no release is known to write", name));
        return !value.empty();
      }
      const auto builder = builders_.find(name);
      if (builder != builders_.end()) return apply_to_table(v, builder->second, entry.line);
      problem(entry.line, fmt::format("rows of a table {} that the schema does not have", name));
      return !v.value().empty();
    });
    if (!whole && complain) problem(entry.line, "a transaction is no valid JSON: what stands before the damage counts");
    heading.is_snapshot = is_snapshot(entry, heading);
    file_.transactions.push_back(std::move(heading));
    return whole;
  }

  // The rows of a snapshot that stand before the cut are better than none.
  void recover(const LogEntry& entry) {
    if (apply(entry, false)) return;
    std::size_t rows = 0;
    for (const StoredTable& table : file_.tables) rows += table.rows.size();
    problem(entry.line, fmt::format("the snapshot itself is cut: {} rows that stand before the cut are taken", rows));
  }

  // Whether the changes of rows are shown as differences. Only asked for when a row is changed: a snapshot inserts.
  bool is_difference() {
    if (difference_) return *difference_;
    difference_ = false;
    JsonCursor c(transaction_);
    for_each_member(c, [&](std::string_view name, JsonCursor& v) {
      const std::string_view value = v.value();
      if (name == "_is_diff") difference_ = value == "true";
      return !value.empty();
    });
    return *difference_;
  }

  bool apply_to_table(JsonCursor& c, TableRowsBuilder& builder, std::uint32_t line) {
    const bool fresh = builder.empty();
    return for_each_member(c, [&](std::string_view uuid, JsonCursor& v) {
      const std::string_view json = v.value();
      if (json.empty()) return false;
      const std::string_view text(uuid.data() - 1, static_cast<std::size_t>(json.data() + json.size() - uuid.data()) + 1);
      StoredRow* row = fresh ? nullptr : builder.find(uuid);
      if (json == "null") {
        if (row && how_.watcher) how_.watcher->deleted(builder.table(), *row, text);
        if (row)
          builder.remove(*row);
        else
          problem(line, fmt::format("row {} is deleted, but there is none", uuid));
      } else if (json.front() != '{') {
        problem(line, fmt::format("row {} is no object", uuid));
      } else if (row) {
        modify(builder.table(), *row, json, text, line);
      } else {
        builder.insert_new(uuid, json, line);
        if (how_.watcher) how_.watcher->inserted(builder.table(), builder.table().rows.back(), text);
      }
      return true;
    });
  }

  void modify(const StoredTable& table, StoredRow& row, std::string_view json, std::string_view text, std::uint32_t line) {
    row.line = line;
    std::vector<cluster::ColumnChange> shown;
    JsonCursor c(json);
    const bool whole = for_each_member(c, [&](std::string_view name, JsonCursor& v) {
      const auto column = table.schema.find(name);
      if (!column) {
        problem(line, fmt::format("no column {} in table {}", name, table.schema.name));
        return !v.value().empty();
      }
      auto value = parse_json_value(v, table.schema.columns[*column].type);
      if (!value) return false;
      change(table, row, *column, std::move(*value), shown);
      return true;
    });
    if (!whole) problem(line, fmt::format("a change of row {} is damaged", row.uuid));
    if (how_.watcher) how_.watcher->modified(table, row, text, std::move(shown));
  }

  void change(const StoredTable& table, StoredRow& row, std::size_t column, Datum value,
              std::vector<cluster::ColumnChange>& shown) {
    const ColumnSchema& schema = table.schema.columns[column];
    const bool watched = how_.watcher != nullptr;
    if (is_difference()) {
      ChangedColumn& now = current(table, row, column);
      if (watched) shown.push_back(describe_difference(schema.name, schema.type, now, value));
      apply_difference(std::move(value), schema.type, now);
      return;
    }
    ChangedColumn next = changed_of(std::move(value), schema.type);
    if (watched) shown.push_back(describe_replacement(schema.name, schema.type, current(table, row, column), next));
    row.changed.insert_or_assign(column, std::move(next));
  }

  static ChangedColumn& current(const StoredTable& table, StoredRow& row, std::size_t column) {
    const auto it = row.changed.find(column);
    if (it != row.changed.end()) return it->second;
    const ColumnSchema& schema = table.schema.columns[column];
    JsonCursor c(StoredTable::stored_value(row, schema.name));
    auto value = c.done() ? default_value(schema.type) : parse_json_value(c, schema.type);
    return row.changed.emplace(column, changed_of(value ? std::move(*value) : Datum{}, schema.type)).first->second;
  }

  void report_end() {
    if (file_.log.problem.empty()) return;
    const bool nothing_lost = file_.log.cut && !(file_.log.records.size() == 1 && !file_.clustered);
    problem(file_.log.problem_line, fmt::format("{} (at byte {}){}", file_.log.problem, file_.log.problem_offset,
                                                nothing_lost ? "; the database is as it was before this record" : ""));
  }

  void drop_deleted() {
    for (StoredTable& table : file_.tables) std::erase_if(table.rows, [](const StoredRow& row) { return row.json.empty(); });
  }

  const ReadDatabase how_;
  DatabaseFile file_;
  std::string_view transaction_;    // that is being applied
  std::optional<bool> difference_;  // what is_difference() found for it
  std::map<std::string, TableRowsBuilder, std::less<>> builders_;
};

}  // namespace

DatabaseFile read_database(std::string_view text, const ReadDatabase& how) { return DatabaseReader(text, how).read(); }

}  // namespace egt::parsers::ovsdb
