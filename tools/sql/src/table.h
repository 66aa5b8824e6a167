// A table: its columns, and its rows as references into the model, whose values are read when they are asked for.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "context.h"
#include "egtrace/base/value_table.h"

namespace egt::sql {

class Table {
 public:
  explicit Table(TableInfo info) : info_(std::move(info)) {}
  virtual ~Table() = default;
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  const TableInfo& info() const { return info_; }
  virtual std::size_t size(const Context& context) = 0;
  virtual Value value(const Context& context, std::size_t row, std::size_t column) = 0;
  virtual std::vector<Gap> gaps(const Context& context) const = 0;
  // The rows that may have this value in the column, ascending; none where it is NULL.
  const std::vector<std::uint32_t>& rows_with(const Context& context, std::size_t column, const Value& value);

 private:
  using RowsOfKey = std::map<std::string, std::vector<std::uint32_t>, std::less<>>;
  TableInfo info_;
  std::map<std::size_t, RowsOfKey> by_column_;
};

template <class Row>
struct Column {
  const char* name;
  const char* type;
  const char* meaning;
  Value (*read)(const Context& context, const Row& row);
};

template <class Row>
struct Definition {
  const char* name;
  const char* meaning;
  std::vector<Column<Row>> columns;
  void (*rows)(const Context& context, std::vector<Row>& out);
  Provenance (*from)(const Context& context, const Row& row);  // null: the rows have no dump and line
  std::vector<Gap> (*gaps)(const Context& context) = nullptr;  // null: nothing can be missing
};

inline Value dump_of(const Context& context, Provenance from) {
  return from.known() ? Value(context.cluster().sources->path_of(from.source)) : Value();
}
inline Value line_of(Provenance from) { return from.known() && from.line > 0 ? Value(std::int64_t{from.line}) : Value(); }

template <class Row>
class TypedTable : public Table {
 public:
  explicit TypedTable(Definition<Row> definition) : Table(info_of(definition)), definition_(std::move(definition)) {}

  std::size_t size(const Context& context) override {
    if (!made_) definition_.rows(context, rows_);
    made_ = true;
    return rows_.size();
  }
  Value value(const Context& context, std::size_t row, std::size_t column) override {
    const std::size_t own = definition_.columns.size();
    if (column < own) return definition_.columns[column].read(context, rows_[row]);
    const Provenance from = definition_.from(context, rows_[row]);
    return column == own ? dump_of(context, from) : line_of(from);
  }
  std::vector<Gap> gaps(const Context& context) const override {
    return definition_.gaps != nullptr ? definition_.gaps(context) : std::vector<Gap>{};
  }

 private:
  static TableInfo info_of(const Definition<Row>& definition) {
    TableInfo info{definition.name, definition.meaning, {}};
    for (const Column<Row>& c : definition.columns) info.columns.push_back({c.name, c.type, c.meaning});
    if (definition.from == nullptr) return info;
    info.columns.push_back({"dump", "TEXT", "path of the dump"});
    info.columns.push_back({"line", "INTEGER", "its line"});
    return info;
  }

  Definition<Row> definition_;
  std::vector<Row> rows_;
  bool made_ = false;
};

template <class Row>
std::unique_ptr<Table> make_table(Definition<Row> definition) {
  return std::make_unique<TypedTable<Row>>(std::move(definition));
}

}  // namespace egt::sql
