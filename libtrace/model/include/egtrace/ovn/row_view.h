// Rows with the columns of their table: rows::nb::Acl, rows::sb::PortBinding … The classes are made from libtrace/model/schema;
// a column that no schema has does not compile. A view lives no longer than its row.
#pragma once

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
  std::string external_id(std::string_view key) const { return value_in(printed("external_ids"), key); }
  // Whether the dump has the column: releases differ, and so do lists with chosen columns.
  bool shows(std::string_view column) const { return row_->columns.contains(column); }

 protected:
  // The column's value as printed; empty where the dump has no such column.
  std::string_view printed(std::string_view column) const { return row_->columns.find(column).value_or(std::string_view()); }

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
  class Iterator {
   public:
    explicit Iterator(RowList<Row>::Iterator at) : at_(at) {}
    View operator*() const { return View(*at_); }
    Iterator& operator++() { return ++at_, *this; }
    bool operator==(const Iterator& other) const = default;

   private:
    RowList<Row>::Iterator at_;
  };

  explicit RowsOf(const RowList<Row>& rows) : rows_(rows) {}
  Iterator begin() const { return Iterator(rows_.begin()); }
  Iterator end() const { return Iterator(rows_.end()); }

 private:
  const RowList<Row>& rows_;
};

template <class View>
RowsOf<View> rows_of(const Rows& rows) {
  return RowsOf<View>(rows.of(View::kDatabase, View::kTable));
}

}  // namespace egt::ovn
