#include "openflow/flow_index.h"

#include <algorithm>
#include <map>

namespace egt::openflow {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::uint32_t kSlotsOfBucket = 4;

std::uint32_t bits_for(std::size_t n) {
  std::uint32_t bits = 0;
  while (bits < 31 && (std::size_t{1} << bits) < n) ++bits;
  return bits;
}

std::uint32_t pipeline_words(const MatchShape& shape) {
  std::uint32_t n = 0;
  while (n < shape.size() && shape[n].word < kHeaderWords) ++n;
  return n;
}

// The highest priority of each pair of pipeline values (their hash) and subtable. Every flow is asked for.
class HighestPriorities {
 public:
  void see(std::uint32_t hash, std::uint32_t subtable, std::uint32_t priority) {
    const std::uint64_t key = std::uint64_t{hash} << 32 | (subtable + 1);  // 0 is a free slot
    PrioritySlot* slot = &find(key);
    if (slot->key == 0) {
      if (++count_ * 2 > slots_.size()) grow(), slot = &find(key);
      slot->key = key;
    }
    slot->priority = std::max(slot->priority, priority);
  }
  std::size_t size() const { return count_; }
  template <class Do>
  void each(Do what) const {
    for (const PrioritySlot& s : slots_)
      if (s.key != 0) what(static_cast<std::uint32_t>(s.key >> 32), static_cast<std::uint32_t>(s.key) - 1, s.priority);
  }

 private:
  struct PrioritySlot {
    std::uint64_t key = 0;
    std::uint32_t priority = 0;
  };
  PrioritySlot& find(std::uint64_t key) {
    std::size_t i = static_cast<std::size_t>(key * 0x9e3779b97f4a7c15ULL >> 32) & (slots_.size() - 1);
    while (slots_[i].key != 0 && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
    return slots_[i];
  }
  void grow() {
    std::vector<PrioritySlot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const PrioritySlot& s : old)
      if (s.key != 0) find(s.key) = s;
  }

  std::vector<PrioritySlot> slots_ = std::vector<PrioritySlot>(64);
  std::size_t count_ = 0;
};

class Builder {
 public:
  Builder(const FlowStore& store, std::span<const FlowRun> runs)
      : store_(store), runs_(runs), subtable_of_(store.all_shapes().size(), kNone) {}

  OwnedIndex build() {
    each_flow([this](FlowIndex, const FlowRef& f) { count(f); });
    place_subtables();
    each_flow([this](FlowIndex i, const FlowRef& f) { put(i, f); });
    for (Subtable& s : out_.subtables) sort_into_buckets(s);
    for (std::size_t i = 0; i < stages_.size(); ++i) write_stage(i);
    std::stable_sort(out_.stages.begin(), out_.stages.end(),
                     [](const Stage& a, const Stage& b) { return a.max_priority > b.max_priority; });
    return std::move(out_);
  }

 private:
  struct StageFlows {
    std::uint32_t shape = 0, words = 0;
    HighestPriorities members;
  };

  template <class Do>
  void each_flow(Do what) const {
    for (const FlowRun& run : runs_)
      for (FlowIndex i = run.begin; i < run.end; ++i) what(i, store_.ref(i));
  }

  void count(const FlowRef& f) {
    std::uint32_t& at = subtable_of_[f.shape];
    if (at == kNone) {
      at = static_cast<std::uint32_t>(out_.subtables.size());
      Subtable s;
      s.shape = f.shape;
      out_.subtables.push_back(s);
      stage_of_.push_back(stage_for(f.shape));
    }
    Subtable& s = out_.subtables[at];
    ++s.count;
    s.max_priority = std::max<std::uint32_t>(s.max_priority, f.priority);
    stages_[stage_of_[at]].members.see(f.pipeline_hash, at, f.priority);
  }

