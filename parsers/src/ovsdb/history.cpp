#include "ovsdb/history.h"

#include <algorithm>
#include <unordered_map>

#include "egtrace/base/text.h"
#include "ovsdb/database.h"

namespace egt::parsers::ovsdb {
namespace {

// Columns that name a row in one table or another.
constexpr std::string_view kNames[] = {"name", "logical_port", "chassis_name", "hostname"};

bool is_name(std::string_view column) { return std::find(std::begin(kNames), std::end(kNames), column) != std::end(kNames); }

std::string name_of(const Record& row) {
  for (const std::string_view column : kNames)
    if (std::string name = row.text(column); !name.empty()) return name;
  return {};
}

bool is_default(const StoredTable& table, const Column& column) {
  const auto index = table.schema.find(column.name);
  return index && column.value == default_value(table.schema.columns[*index].type);
}

// Of a row that came or went, what differs from its default.
std::vector<cluster::ColumnChange> describe_row(const StoredTable& table, const Record& row, bool came) {
  std::vector<cluster::ColumnChange> columns;
  for (const Column& column : row.columns) {
    if (column.name == "_uuid" || is_default(table, column)) continue;
    cluster::ColumnChange shown{column.name, {}, {}, {}, {}};
    (came ? shown.after : shown.before) = to_text(column.value);
    columns.push_back(std::move(shown));
  }
  return columns;
}

class HistoryWriter : public TransactionWatcher {
 public:
  HistoryWriter(const Dump& dump, cluster::History& history) : dump_(dump), history_(history) {}

  void begins(const DatabaseFile& file, const DatabaseTransaction& t) override {
    cluster::Transaction shown;
    shown.time = t.date;
    shown.database = file.name;
    shown.comment = t.comment;
    shown.id = t.entry_id;
    shown.from = {dump_.source, dump_.first_line + t.line};
    shown.is_snapshot = t.is_snapshot;
    history_.transactions.push_back(std::move(shown));
  }
  void inserted(const StoredTable& table, const StoredRow& row, std::string_view text) override {
    cluster::Transaction& now = history_.transactions.back();
    if (now.is_snapshot)
      ++now.rows;
    else
      add_row(table, row, text, cluster::RowChange::Kind::inserted);
  }
  void deleted(const StoredTable& table, const StoredRow& row, std::string_view text) override {
    add_row(table, row, text, cluster::RowChange::Kind::deleted);
  }
  void modified(const StoredTable& table, const StoredRow& row, std::string_view text,
                std::vector<cluster::ColumnChange> columns) override {
    const bool renamed = std::any_of(columns.begin(), columns.end(), [](const auto& c) { return is_name(c.column); });
    if (renamed) names_.erase(row.uuid);
    history_.transactions.back().changes.push_back({cluster::RowChange::Kind::modified, table.schema.name, std::string(row.uuid),
                                                    name_of(table, row), std::move(columns), text});
  }

 private:
  void add_row(const StoredTable& table, const StoredRow& row, std::string_view text, cluster::RowChange::Kind kind) {
    std::size_t damaged = 0;
    const Record record = table.record(row, damaged);
    history_.transactions.back().changes.push_back({kind, table.schema.name, std::string(row.uuid), ovsdb::name_of(record),
                                                    describe_row(table, record, kind == cluster::RowChange::Kind::inserted),
                                                    text});
  }
  // A large set is not gone through again for each change of it.
  const std::string& name_of(const StoredTable& table, const StoredRow& row) {
    const auto [it, fresh] = names_.try_emplace(row.uuid);
    std::size_t damaged = 0;
    if (fresh) it->second = ovsdb::name_of(table.record(row, damaged));
    return it->second;
  }

  const Dump& dump_;
  cluster::History& history_;
  std::unordered_map<std::string_view, std::string> names_;  // of rows that were changed, by UUID
};

// The value of "_date" of a transaction; in a cluster's entry it is the second of "data".
std::int64_t date_in(std::string_view json, bool clustered) {
  std::int64_t date = 0;
  JsonCursor c(json);
  for_each_member(c, [&](std::string_view name, JsonCursor& v) {
    if (clustered && (name == "data" || name == "prev_data") && v.peek() == '[')
      return for_each_element(v, [&](JsonCursor& part) {
        const std::string_view value = part.value();
        date = std::max(date, date_in(value, false));
        return !value.empty();
      });
    const std::string_view value = v.value();
    if (!clustered && name == "_date") date = transaction_date(value);
    return !value.empty();
  });
  return date;
}

}  // namespace

void add_history(const Dump& dump, cluster::History& history) {
  HistoryWriter writer(dump, history);
  read_database(dump.text, {std::nullopt, &writer});
}

std::int64_t newest_transaction(const Dump& dump) {
  const LogFile log = read_log_file(dump.text);
  for (auto it = log.records.rbegin(); it != log.records.rend(); ++it)
    if (const std::int64_t date = date_in(it->body, log.clustered)) return date;
  return 0;
}

}  // namespace egt::parsers::ovsdb
