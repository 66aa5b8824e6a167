// A snapshot as tables of SQL: SQLite's language over the model that is in memory (sqlite.org/vtab.html), without a copy of it.
//
// Reading alone: a statement may select, and nothing else. Tables of findings and of the audit are made when a statement asks
// for them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "egtrace/base/result.h"
#include "egtrace/base/value_table.h"
#include "egtrace/evidence/evidence.h"
#include "egtrace/parsers/snapshot.h"

namespace egt::sql {

struct ColumnInfo {
  std::string name, type, meaning;  // type: TEXT, INTEGER, REAL
};
struct TableInfo {
  std::string name, meaning;
  std::vector<ColumnInfo> columns;
};
std::vector<TableInfo> schema();

// What the tables are made of; it must outlive the database.
struct Sources {
  const parsers::Snapshot* dumped = nullptr;            // as dumps show it: nothing is presumed
  std::function<const parsers::Snapshot&()> for_walks;  // for findings and the audit; called once, when it is needed
  unsigned jobs = 1;                                    // threads of the audit
};

struct QueryResult {
  ValueTable table;
  std::vector<Gap> gaps;  // of the tables that the statement read: what the snapshot lacks, so that rows may be missing
};

class Database {
 public:
  explicit Database(Sources sources);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // One statement. The error is in SQLite's words, or that it took longer than `limit`.
  Result<QueryResult> query(const std::string& statement, std::chrono::milliseconds limit);

  // Which of these tables does not exist.
  std::optional<Error> unknown_table(const std::vector<std::string>& tables) const;
  // These tables as a database file; none named: all. `path`: a file that is empty. The error is why it cannot be written.
  std::error_code write_file(const std::vector<std::string>& tables, const std::string& path);
  // The same for what is no file: all of it at once.
  void write_bytes(const std::vector<std::string>& tables, const std::function<void(std::string_view)>& take);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace egt::sql
