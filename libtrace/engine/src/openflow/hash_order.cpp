#include "openflow/hash_order.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "openflow/hash.h"

namespace egt::engine {
namespace {

// hmap: a bucket's last element comes first, and growing goes through the old buckets in their order.
class HashTable {
 public:
  explicit HashTable(std::span<const std::uint32_t> hashes) : hashes_(hashes), next_(hashes.size(), kNone) {
    for (std::uint32_t i = 0; i < hashes_.size(); ++i) {
      put(i);
      if ((i + std::size_t{1}) / 2 > mask_) grow(i + std::size_t{1});
    }
  }
  std::vector<std::uint32_t> order() const {
    std::vector<std::uint32_t> all;
    all.reserve(hashes_.size());
    for (std::uint32_t i : first_)
      for (; i != kNone; i = next_[i]) all.push_back(i);
    return all;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  void put(std::uint32_t i) {
    std::uint32_t& first = first_[hashes_[i] & mask_];
    next_[i] = first;
    first = i;
  }
  // To half as many buckets as elements, rounded up to a power of two, but never two.
  void grow(std::size_t count) {
    const std::vector<std::uint32_t> old = order();
    mask_ = std::max<std::size_t>(std::bit_ceil(count / 2 + 1) - 1, 3);
    first_.assign(mask_ + 1, kNone);
    for (const std::uint32_t i : old) put(i);
  }

  std::span<const std::uint32_t> hashes_;
  std::vector<std::uint32_t> first_{kNone}, next_;
  std::size_t mask_ = 0;
};

}  // namespace

std::vector<std::uint32_t> order_in_hash_table(std::span<const std::uint32_t> hashes) {
  const HashTable table(hashes);
  return table.order();
}

std::vector<std::uint32_t> order_at_client(std::span<const ovn::Uuid> rows) {
  std::vector<std::uint32_t> hashes;
  for (const ovn::Uuid& row : rows) hashes.push_back(ofproto::hash_string(row.to_string()));
  const std::vector<std::uint32_t> sent = order_in_hash_table(hashes);
  hashes.clear();
  for (const std::uint32_t i : sent) hashes.push_back(rows[i].prefix());
  std::vector<std::uint32_t> order = order_in_hash_table(hashes);
  for (std::uint32_t& i : order) i = sent[i];
  return order;
}

}  // namespace egt::engine
