// Tables of the snapshot as virtual tables of SQLite.
#pragma once

#include <sqlite3.h>

#include <exception>
#include <set>

#include "catalogue.h"

namespace egt::sql {

// What the tables of one database share.
struct Shared {
  const Context& context;
  std::set<Table*> used;      // by the statement that runs
  bool declaring = false;     // SQLite reads the CREATE TABLE of a virtual table, which creates none
  std::exception_ptr failed;  // thrown while SQLite asked for rows
};

struct Attached {
  Shared* shared;
  Table* table;
};  // outlives the database

void attach(sqlite3* database, Attached& attached);
// "CREATE TABLE flows(node TEXT, ...)"
std::string create_statement(const TableInfo& table);

}  // namespace egt::sql
