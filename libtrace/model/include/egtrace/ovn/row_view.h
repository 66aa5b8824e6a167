// Rows with the columns of their table: rows::nb::Acl, rows::sb::PortBinding … The classes are made from libtrace/model/schema;
// a column that no schema has does not compile. A view lives no longer than its row.
#pragma once

#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "egtrace/ovn/ovn.h"
#include "egtrace/ovn/printed_value.h"

namespace egt::ovn {

class RowView {
 public:
  explicit RowView(const Row& row) : row_(&row) {}

  const Row& row() const { return *row_; }
  const std::string& uuid() const { return row_->uuid; }
  const Provenance& from() const { return row_->from; }
  // Empty where there is no such key.
  std::string external_id(const std::string& key) const;
  // Whether the dump has the column: releases differ, and so do lists with chosen columns.
  bool shows(const std::string& column) const { return row_->columns.contains(column); }

 protected:
  // The column's value as printed; empty where the dump has no such column.
  std::string_view printed(const char* column) const;

 private:
  const Row* row_;
};

template <class View>
bool is(const Row& row) {
  return row.table == View::kTable && row.database == View::kDatabase;
}

// Nothing where the row is of another table.
template <class View>
std::optional<View> as(const Row& row) {
  return is<View>(row) ? std::optional<View>(row) : std::nullopt;
}

// The rows of one table, for range-based loops.
template <class View>
class RowsOf {
 public:
  using Position = std::vector<Row>::const_iterator;

  class Iterator {
   public:
    Iterator(Position at, Position end) : at_(at), end_(end) { skip(); }
    View operator*() const { return View(*at_); }
    Iterator& operator++() { return ++at_, skip(), *this; }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    void skip() {
      while (at_ != end_ && !is<View>(*at_)) ++at_;
    }
    Position at_, end_;
  };

  explicit RowsOf(const std::vector<Row>& rows) : rows_(rows) {}
  Iterator begin() const { return {rows_.begin(), rows_.end()}; }
  Iterator end() const { return {rows_.end(), rows_.end()}; }

 private:
  const std::vector<Row>& rows_;
};

template <class View>
RowsOf<View> rows_of(const std::vector<Row>& rows) {
  return RowsOf<View>(rows);
}

}  // namespace egt::ovn
