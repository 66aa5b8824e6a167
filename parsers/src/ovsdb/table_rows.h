// The rows of a database while its transactions are applied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "ovsdb/database.h"

namespace egt::parsers::ovsdb {

// The rows of one table while transactions are applied.
class TableRowsBuilder {
 public:
  explicit TableRowsBuilder(StoredTable& table) : table_(table) {}

  void insert_new(std::string_view uuid, std::string_view json, std::uint32_t line) {
    if (indexed_) index_.emplace(uuid, table_.rows.size());
    table_.rows.push_back({uuid, json, line, {}});
  }
  StoredRow* find(std::string_view uuid) {
    if (!indexed_) index_all();
    const auto it = index_.find(uuid);
    return it == index_.end() ? nullptr : &table_.rows[it->second];
  }
  void remove(StoredRow& row) {
    index_.erase(row.uuid);
    row.json = {};
    row.changed.clear();
  }
  bool empty() const { return table_.rows.empty(); }
  StoredTable& table() { return table_; }

 private:
  void index_all() {
    for (std::size_t i = 0; i < table_.rows.size(); ++i)
      if (!table_.rows[i].json.empty()) index_.insert_or_assign(table_.rows[i].uuid, i);
    indexed_ = true;
  }

  StoredTable& table_;
  bool indexed_ = false;
  std::unordered_map<std::string_view, std::size_t> index_;
};

}  // namespace egt::parsers::ovsdb
