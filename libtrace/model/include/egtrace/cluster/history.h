// What the logs of databases record of the past: transactions in order of time. A database file that is compacted begins
// with all rows as of then, and remembers nothing of what came before (ovsdb(5), "Database Formats").
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/evidence/evidence.h"

namespace egt::cluster {

// Values are spelt as `ovn-nbctl list` and its like spell them.
struct ColumnChange {
  std::string column;
  std::string before, after;                // both empty: a set or map too large to be shown whole
  std::vector<std::string> added, removed;  // elements of a set or map; of a map "key=value"
};

struct RowChange {
  enum class Kind : std::uint8_t { inserted, deleted, modified };
  Kind kind = Kind::modified;
  std::string table, uuid;
  std::string name;  // empty: rows of this table have none
  // Of a row that was inserted or deleted those that differ from their default.
  std::vector<ColumnChange> columns;
  std::string_view text;  // the row in the record, `"UUID":{…}`; lives as long as the dump
};

struct Transaction {
  std::int64_t time = 0;  // ms since 1970; 0: the record does not show
  std::string node;       // empty: of the whole cluster
  std::string database;   // of the schema: "OVN_Northbound"
  std::string comment;
  std::string id;   // of an entry of a cluster's log, the same on all its servers; else empty
  Provenance from;  // the record
  // All rows as of then, from which the log goes on: what made them is not known. Such a one has no `changes`.
  bool is_snapshot = false;
  std::uint64_t rows = 0;          // in the snapshot
  std::vector<RowChange> changes;  // in the order of the record
};

// In order of time; those of one database in the order of its log, whatever its clock showed.
struct History {
  std::vector<Transaction> transactions;
};

// What was taken of one database that was read as of a moment. Times in ms since 1970; 0: the log does not show.
struct DatabaseMoment {
  std::string node, dump, database;
  Provenance from;                   // the first record that was left out, else the last one that counts
  std::int64_t first = 0, last = 0;  // of the whole log
  std::int64_t applied = 0;          // of the last transaction that was taken
  std::size_t later = 0;             // transactions that were left out
  bool begins_later = false;         // the rows are those of a snapshot made after the moment
};

}  // namespace egt::cluster
