// Rows by the first 32 bits of their UUIDs, which is what cookies and stage hints have of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace egt::ovn {

class PrefixIndex {
 public:
  struct PrefixedRow {
    std::uint32_t prefix = 0, row = 0;
  };
  struct Range {
    const PrefixedRow *first = nullptr, *last = nullptr;
    const PrefixedRow* begin() const { return first; }
    const PrefixedRow* end() const { return last; }
    bool empty() const { return first == last; }
  };

  PrefixIndex() = default;
  // `prefixes`: of each row; 0 where it has none.
  explicit PrefixIndex(const std::vector<std::uint32_t>& prefixes);

  // In the order of the rows; none for a prefix of 0.
  Range with(std::uint64_t prefix) const;

 private:
  std::size_t bucket_of(std::uint32_t prefix) const { return static_cast<std::size_t>(std::uint64_t{prefix} * buckets_ >> 32U); }
  std::size_t buckets_ = 0;
  std::vector<PrefixedRow> rows_;        // by prefix
  std::vector<std::uint32_t> begin_of_;  // bucket, and the end of the last
};

}  // namespace egt::ovn
