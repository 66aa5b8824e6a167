#include "egtrace/openflow/subtables.h"

#include <algorithm>

#include "openflow/flow_index.h"

namespace egt::openflow {
namespace {

std::uint32_t pipeline_words_of(const MatchShape& mask) {
  return static_cast<std::uint32_t>(
      std::find_if(mask.begin(), mask.end(), [](const MaskWord& w) { return w.word >= kHeaderWords; }) - mask.begin());
}

MatchHash hash_words(const MatchShape& mask, std::size_t begin, std::size_t end, const FlowKey& key, MatchHash hash = {}) {
  for (std::size_t i = begin; i < end; ++i) hash.add(key.word(mask[i].word) & mask[i].mask);
  return hash;
}

}  // namespace

Subtables::Subtables(const FlowStore& store, const TableIndex& index)
    : store_(&store), index_(index), agreeing_(index.subtables.size()), by_pipeline_(index.subtables.size()) {
  for (const Subtable& s : index_.subtables) {
    const MatchShape& mask = store.shape(s.shape);
    all_.push_back(
        {static_cast<std::uint32_t>(all_.size()), static_cast<std::uint16_t>(s.max_priority), &mask, pipeline_words_of(mask)});
  }
  std::stable_sort(all_.begin(), all_.end(),
                   [](const SubtableView& a, const SubtableView& b) { return a.max_priority > b.max_priority; });
}

const std::vector<char>& Subtables::agreeing_in_pipeline(const FlowKey& key) {
  std::fill(agreeing_.begin(), agreeing_.end(), char{0});
  for (const Stage& stage : index_.stages) {
    const MatchShape& mask = store_->shape(stage.shape);
    if (stage.words > mask.size()) throw_damaged();
    for (const Member& m : find_members(index_, stage, hash_words(mask, 0, stage.words, key).get())) {
      if (m.subtable >= agreeing_.size()) throw_damaged();
      agreeing_[m.subtable] = 1;
    }
  }
  return agreeing_;
}

std::vector<FlowIndex> Subtables::flows(const SubtableView& s) const {
  const Subtable& own = checked_at(index_.subtables, s.number);
  std::vector<FlowIndex> all;
  for (std::uint32_t i = 0; i < own.count; ++i) all.push_back(checked_at(index_.slots, std::size_t{own.begin} + i).flow);
  return all;
}

std::vector<FlowIndex> Subtables::alike_in_pipeline(const SubtableView& s, const FlowKey& key) {
  constexpr unsigned kAskedBeforeSorting = 4;
  const std::uint32_t wanted = s.pipeline_words == 0 ? 0 : hash_words(*s.mask, 0, s.pipeline_words, key).get();
  ByPipeline& known = by_pipeline_[s.number];
  std::vector<FlowIndex> all;
  if (++known.asked <= kAskedBeforeSorting) {
    all = flows(s);
    std::erase_if(all, [&](FlowIndex i) { return store_->ref(i).pipeline_hash != wanted; });
    return all;
  }
  if (known.sorted.empty()) {
    for (const FlowIndex i : flows(s)) known.sorted.emplace_back(store_->ref(i).pipeline_hash, i);
    std::sort(known.sorted.begin(), known.sorted.end());
  }
  for (auto at = std::lower_bound(known.sorted.begin(), known.sorted.end(), std::pair(wanted, FlowIndex{0}));
       at != known.sorted.end() && at->first == wanted; ++at)
    all.push_back(at->second);
  return all;
}

FlowIndex Subtables::best(const SubtableView& s, const FlowKey& key) const {
  const Subtable& own = checked_at(index_.subtables, s.number);
  const std::uint32_t hash = hash_words(*s.mask, 0, s.mask->size(), key).get();
  const std::size_t bucket = std::size_t{own.buckets} + bucket_of(hash, own.bits & 31);
  const std::uint32_t end = checked_at(index_.buckets, bucket + 1);
  FlowIndex best = kNoFlow;
  for (std::uint32_t i = index_.buckets[bucket]; i < end; ++i) {
    const Slot& slot = checked_at(index_.slots, std::size_t{own.begin} + i);
    if (slot.hash != hash || !matches(store_->match(slot.flow), key)) continue;
    const auto rank = [this](FlowIndex flow) { return std::pair(~std::uint64_t{store_->ref(flow).priority}, flow); };
    if (best == kNoFlow || rank(slot.flow) < rank(best)) best = slot.flow;
  }
  return best;
}

void Subtables::read_match(FlowIndex flow, std::vector<MatchWord>& out) const { store_->read_match(flow, out); }

}  // namespace egt::openflow
