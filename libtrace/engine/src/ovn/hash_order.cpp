#include "ovn/hash_order.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace egt::engine {
namespace {

// MurmurHash3, 32 bits.
std::uint32_t add(std::uint32_t hash, std::uint32_t data) {
  data = std::rotl(data * 0xcc9e2d51u, 15) * 0x1b873593u;
  return std::rotl(hash ^ data, 13) * 5 + 0xe6546b64u;
}

std::uint32_t finish(std::uint32_t hash) {
  hash = (hash ^ hash >> 16) * 0x85ebca6bu;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
  return hash ^ hash >> 16;
}

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
  for (const ovn::Uuid& row : rows) hashes.push_back(hash_string(row.to_string()));
  const std::vector<std::uint32_t> sent = order_in_hash_table(hashes);
  hashes.clear();
  for (const std::uint32_t i : sent) hashes.push_back(rows[i].prefix());
  std::vector<std::uint32_t> order = order_in_hash_table(hashes);
  for (std::uint32_t& i : order) i = sent[i];
  return order;
}

std::uint32_t hash_string(std::string_view text) {
  std::uint32_t hash = 0;
  const auto word = [](std::string_view bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return value;
  };
  std::string_view rest = text;
  for (; rest.size() >= 4; rest.remove_prefix(4)) hash = add(hash, word(rest.substr(0, 4)));
  if (!rest.empty()) hash = add(hash, word(rest));
  return finish(hash ^ static_cast<std::uint32_t>(text.size()));
}

}  // namespace egt::engine
