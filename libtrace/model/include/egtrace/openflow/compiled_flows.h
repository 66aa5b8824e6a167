// The flows of a bridge with their index as flat arrays, which may lie in a mapped file as well as in memory.
//
// Flows of one shape make a subtable, in which the masked packet is found by hash, as in lib/classifier.c. Subtables whose
// shapes agree in what they ask of the pipeline (registers, metadata, conntrack) make a stage; the values that a stage
// asks for lead to those of its subtables that hold a flow with them, so that most subtables are never looked into.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "egtrace/openflow/flow_table.h"

namespace egt::openflow {

// A run of flows of one table.
struct FlowRun {
  FlowIndex begin = 0, end = 0;
};

struct Subtable {
  std::uint32_t shape = 0;
  std::uint32_t begin = 0, count = 0;  // of the slots
  std::uint32_t buckets = 0;           // index into `buckets` of its first; (1 << bits) + 1 of them
  std::uint32_t bits = 0;
  std::uint32_t max_priority = 0;
};

struct Stage {
  std::uint32_t shape = 0;  // of one of its subtables; the first `words` of it are the stage's
  std::uint32_t words = 0;
  std::uint32_t partitions = 0;  // index into `partitions` of the first of 1 << bits, a hash table with open addressing
  std::uint32_t bits = 0;
  std::uint32_t max_priority = 0;
};

// Flows of one stage with the same values of the pipeline.
struct Partition {
  std::uint32_t hash = 0;
  std::uint32_t begin = 0, count = 0;  // of the members; count 0: a free place
};

struct Member {
  std::uint32_t subtable = 0;
  std::uint32_t max_priority = 0;  // of the partition's flows in that subtable
};

struct Slot {
  std::uint32_t hash = 0;
  FlowIndex flow = 0;
};

// Of one table.
struct TableIndex {
  std::span<const Subtable> subtables;  // in the order of their first flows
  std::span<const Stage> stages;        // by descending max_priority
  std::span<const Partition> partitions;
  std::span<const Member> members;  // of a partition: by descending max_priority
  std::span<const Slot> slots;
  std::span<const std::uint32_t> buckets;
};

struct CompiledTable {
  std::uint8_t table = 0;
  std::span<const FlowRun> runs;
  TableIndex index;
};

struct CompiledFlows {
  std::span<const FlowRef> flows;
  AddressPrefixes prefixes;
  std::vector<MatchShape> shapes;
  std::vector<CompiledTable> tables;  // ascending, without empty ones
  std::shared_ptr<const FlowText> text;
  // Called before memory of the arrays is looked at for the first time; throws where it is damaged. May be empty.
  std::function<void(const void* begin, std::size_t bytes)> check;
};

}  // namespace egt::openflow
