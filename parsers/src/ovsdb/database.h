// The rows that an OVSDB database file holds: its schema, its snapshot and the transactions behind it, applied in order
// (ovsdb(5); ovsdb/file.c, ovsdb/raft.c). Standalone and clustered files give the same.
//
// Rows stay in the text until somebody asks for them, for most rows nobody does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ovsdb/column_type.h"
#include "ovsdb/log_file.h"
#include "ovsdb/record.h"

namespace egt::parsers::ovsdb {

// A column that a transaction changed after the row was made. `elements` are those of a set or map by key, so that
// hundreds of additions to one address set stay cheap.
struct ChangedColumn {
  struct Less {
    bool operator()(const Atom& a, const Atom& b) const { return atom_less(a, b); }
  };
  Datum whole;                         // where the column holds at most one element
  std::map<Atom, Atom, Less> elements;
};

struct StoredRow {
  std::string_view uuid;
  std::string_view json;               // {"column":value,…} as it was inserted; empty: deleted
  std::uint32_t line = 0;              // header of the record that wrote it last
  std::map<std::size_t, ChangedColumn> changed;   // by index of the column
};

struct StoredTable {
  TableSchema schema;
  std::vector<StoredRow> rows;         // in the order of the file; none of them deleted

  // All columns but ephemeral ones, those at their default value too, as `list` shows them. Columns that could not be
  // read are left out, and `damaged` is counted up.
  Record record(const StoredRow& row, std::size_t& damaged) const;
  // The value of a column as the file has it, without looking at it; empty where the row does not name it. Not for
  // columns that were changed.
  static std::string_view stored_value(const StoredRow& row, std::string_view column);
};

struct DatabaseTransaction {
  std::uint32_t line = 0;
  std::int64_t date = 0;               // ms since 1970; 0 where it does not say
  std::string comment;
};

struct DatabaseProblem {
  std::uint32_t line = 0;
  bool note = false;                   // worth knowing, but nothing is missing
  std::string message;
};

struct DatabaseFile {
  std::string name, version;           // of the schema; empty where there is none
  bool clustered = false;
  bool partial = false;                // rows may be missing
  std::string server_id, cluster_id;   // of a clustered file
  std::vector<StoredTable> tables;     // by name
  std::vector<DatabaseTransaction> transactions;   // that were applied, the snapshot first
  std::vector<DatabaseProblem> problems;
  LogFile log;

  const StoredTable* table(std::string_view name) const;
};

// Never fails: what is damaged is in `problems`, what stands before it counts. The result points into `text`.
DatabaseFile read_database(std::string_view text);

}  // namespace egt::parsers::ovsdb
