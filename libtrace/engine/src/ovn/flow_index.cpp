#include "ovn/flow_index.h"

#include <algorithm>
#include <bit>

namespace egt::engine {
namespace {

constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15ULL;

constexpr std::size_t kPairs = 12;  // kinds of needs in an index from which on one value must do: each is looked up

std::uint64_t value_digest(U128 first, U128 second) {
  const std::uint64_t one = low64(first) * kMultiplier ^ high64(first), two = low64(second) * kMultiplier ^ high64(second);
  return one ^ std::rotl(two, 31);
}

bool asks_alike(const FieldNeed& a, const FieldNeed& b) { return a.field == b.field && a.mask == b.mask; }

U128 value_in(const FlowKey& packet, const FieldNeed& need) {
  return need.field == FieldId::count_ ? U128{0} : packet.get(need.field) & need.mask;
}

}  // namespace

std::size_t PositionMap::bucket_of(std::uint64_t key) const { return (key * kMultiplier >> 32) & (first_.size() - 1); }

void PositionMap::grow() {
  first_.assign(std::max<std::size_t>(8, first_.size() * 2), kNone);
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    std::uint32_t& first = first_[bucket_of(entries_[i].key)];
    entries_[i].next = first;
    first = i;
  }
}

void PositionMap::add(std::uint64_t key, std::uint32_t position) {
  if (entries_.size() >= first_.size()) grow();
  std::uint32_t& first = first_[bucket_of(key)];
  entries_.push_back({key, position, first});
  first = static_cast<std::uint32_t>(entries_.size() - 1);
}

void PositionMap::find(std::uint64_t key, std::vector<std::uint32_t>& found) const {
  if (first_.empty()) return;
  for (std::uint32_t i = first_[bucket_of(key)]; i != kNone; i = entries_[i].next)
    if (entries_[i].key == key) found.push_back(entries_[i].position);
}

void FlowIndex::add_value(const FieldNeed& first, std::uint32_t position, const FieldNeed& second) {
  auto it = std::find_if(by_value_.begin(), by_value_.end(),
                         [&](const ByValue& b) { return asks_alike(b.first, first) && asks_alike(b.second, second); });
  if (it == by_value_.end()) {
    if (by_value_.size() >= kPairs && second.field != FieldId::count_) return add_value(first, position);
    it = by_value_.insert(it, {first, second, {}});
  }
  it->positions.add(value_digest(first.value, second.value), position);
}

FlowIndex::ByGroup& FlowIndex::by_group(FieldId field) {
  const auto it = std::find_if(by_group_.begin(), by_group_.end(), [&](const ByGroup& b) { return b.field == field; });
  return it != by_group_.end() ? *it : by_group_.emplace_back(ByGroup{field, {}, {}, {}});
}

void FlowIndex::add_group(FieldId field, const std::vector<std::uint32_t>& keys, std::uint32_t position) {
  ByGroup& groups = by_group(field);
  const auto [it, fresh] = groups.known.emplace(&keys, static_cast<std::uint32_t>(groups.positions.size()));
  if (fresh) {
    groups.positions.emplace_back();
    for (const std::uint32_t key : keys) groups.groups.add(key, it->second);
  }
  groups.positions[it->second].push_back(position);
}

const std::vector<std::uint32_t>& FlowIndex::hits(const FlowKey& packet) {
  hits_.clear();
  for (const ByValue& b : by_value_) b.positions.find(value_digest(value_in(packet, b.first), value_in(packet, b.second)), hits_);
  for (const ByGroup& b : by_group_) {
    groups_.clear();
    b.groups.find(packet.u32(b.field), groups_);
    for (const std::uint32_t group : groups_) hits_.insert(hits_.end(), b.positions[group].begin(), b.positions[group].end());
  }
  if (hits_.size() < 2) return hits_;
  std::sort(hits_.begin(), hits_.end());
  hits_.erase(std::unique(hits_.begin(), hits_.end()), hits_.end());
  return hits_;
}

}  // namespace egt::engine
