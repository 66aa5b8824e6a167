// The rows that an OVSDB database file holds: its schema, its snapshot and the transactions behind it, applied in order
// (ovsdb(5); ovsdb/file.c, ovsdb/raft.c). Standalone and clustered files give the same.
//
// Rows stay in the text until they are asked for, as most never are.
#pragma once

#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/ovn/columns.h"
#include "ovsdb/changed_column.h"
#include "ovsdb/column_type.h"
#include "ovsdb/log_file.h"
#include "ovsdb/record.h"

namespace egt::parsers::ovsdb {

struct StoredRow {
  std::string_view uuid;
  std::string_view json;                                           // {"column":value,…} as it was inserted; empty: deleted
  std::uint32_t line = 0;                                          // header of the record that wrote it last
  boost::container::flat_map<std::size_t, ChangedColumn> changed;  // by index of the column; of most rows nothing
};

struct StoredTable {
  TableSchema schema;
  std::vector<StoredRow> rows;  // in the order of the file; none of them deleted

  // All columns but ephemeral ones, those at their default value too, as `list` shows them. Columns that could not be
  // read are left out, and `damaged` is counted up.
  // `only`: these columns, where any are named.
  Record record(const StoredRow& row, std::size_t& damaged, std::span<const std::string_view> only = {}) const;
  // The same columns as `list` prints them, without "_uuid".
  ovn::Columns columns(const StoredRow& row, std::size_t& damaged) const;
  // The value of a column as the file has it, without looking at it; empty where the row does not name it. Not for
  // columns that were changed.
  static std::string_view stored_value(const StoredRow& row, std::string_view column);
};

struct DatabaseTransaction {
  std::uint32_t line = 0;
  std::int64_t date = 0;  // ms since 1970; 0 where it has none
  std::string comment;
  std::string entry_id;  // of an entry of a cluster's log
  // All rows as of then, rather than what one transaction did: what compacting, converting or copying a database writes.
  bool is_snapshot = false;
};

struct DatabaseProblem {
  std::uint32_t line = 0;
  bool note = false;  // worth knowing, but nothing is missing
  std::string message;
};

struct DatabaseFile {
  std::string name, version;  // of the schema; empty where there is none
  bool clustered = false;
  bool partial = false;                           // rows may be missing
  std::string server_id, cluster_id;              // of a clustered file
  std::vector<StoredTable> tables;                // by name
  std::vector<DatabaseTransaction> transactions;  // that were applied, the snapshot first
  std::vector<DatabaseProblem> problems;
  LogFile log;

  // Where it was read as of a moment. Dates are 0 where no transaction distinguishes one.
  std::int64_t first_date = 0, last_date = 0;  // of the whole log
  std::size_t later = 0;                       // transactions that were left out
  std::uint32_t first_later_line = 0;          // of the first of them
  bool begins_later = false;                   // it begins with a snapshot made after that moment, which counts

  const StoredTable* table(std::string_view name) const;
};

// The value of "_date", in ms since 1970; 0 where it is none. Old servers wrote seconds (show-log of ovsdb/ovsdb-tool.c).
std::int64_t transaction_date(std::string_view json);

// Receives what each transaction did. `text` is the row as it stands in the record: `"UUID":{…}`.
class TransactionWatcher {
 public:
  virtual ~TransactionWatcher() = default;
  virtual void begins(const DatabaseFile& file, const DatabaseTransaction& transaction) = 0;
  virtual void inserted(const StoredTable& table, const StoredRow& row, std::string_view text) = 0;
  virtual void deleted(const StoredTable& table, const StoredRow& row, std::string_view text) = 0;  // the row as it was
  virtual void modified(const StoredTable& table, const StoredRow& row, std::string_view text,
                        std::vector<cluster::ColumnChange> columns) = 0;  // as it is now
};

struct ReadDatabase {
  // ms since 1970: the first transaction that is later, and all behind it, are left out. A snapshot with which the log
  // begins counts all the same: nothing else is known.
  std::optional<std::int64_t> as_of;
  TransactionWatcher* watcher = nullptr;
};

// Never fails: what is damaged is in `problems`, what stands before it counts. The result points into `text`.
DatabaseFile read_database(std::string_view text, const ReadDatabase& how = {});

}  // namespace egt::parsers::ovsdb
