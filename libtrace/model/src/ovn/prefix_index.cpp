#include "egtrace/ovn/prefix_index.h"

#include <algorithm>

namespace egt::ovn {
namespace {

constexpr auto has_lower_prefix = [](const PrefixIndex::PrefixedRow& a, const PrefixIndex::PrefixedRow& b) {
  return a.prefix < b.prefix;
};
constexpr auto is_before = [](const PrefixIndex::PrefixedRow& a, const PrefixIndex::PrefixedRow& b) {
  return a.prefix != b.prefix ? a.prefix < b.prefix : a.row < b.row;
};

}  // namespace

// UUIDs are random, so that a bucket for each place has one or two of them; places that share one are sorted all the same.
PrefixIndex::PrefixIndex(const std::vector<std::uint32_t>& prefixes) : buckets_(prefixes.size()), begin_of_(prefixes.size() + 1) {
  for (const std::uint32_t prefix : prefixes)
    if (prefix != 0) ++begin_of_[bucket_of(prefix) + 1];
  for (std::size_t b = 0; b < buckets_; ++b) begin_of_[b + 1] += begin_of_[b];
  rows_.resize(begin_of_.back());
  std::vector<std::uint32_t> next(begin_of_.begin(), begin_of_.end() - 1);
  for (std::uint32_t row = 0; row < prefixes.size(); ++row)
    if (prefixes[row] != 0) rows_[next[bucket_of(prefixes[row])]++] = {prefixes[row], row};
  for (std::size_t b = 0; b < buckets_; ++b) {
    const auto begin = rows_.begin() + begin_of_[b], end = rows_.begin() + begin_of_[b + 1];
    if (end - begin > 1) std::sort(begin, end, is_before);
  }
}

PrefixIndex::Range PrefixIndex::with(std::uint64_t prefix) const {
  if (prefix == 0 || prefix > 0xffffffff || buckets_ == 0) return {};
  const PrefixedRow wanted{static_cast<std::uint32_t>(prefix), 0};
  const std::size_t bucket = bucket_of(wanted.prefix);
  const PrefixedRow* const all = rows_.data();
  const auto [first, last] = std::equal_range(all + begin_of_[bucket], all + begin_of_[bucket + 1], wanted, has_lower_prefix);
  return {first, last};
}

}  // namespace egt::ovn
