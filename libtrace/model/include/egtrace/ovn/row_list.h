// Rows of one table, of which those with a UUID's beginning are found without reading the others.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "egtrace/base/pieces.h"
#include "egtrace/base/published.h"
#include "egtrace/ovn/prefix_index.h"

namespace egt::ovn {

// The first 32 bits of a UUID, or of its beginning: cookies and stage hints are no more. 0 where it does not begin with 8 hexadecimal
// digits.
std::uint32_t uuid_prefix(std::string_view uuid);

// Of rows for which prefix_of() gives those 32 bits.
template <class Row>
class RowList {
 public:
  using value_type = Row;
  using Iterator = typename Pieces<Row>::Iterator;

  RowList() = default;
  RowList(std::vector<Row> rows) : rows_(std::move(rows)) {}  // implicit, as that of its initializer list
  RowList(std::initializer_list<Row> rows) : rows_(std::vector<Row>(rows)) {}

  std::size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  const Row& operator[](std::size_t i) const { return rows_[i]; }
  const Row& front() const { return rows_.front(); }
  Iterator begin() const { return rows_.begin(); }
  Iterator end() const { return rows_.end(); }

  const Pieces<Row>& all() const { return rows_; }
  std::vector<Row>& edit() {
    std::vector<Row>& rows = rows_.edit();
    prefixes_.clear();
    index_ = std::make_shared<MadeOnce<PrefixIndex>>();
    return rows;
  }
  // Rows that are read when they are asked for; `prefixes` has that of each.
  void read_later(std::vector<std::uint32_t> prefixes, Pieces<Row> rows) {
    prefixes_ = std::move(prefixes);
    rows_ = std::move(rows);
    index_ = std::make_shared<MadeOnce<PrefixIndex>>();
  }
  // The places of those with this prefix, ascending.
  PrefixIndex::Range with(std::uint64_t prefix) const {
    return index_->get_or([this] { return PrefixIndex(prefixes()); }).with(prefix);
  }

  // Of each row, without reading them where they are read later.
  std::vector<std::uint32_t> prefixes() const {
    if (!prefixes_.empty()) return prefixes_;
    std::vector<std::uint32_t> all;
    all.reserve(size());
    for (const Row& row : rows_) all.push_back(prefix_of(row));
    return all;
  }

 private:
  Pieces<Row> rows_;
  std::vector<std::uint32_t> prefixes_;  // none where the rows are there
  std::shared_ptr<MadeOnce<PrefixIndex>> index_ = std::make_shared<MadeOnce<PrefixIndex>>();
};

}  // namespace egt::ovn
