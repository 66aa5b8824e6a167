#include "egtrace/openflow/address_prefixes.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace egt::openflow {
namespace {

// A trie of single bits, as lib/classifier.c would walk one without merged nodes.
class BitTrie {
 public:
  void insert(U128 address, unsigned length, unsigned bits) {
    for (unsigned n = 0; n <= length; ++n) nodes_.insert({n, n == 0 ? U128{0} : address >> (bits - n)});
    ends_.insert({length, address >> (bits - length)});
  }
  PrefixAnswer look_up(U128 address, unsigned bits) const {
    PrefixAnswer answer;
    for (unsigned n = 1; n <= bits; ++n) {
      const U128 here = address >> (bits - n);
      if (!nodes_.contains({n, here})) {
        answer.looked_at = nodes_.contains({n, here ^ 1}) ? n : n - 1;
        return answer;
      }
      if (ends_.contains({n, here})) answer.lengths.set(n - 1);
    }
    answer.looked_at = bits;
    return answer;
  }

 private:
  std::set<std::pair<unsigned, U128>> nodes_, ends_;
};

void compare(AddressField field, unsigned seed) {
  const unsigned bits = bits_of(field);
  std::mt19937 random(seed);
  // Addresses near to each other, so that prefixes nest.
  const auto address = [&] {
    U128 a = U128{random()} << (bits - 32);
    for (unsigned i = 0; i < 4; ++i) a &= U128{random()} << (bits - 32) | ones(bits - 8);
    return bits == 128 ? a | random() % 8 : a;
  };
  PrefixCollector collector;
  BitTrie trie;
  for (unsigned i = 0; i < 60; ++i) {
    const unsigned length = random() % 3 == 0 ? bits : 1 + static_cast<unsigned>(random() % bits);
    const U128 value = length == bits ? address() : address() >> (bits - length) << (bits - length);
    collector.add(7, {field, static_cast<std::uint8_t>(length)}, value);
    collector.add(8, {field, static_cast<std::uint8_t>(bits)}, address());  // another table's
    trie.insert(value, length, bits);
  }
  const OwnedPrefixes all = collector.take();
  for (unsigned i = 0; i < 500; ++i) {
    const U128 asked = address();
    const PrefixAnswer wanted = trie.look_up(asked, bits), got = all.view().look_up(7, field, asked);
    EXPECT_EQ(got.looked_at, wanted.looked_at) << hex(asked);
    EXPECT_EQ(got.lengths, wanted.lengths) << hex(asked);
  }
}

TEST(AddressPrefixes, AnswerAsATrie) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    compare(AddressField::ipv4_src, seed);
    compare(AddressField::ipv6_dst, seed);
  }
}

TEST(AddressPrefixes, NothingOfOtherFieldsAndTables) {
  PrefixCollector collector;
  collector.add(3, {AddressField::ipv4_dst, 24}, 0x0a000100);
  const OwnedPrefixes all = collector.take();
  EXPECT_EQ(all.view().look_up(3, AddressField::ipv4_src, 0x0a000101).looked_at, 0U);
  EXPECT_EQ(all.view().look_up(4, AddressField::ipv4_dst, 0x0a000101).looked_at, 0U);
  const PrefixAnswer hit = all.view().look_up(3, AddressField::ipv4_dst, 0x0a000101);
  EXPECT_EQ(hit.looked_at, 24U);
  EXPECT_TRUE(hit.lengths[23]);
}

TEST(AddressPrefixes, MergesAndKeepsEachOnce) {
  PrefixCollector one, two;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    one.add(1, {AddressField::ipv4_dst, 32}, i % 2000 + 1);
    two.add(1, {AddressField::ipv4_dst, 32}, i + 1000);
  }
  OwnedPrefixes all = one.take();
  EXPECT_EQ(all.ipv4.size(), 2000U);
  all.merge(two.take());
  EXPECT_EQ(all.ipv4.size(), 3999U);
  EXPECT_TRUE(std::is_sorted(all.ipv4.begin(), all.ipv4.end()));
}

// Only masks that are prefixes have a trie.
TEST(AddressPrefixes, OfAMatch) {
  Match match;
  match.require(FieldId::ip_src, 0x0a000000, 0xff000000);
  match.require(FieldId::ip_dst, 0x0a000000, 0xff00ff00);
  const std::vector<PrefixMask> masks = prefix_masks(match.view());
  ASSERT_EQ(masks.size(), 1U);
  EXPECT_EQ(masks[0].field, AddressField::ipv4_src);
  EXPECT_EQ(masks[0].length, 8);
}

}  // namespace
}  // namespace egt::openflow
