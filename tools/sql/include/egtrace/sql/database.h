// A snapshot as tables of SQL: SQLite's language over the model that is in memory (sqlite.org/vtab.html), without a copy of it.
//
// Reading alone: a statement may select, and nothing else. Tables of findings and of the audit are made when a statement asks
// for them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "egtrace/base/result.h"
#include "egtrace/base/value_table.h"
#include "egtrace/evidence/evidence.h"
#include "egtrace/parsers/snapshot.h"

namespace egt::sql {

struct ColumnInfo {
  std::string name, type, meaning;   // type: TEXT, INTEGER, REAL
};
struct TableInfo {
  std::string name, meaning;
  std::vector<ColumnInfo> columns;
};
std::vector<TableInfo> schema();

// What the tables are made of; it must outlive the database.
struct Sources {
  const parsers::Snapshot* dumped = nullptr;                  // as dumps tell it: nothing is presumed
  std::function<const parsers::Snapshot&()> for_walks;        // for findings and the audit; called once, when it is needed
  unsigned jobs = 1;                                          // threads of the audit
};

struct QueryResult {
  ValueTable table;
  std::vector<Gap> gaps;   // of the tables that the statement read: what the snapshot lacks, so that rows may be missing
};

class Database {
 public:
  explicit Database(Sources sources);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // One statement. The error is in SQLite's words, or says that it took longer than `limit`.
  Result<QueryResult> query(const std::string& statement, std::chrono::milliseconds limit);
  // These tables as a database file; none named: all. The error names a table that does not exist.
  Result<std::string> as_file(const std::vector<std::string>& tables);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace egt::sql
