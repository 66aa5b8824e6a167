// What look-ups in one table found. A table looks at some fields only: packets that agree in all of these have the same
// answer there, whatever else they are.
#pragma once

#include <cstdint>
#include <vector>

#include "egtrace/openflow/flow_table.h"
#include "egtrace/packet/flow_key.h"

namespace egt::openflow {

class LookupCache {
 public:
  // `shapes`: the masks of the table's flows.
  explicit LookupCache(const std::vector<const MatchShape*>& shapes) {
    FlowKey looked_at;
    for (const MatchShape* shape : shapes)
      for (const MaskWord& w : *shape) looked_at.set_word(w.word, looked_at.word(w.word) | w.mask);
    for (std::size_t i = 0; i < kFlowKeyWords; ++i)
      if (looked_at.word(i) != 0) mask_.push_back({static_cast<std::uint8_t>(i), looked_at.word(i)});
    entries_.resize(std::size_t{1} << bits_);
  }

  std::uint64_t hash(const FlowKey& key) const {
    std::uint64_t hash = kSeed;
    for (const MaskWord& w : mask_) {
      hash = (hash ^ (key.word(w.word) & w.mask)) * kFactor;
      hash ^= hash >> 32;
    }
    return hash;
  }
  // Null: not known. `hash`: the packet's.
  const Lookup* find(std::uint64_t hash, const FlowKey& key) const {
    const Entry& e = entry(hash);
    return e.used && e.hash == hash && agrees(e, key) ? &e.found : nullptr;
  }
  // In place of what was there.
  void put(std::uint64_t hash, const FlowKey& key, const Lookup& found) {
    if (entries_[place(hash)].used && ++displaced_ > entries_.size() / 2) grow();
    Entry& e = entries_[place(hash)];
    e.used = true;
    e.hash = hash;
    e.words.clear();
    for (const MaskWord& w : mask_) e.words.push_back(key.word(w.word) & w.mask);
    e.found = found;
  }

 private:
  static constexpr unsigned kFewBits = 5, kMostBits = 11, kMoreBits = 2;
  static constexpr std::uint64_t kSeed = 0x9e3779b97f4a7c15ULL, kFactor = 0xd6e8feb86659fd93ULL;

  struct Entry {
    bool used = false;
    std::uint64_t hash = 0;
    std::vector<std::uint64_t> words;  // of the packet, masked
    Lookup found;
  };
  std::size_t place(std::uint64_t hash) const { return hash >> (64 - bits_); }
  const Entry& entry(std::uint64_t hash) const { return entries_[place(hash)]; }
  bool agrees(const Entry& e, const FlowKey& key) const {
    for (std::size_t i = 0; i < mask_.size(); ++i)
      if (e.words[i] != (key.word(mask_[i].word) & mask_[i].mask)) return false;
    return true;
  }

  // What was known is found again soon enough.
  void grow() {
    displaced_ = 0;
    if (bits_ == kMostBits) return;
    bits_ += kMoreBits;
    entries_.clear();
    entries_.resize(std::size_t{1} << bits_);
  }

  std::vector<MaskWord> mask_;  // all that the table looks at
  unsigned bits_ = kFewBits;
  std::vector<Entry> entries_;
  std::size_t displaced_ = 0;
};

}  // namespace egt::openflow
