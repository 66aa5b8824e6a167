// The prefixes of addresses that the flows of a bridge look at. The switch keeps them in a trie for each table and
// field, which shows how many bits of an address a lookup depends on (lib/classifier.c); here they are sorted arrays,
// which may lie in a mapped file as well.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "egtrace/base/u128.h"
#include "egtrace/openflow/match.h"

namespace egt::openflow {

enum class AddressField : std::uint8_t { ipv4_dst, ipv4_src, ipv6_dst, ipv6_src };
constexpr std::size_t kAddressFields = 4;
constexpr unsigned bits_of(AddressField f) { return f < AddressField::ipv6_dst ? 32 : 128; }
FieldId field_of(AddressField f);

// That a match asks for the first `length` bits of an address, 1 or more.
struct PrefixMask {
  AddressField field = AddressField::ipv4_dst;
  std::uint8_t length = 0;
};
// Masks that are no prefixes are left out.
std::vector<PrefixMask> prefix_masks(std::span<const MatchWord> match);

// Table, field and length of a prefix in one number, in this order.
constexpr std::uint64_t prefix_place(std::uint8_t table, PrefixMask mask) {
  return std::uint64_t{table} << 16 | std::uint64_t{static_cast<std::uint8_t>(mask.field)} << 8 | mask.length;
}
struct Ipv6Prefix {
  std::uint64_t place = 0, high = 0, low = 0;
  friend auto operator<=>(const Ipv6Prefix&, const Ipv6Prefix&) = default;
};

// What a trie finds for an address: trie_lookup_value().
struct PrefixAnswer {
  unsigned looked_at = 0;    // so many bits show it from all prefixes that it lacks
  std::bitset<128> lengths;  // bit n: it has one of n + 1 bits
};

// Ascending, each once.
struct AddressPrefixes {
  std::span<const std::uint64_t> ipv4;  // place << 32 | address
  std::span<const Ipv6Prefix> ipv6;

  // `address`: as FlowKey::get() gives it.
  PrefixAnswer look_up(std::uint8_t table, AddressField field, U128 address) const;
};

struct OwnedPrefixes {
  std::vector<std::uint64_t> ipv4;
  std::vector<Ipv6Prefix> ipv6;

  AddressPrefixes view() const { return {ipv4, ipv6}; }
  void merge(const OwnedPrefixes& others);
};

class PrefixCollector {
 public:
  void add(std::uint8_t table, PrefixMask mask, U128 address);  // bits behind the prefix are zero
  void add(std::uint8_t table, MatchView match);
  OwnedPrefixes take();

 private:
  std::size_t place_of(std::uint64_t prefix) const;
  void put_waiting();
  void put(std::uint64_t prefix);
  void grow();

  // Put in some at a time, so that the processor can fetch their places meanwhile.
  std::array<std::uint64_t, 16> waiting_{};
  std::size_t waiting_count_ = 0;
  std::vector<std::uint64_t> ipv4_ = std::vector<std::uint64_t>(1024);  // open addressing; 0: a free place
  std::size_t ipv4_count_ = 0;
  struct HashOfPrefix {
    std::size_t operator()(const Ipv6Prefix& p) const {
      return static_cast<std::size_t>((p.low ^ p.high * 0x9e3779b97f4a7c15ULL ^ p.place << 40) * 0xd6e8feb86659fd93ULL);
    }
  };
  std::unordered_set<Ipv6Prefix, HashOfPrefix> ipv6_;
};

}  // namespace egt::openflow