  std::uint32_t stage_for(std::uint32_t shape) {
    const MatchShape& all = store_.shape(shape);
    const MatchShape own(all.begin(), all.begin() + pipeline_words(all));
    const auto [it, fresh] = stage_ids_.emplace(own, static_cast<std::uint32_t>(stages_.size()));
    if (fresh) stages_.push_back({shape, static_cast<std::uint32_t>(own.size()), {}});
    return it->second;
  }

  void place_subtables() {
    std::uint32_t slots = 0;
    for (Subtable& s : out_.subtables) {
      s.begin = slots;
      slots += s.count;
      s.count = 0;
    }
    out_.slots.resize(slots);
  }

  void put(FlowIndex i, const FlowRef& f) {
    Subtable& s = out_.subtables[subtable_of_[f.shape]];
    out_.slots[s.begin + s.count++] = {f.hash, i};
  }

  void sort_into_buckets(Subtable& s) {
    s.bits = bits_for((s.count + kSlotsOfBucket - 1) / kSlotsOfBucket);
    s.buckets = static_cast<std::uint32_t>(out_.buckets.size());
    out_.buckets.resize(out_.buckets.size() + (std::size_t{1} << s.bits) + 1);
    const std::span<std::uint32_t> ends = std::span(out_.buckets).subspan(s.buckets);
    const std::span<Slot> slots = std::span(out_.slots).subspan(s.begin, s.count);
    for (const Slot& slot : slots) ++ends[bucket_of(slot.hash, s.bits) + 1];
    for (std::size_t b = 1; b < ends.size(); ++b) ends[b] += ends[b - 1];
    if (s.bits == 0) return;
    std::vector<std::uint32_t> next(ends.begin(), ends.end() - 1);
    const std::vector<Slot> unsorted(slots.begin(), slots.end());
    for (const Slot& slot : unsorted) slots[next[bucket_of(slot.hash, s.bits)]++] = slot;
  }

  void write_stage(std::size_t which) {
    const StageFlows& flows = stages_[which];
    struct StageMember {
      std::uint32_t hash, priority, subtable;
    };
    std::vector<StageMember> members;
    members.reserve(flows.members.size());
    flows.members.each([&](std::uint32_t hash, std::uint32_t subtable, std::uint32_t priority) {
      members.push_back({hash, priority, subtable});
    });
    std::sort(members.begin(), members.end(), [](const StageMember& a, const StageMember& b) {
      if (a.hash != b.hash) return a.hash < b.hash;
      return a.priority != b.priority ? a.priority > b.priority : a.subtable < b.subtable;
    });
    std::vector<Partition> found;
    Stage stage{flows.shape, flows.words, static_cast<std::uint32_t>(out_.partitions.size()), 0, 0};
    for (const StageMember& member : members) {
      if (found.empty() || found.back().hash != member.hash)
        found.push_back({member.hash, static_cast<std::uint32_t>(out_.members.size()), 0});
      ++found.back().count;
      out_.members.push_back({member.subtable, member.priority});
      stage.max_priority = std::max(stage.max_priority, member.priority);
    }
    stage.bits = bits_for(found.size() + found.size() / 2);
    out_.partitions.resize(out_.partitions.size() + (std::size_t{1} << stage.bits));
    const std::span<Partition> places = std::span(out_.partitions).subspan(stage.partitions);
    for (const Partition& p : found) {
      std::size_t at = bucket_of(p.hash, stage.bits);
      while (places[at].count != 0) at = (at + 1) & (places.size() - 1);
      places[at] = p;
    }
    out_.stages.push_back(stage);
  }

  const FlowStore& store_;
  std::span<const FlowRun> runs_;
  std::vector<std::uint32_t> subtable_of_;  // by shape
  std::vector<std::uint32_t> stage_of_;     // by subtable
  std::map<MatchShape, std::uint32_t> stage_ids_;
  std::vector<StageFlows> stages_;
  OwnedIndex out_;
};

}  // namespace

OwnedIndex build_index(const FlowStore& store, std::span<const FlowRun> runs) { return Builder(store, runs).build(); }

}  // namespace egt::openflow
