// Finding the flows of one table that may match a packet; the arrays are those of compiled_flows.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "egtrace/openflow/compiled_flows.h"
#include "openflow/flow_store.h"

namespace egt::openflow {

// An index that owns its arrays.
struct OwnedIndex {
  std::vector<Subtable> subtables;
  std::vector<Stage> stages;
  std::vector<Partition> partitions;
  std::vector<Member> members;
  std::vector<Slot> slots;
  std::vector<std::uint32_t> buckets;
  TableIndex view() const { return {subtables, stages, partitions, members, slots, buckets}; }
};

OwnedIndex build_index(const FlowStore& store, std::span<const FlowRun> runs);

constexpr std::uint32_t bucket_of(std::uint32_t hash, std::uint32_t bits) { return bits == 0 ? 0 : hash >> (32 - bits); }

// The members of the partition of `stage` that has this hash.
inline std::span<const Member> find_members(const TableIndex& index, const Stage& stage, std::uint32_t wanted) {
  const std::uint32_t places = std::uint32_t{1} << (stage.bits & 31);
  std::uint32_t at = bucket_of(wanted, stage.bits & 31);
  for (std::uint32_t tried = 0; tried < places; ++tried, at = (at + 1) & (places - 1)) {
    const Partition& p = checked_at(index.partitions, std::size_t{stage.partitions} + at);
    if (p.count == 0) return {};
    if (p.hash != wanted) continue;
    if (std::size_t{p.begin} + p.count > index.members.size()) throw_damaged();
    return index.members.subspan(p.begin, p.count);
  }
  return {};
}

// Calls take(flow) for flows that match by their hash; some may not. least() is asked again and again for the
// lowest priority that is still of interest.
template <class Least, class Take>
void for_candidates(const TableIndex& index, const FlowStore& store, const FlowKey& key, Least least, Take take) {
  for (const Stage& stage : index.stages) {
    if (stage.max_priority < least()) break;
    const MatchShape& shape = store.shape(stage.shape);
    if (stage.words > shape.size()) throw_damaged();
    MatchHash pipeline;
    for (std::uint32_t i = 0; i < stage.words; ++i) pipeline.add(key.word(shape[i].word) & shape[i].mask);
    for (const Member& member : find_members(index, stage, pipeline.get())) {
      if (member.max_priority < least()) break;
      const Subtable& s = checked_at(index.subtables, member.subtable);
      const MatchShape& mask = store.shape(s.shape);
      MatchHash hash = pipeline;
      for (std::size_t i = stage.words; i < mask.size(); ++i) hash.add(key.word(mask[i].word) & mask[i].mask);
      const std::uint32_t h = hash.get();
      const std::size_t bucket = std::size_t{s.buckets} + bucket_of(h, s.bits & 31);
      const std::uint32_t end = checked_at(index.buckets, bucket + 1);
      for (std::uint32_t i = index.buckets[bucket]; i < end; ++i) {
        const Slot& slot = checked_at(index.slots, std::size_t{s.begin} + i);
        if (slot.hash == h) take(slot.flow);
      }
    }
  }
}

}  // namespace egt::openflow
