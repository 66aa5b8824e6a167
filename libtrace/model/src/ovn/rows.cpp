#include "egtrace/ovn/rows.h"

#include <algorithm>
#include <utility>

#include "egtrace/ovn/printed_value.h"

namespace egt::ovn {

std::string text_of(const Row& row, std::string_view column) {
  const std::string_view value = row.columns.find(column).value_or(std::string_view());
  if (value == "[]" || value == "{}") return {};
  return value.starts_with('[') || value.starts_with('{') ? std::string(value) : text_in(value);
}

std::map<std::string, std::string> external_ids_of(const Row& row) {
  return map_in(row.columns.find("external_ids").value_or(std::string_view()));
}

Rows::Iterator Rows::Iterator::operator++(int) {
  const Iterator before = *this;
  ++*this;
  return before;
}

void Rows::Iterator::skip() {
  for (; table_ != end_ && row_ >= table_->size(); ++table_) row_ = 0;
}

std::size_t Rows::size() const {
  std::size_t all = 0;
  for (const Table& t : tables_) all += t.size();
  return all;
}

const Row& Rows::operator[](std::size_t place) const {
  auto table = tables_.begin();
  for (; place >= table->size(); ++table) place -= table->size();
  return table->rows()[place];
}

std::size_t Rows::place_of(std::string_view database, std::string_view table) const {
  const auto is_it = [&](const Table& t) { return t.name() == table && t.database() == database; };
  return static_cast<std::size_t>(std::find_if(tables_.begin(), tables_.end(), is_it) - tables_.begin());
}

const RowList<Row>& Rows::of(std::string_view database, std::string_view table) const {
  static const RowList<Row> kNone;
  const std::size_t place = place_of(database, table);
  return place < tables_.size() ? tables_[place].rows() : kNone;
}

Rows::Table& Rows::table(std::string_view database, std::string_view table) {
  const std::size_t place = place_of(database, table);
  return place < tables_.size() ? tables_[place] : tables_.emplace_back(Name(database), Name(table));
}

void Rows::add(Row row) {
  std::vector<Row>& rows = table(row.database, row.table).rows().edit();
  rows.push_back(std::move(row));
}

}  // namespace egt::ovn
