#include "egtrace/openflow/address_prefixes.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace egt::openflow {
namespace {

// Length of a mask that is a prefix; 0 where it is none.
std::uint8_t prefix_length(U128 mask, unsigned bits) {
  unsigned n = 0;
  while (n < bits && (mask >> (bits - 1 - n) & 1) != 0) ++n;
  const bool all = n == bits || (n != 0 && mask == ones(n) << (bits - n));
  return all ? static_cast<std::uint8_t>(n) : std::uint8_t{0};
}

U128 first_bits(U128 address, unsigned length, unsigned bits) {
  return length == bits ? address : address >> (bits - length) << (bits - length);
}

unsigned common_bits(U128 a, U128 b, unsigned bits) {
  const U128 differ = (a ^ b) << (128 - bits);
  const std::uint64_t high = high64(differ), low = low64(differ);
  const int same = high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(low);
  return std::min(static_cast<unsigned>(same), bits);
}

U128 address_in(std::uint64_t prefix) { return prefix & 0xffffffff; }
U128 address_in(const Ipv6Prefix& p) { return make_u128(p.high, p.low); }
std::uint64_t place_of(std::uint64_t prefix) { return prefix >> 32; }
std::uint64_t place_of(const Ipv6Prefix& p) { return p.place; }

// How near the prefixes come to an address.
class Nearest {
 public:
  Nearest(U128 address, unsigned bits) : address_(address), bits_(bits) {}

  void see(U128 prefix, unsigned length) {
    const unsigned same = std::min(common_bits(prefix, address_, bits_), length);
    if (same == length) answer_.lengths.set(length - 1);
    if (same > most_) parts_ = false;
    if (same < most_) return;
    most_ = same;
    parts_ = parts_ || same < length;
  }
  // Where another prefix goes on with the other value of the next bit, that bit was looked at, too.
  PrefixAnswer answer() const {
    PrefixAnswer a = answer_;
    a.looked_at = most_ + (parts_ ? 1 : 0);
    return a;
  }

 private:
  U128 address_;
  unsigned bits_, most_ = 0;
  bool parts_ = false;
  PrefixAnswer answer_;
};

// `all`: those of one table and field. Of one length those are nearest between which the address would stand.
template <class Prefix>
void see_nearest(std::span<const Prefix> all, U128 address, unsigned bits, Nearest& nearest) {
  while (!all.empty()) {
    const std::uint64_t place = place_of(all.front());
    const auto of_length =
        std::partition_point(all.begin(), all.end(), [place](const Prefix& p) { return place_of(p) <= place; });
    const auto length = static_cast<unsigned>(place & 0xff);
    if (length == 0 || length > bits) return;  // a damaged file
    const U128 wanted = first_bits(address, length, bits);
    const auto at = std::partition_point(all.begin(), of_length, [wanted](const Prefix& p) { return address_in(p) < wanted; });
    if (at != of_length) nearest.see(address_in(*at), length);
    if (at != all.begin()) nearest.see(address_in(*std::prev(at)), length);
    all = all.subspan(static_cast<std::size_t>(of_length - all.begin()));
  }
}

template <class Prefix>
std::span<const Prefix> within(std::span<const Prefix> all, std::uint64_t first, std::uint64_t behind) {
  const auto begin = std::partition_point(all.begin(), all.end(), [=](const Prefix& p) { return place_of(p) < first; });
  const auto end = std::partition_point(begin, all.end(), [=](const Prefix& p) { return place_of(p) < behind; });
  return all.subspan(static_cast<std::size_t>(begin - all.begin()), static_cast<std::size_t>(end - begin));
}

template <class Prefix>
void merge_into(std::vector<Prefix>& all, const std::vector<Prefix>& others) {
  if (others.empty()) return;
  std::vector<Prefix> both;
  both.reserve(all.size() + others.size());
  std::set_union(all.begin(), all.end(), others.begin(), others.end(), std::back_inserter(both));
  all = std::move(both);
}

}  // namespace

FieldId field_of(AddressField f) {
  switch (f) {
    case AddressField::ipv4_dst: return FieldId::ip_dst;
    case AddressField::ipv4_src: return FieldId::ip_src;
    case AddressField::ipv6_dst: return FieldId::ipv6_dst;
    case AddressField::ipv6_src: break;
  }
  return FieldId::ipv6_src;
}

std::vector<PrefixMask> prefix_masks(MatchView match) {
  std::vector<PrefixMask> masks;
  for (std::size_t i = 0; i < kAddressFields; ++i) {
    const auto f = static_cast<AddressField>(i);
    const std::uint8_t length = prefix_length(mask_of(match, field_of(f)), bits_of(f));
    if (length != 0) masks.push_back({f, length});
  }
  return masks;
}

PrefixAnswer AddressPrefixes::look_up(std::uint8_t table, AddressField f, U128 address) const {
  const std::uint64_t first = prefix_place(table, {f, 0}), behind = first + 0x100;
  Nearest nearest(address, bits_of(f));
  see_nearest(within(ipv4, first, behind), address, bits_of(f), nearest);
  see_nearest(within(ipv6, first, behind), address, bits_of(f), nearest);
  return nearest.answer();
}

void OwnedPrefixes::merge(const OwnedPrefixes& others) {
  merge_into(ipv4, others.ipv4);
  merge_into(ipv6, others.ipv6);
}

void PrefixCollector::add(std::uint8_t table, PrefixMask mask, U128 address) {
  if (bits_of(mask.field) == 32) {
    const std::uint64_t prefix = prefix_place(table, mask) << 32 | low64(address);
    __builtin_prefetch(&ipv4_[place_of(prefix)]);
    waiting_[waiting_count_++] = prefix;
    if (waiting_count_ == waiting_.size()) put_waiting();
  } else {
    ipv6_.insert({prefix_place(table, mask), high64(address), low64(address)});
  }
}

void PrefixCollector::add(std::uint8_t table, MatchView match) {
  for (const PrefixMask& mask : prefix_masks(match)) add(table, mask, value_of(match, field_of(mask.field)));
}

std::size_t PrefixCollector::place_of(std::uint64_t prefix) const {
  return static_cast<std::size_t>(prefix * 0x9e3779b97f4a7c15ULL >> 20) & (ipv4_.size() - 1);
}

void PrefixCollector::put_waiting() {
  for (std::size_t i = 0; i < waiting_count_; ++i) put(waiting_[i]);
  waiting_count_ = 0;
}

void PrefixCollector::put(std::uint64_t prefix) {
  std::size_t at = place_of(prefix);
  for (; ipv4_[at] != 0; at = (at + 1) & (ipv4_.size() - 1))
    if (ipv4_[at] == prefix) return;
  ipv4_[at] = prefix;
  if (++ipv4_count_ * 2 > ipv4_.size()) grow();
}

void PrefixCollector::grow() {
  std::vector<std::uint64_t> old(ipv4_.size() * 2);
  old.swap(ipv4_);
  ipv4_count_ = 0;
  for (const std::uint64_t prefix : old)
    if (prefix != 0) put(prefix);
}

OwnedPrefixes PrefixCollector::take() {
  OwnedPrefixes all;
  put_waiting();
  std::erase(ipv4_, 0);
  all.ipv4 = std::move(ipv4_);
  all.ipv6.assign(ipv6_.begin(), ipv6_.end());
  std::sort(all.ipv4.begin(), all.ipv4.end());
  std::sort(all.ipv6.begin(), all.ipv6.end());
  *this = {};
  return all;
}

}  // namespace egt::openflow
