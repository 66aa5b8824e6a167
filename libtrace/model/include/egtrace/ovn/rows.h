// Rows of database tables as dumps show them (ovn-nb(5), ovn-sb(5), ovs-vswitchd.conf.db(5)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/name.h"
#include "egtrace/evidence/evidence.h"
#include "egtrace/ovn/columns.h"
#include "egtrace/ovn/row_list.h"

namespace egt::ovn {

// A row of any database table, for what has no type of its own (router policies, NAT, load balancers, …).
// Rows of lr-policy-list, lr-route-list and lr-nat-list have no UUID where no other dump shows it, and a column "router"
// that holds the router's name.
struct Row {
  Name table;     // "Logical_Router_Policy"
  Name database;  // "NB", "SB", "OVS"
  std::string uuid;
  Columns columns;
  Provenance from;
};

// The value of a column by its name: a string without quotes and escapes, sets and maps as printed; empty where there is none.
// For what asks for columns that it does not know; tables whose columns are known have classes (egtrace/ovn/row_view.h).
std::string text_of(const Row& row, std::string_view column);
std::map<std::string, std::string> external_ids_of(const Row& row);
inline std::uint32_t prefix_of(const Row& row) { return uuid_prefix(row.uuid); }

// Rows by table. Tables are in the order in which they came, and so are the rows of each.
class Rows {
 public:
  class Table {
   public:
    Table(Name database, Name name) : database_(database), name_(name) {}

    const Name& database() const { return database_; }
    const Name& name() const { return name_; }
    const RowList<Row>& rows() const { return rows_; }
    RowList<Row>& rows() { return rows_; }
    std::size_t size() const { return rows_.size(); }

   private:
    Name database_, name_;
    RowList<Row> rows_;
  };

  // All rows, which are read for that.
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Row;
    using difference_type = std::ptrdiff_t;
    using pointer = const Row*;
    using reference = const Row&;

    Iterator() = default;
    Iterator(std::deque<Table>::const_iterator at, std::deque<Table>::const_iterator end) : table_(at), end_(end) { skip(); }
    const Row& operator*() const { return table_->rows()[row_]; }
    const Row* operator->() const { return &**this; }
    Iterator& operator++() { return ++row_, skip(), *this; }
    Iterator operator++(int);
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    void skip();
    std::deque<Table>::const_iterator table_, end_;
    std::size_t row_ = 0;
  };

  Iterator begin() const { return {tables_.begin(), tables_.end()}; }
  Iterator end() const { return {tables_.end(), tables_.end()}; }
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  const Row& operator[](std::size_t place) const;  // one of size()

  const std::deque<Table>& tables() const { return tables_; }
  const RowList<Row>& of(std::string_view database, std::string_view table) const;  // none where there is no such table
  // Is made where there is none, and stays where it is.
  Table& table(std::string_view database, std::string_view table);
  void add(Row row);
  void clear() { tables_.clear(); }

 private:
  std::size_t place_of(std::string_view database, std::string_view table) const;  // in tables_; behind all where there is none
  std::deque<Table> tables_;
};

}  // namespace egt::ovn
