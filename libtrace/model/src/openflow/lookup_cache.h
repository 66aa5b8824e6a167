// What lookups in one table found. A table looks at some fields only: packets that agree in all of these have the same
// answer there, whatever else they are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "egtrace/base/fold.h"
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
    make_places();
  }

  // Two words at a time, so that a multiplication waits for every other one only.
  std::uint64_t hash(const FlowKey& key) const {
    std::uint64_t hash = kSeed;
    std::size_t i = 0;
    for (; i + 1 < mask_.size(); i += 2) hash = fold_product(word(key, i) ^ kFactor, word(key, i + 1) ^ hash);
    if (i < mask_.size()) hash = fold_product(word(key, i) ^ kFactor, hash);
    return hash;
  }
  // `hash`: the packet's.
  std::optional<Lookup> find(std::uint64_t hash, const FlowKey& key) const {
    const std::size_t at = place(hash);
    __builtin_prefetch(words_.data() + at * mask_.size());  // both are seldom in the processor's cache
    const CachedLookup& e = entries_[at];
    if (!e.used || e.hash != hash || !agrees(at, key)) return std::nullopt;
    if (e.long_one != kShort) return long_ones_[e.long_one];
    Lookup found;
    found.hit = e.hit;
    return found;
  }
  // In place of what was there.
  void put(std::uint64_t hash, const FlowKey& key, const Lookup& found) {
    if (entries_[place(hash)].used && ++displaced_ > entries_.size() / 2) grow();
    const std::size_t at = place(hash);
    CachedLookup& e = entries_[at];
    e.used = true;
    e.hash = hash;
    e.hit = found.hit;
    for (std::size_t i = 0; i < mask_.size(); ++i) words_[at * mask_.size() + i] = word(key, i);
    e.long_one = kShort;
    if (found.conj_id == 0 && found.ties.empty() && found.conjunction.empty()) return;
    e.long_one = static_cast<std::uint32_t>(long_ones_.size());
    long_ones_.push_back(found);
    if (long_ones_.size() >= kMostLongOnes) make_places();
  }

 private:
  static constexpr unsigned kFewBits = 5, kMostBits = 11, kMoreBits = 2;
  static constexpr std::uint64_t kSeed = 0x9e3779b97f4a7c15ULL, kFactor = 0xd6e8feb86659fd93ULL;
  static constexpr std::uint32_t kShort = ~std::uint32_t{0};
  static constexpr std::size_t kMostLongOnes = std::size_t{1} << (kMostBits + 2);

  // An answer is a flow and nothing else, mostly.
  struct CachedLookup {
    std::uint64_t hash = 0;
    FlowIndex hit = kNoFlow;
    std::uint32_t long_one = kShort;  // index into long_ones_
    bool used = false;
  };

  std::uint64_t word(const FlowKey& key, std::size_t i) const { return key.word(mask_[i].word) & mask_[i].mask; }
  std::size_t place(std::uint64_t hash) const { return hash >> (64 - bits_); }
  bool agrees(std::size_t at, const FlowKey& key) const {
    const std::uint64_t* words = words_.data() + at * mask_.size();
    for (std::size_t i = 0; i < mask_.size(); ++i)
      if (words[i] != word(key, i)) return false;
    return true;
  }

  // What was known is found again soon enough.
  void make_places() {
    entries_.assign(std::size_t{1} << bits_, {});
    words_.assign(entries_.size() * mask_.size(), 0);
    long_ones_.clear();
  }
  void grow() {
    displaced_ = 0;
    if (bits_ == kMostBits) return;
    bits_ += kMoreBits;
    make_places();
  }

  std::vector<MaskWord> mask_;  // all that the table looks at
  unsigned bits_ = kFewBits;
  std::vector<CachedLookup> entries_;
  std::vector<std::uint64_t> words_;  // of the entries' packets, masked
  std::vector<Lookup> long_ones_;
  std::size_t displaced_ = 0;
};

}  // namespace egt::openflow
