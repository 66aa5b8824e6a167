// Lookups in flow tables, and what one thread keeps of them: scratch memory, and what earlier lookups found. The tables
// themselves are read only, so that any number of threads may look into them, each with a FlowLookup of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "egtrace/openflow/flow_table.h"

namespace egt::openflow {

// What a lookup found. `hit` is kNoFlow on a miss.
struct Lookup {
  FlowIndex hit = kNoFlow;
  std::uint32_t conj_id = 0;           // not 0: reached through a conjunctive match
  std::vector<FlowIndex> conjunction;  // the flows that fulfilled its clauses
  std::vector<FlowIndex> ties;         // others of equal priority that match as well: undefined in OpenFlow
};

class FlowLookup {
 public:
  // Good until flows are added; `flows` must outlive it.
  explicit FlowLookup(const FlowTables& flows);
  ~FlowLookup();
  FlowLookup(FlowLookup&&) noexcept;

  // Highest priority wins, among equals the first of the dump; conjunctive matches as in lib/classifier.c. The table's
  // index is built when it was asked a few times.
  Lookup lookup(std::uint8_t table, const FlowKey& key);
  // Indexes are worth their while from the first lookup on.
  void expect_many();
  // Flows that match `key` as well as `winner` does, with a lower priority: what would take the packet without it, by
  // descending priority. Flows of conjunctions are left out, as they match only together.
  std::vector<FlowIndex> shadowed(std::uint8_t table, const FlowKey& key, FlowIndex winner);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One thread's lookups in the tables of any number of bridges.
class LookupSession {
 public:
  // `flows` must outlive the session, and not change.
  FlowLookup& in(const FlowTables& flows) {
    if (last_ != &flows) {
      const auto [at, fresh] = known_.try_emplace(&flows, flows);
      if (fresh && many_) at->second.expect_many();
      last_ = &flows;
      of_last_ = &at->second;
    }
    return *of_last_;
  }
  // Of tables that were not asked so far.
  void expect_many() { many_ = true; }

 private:
  std::unordered_map<const FlowTables*, FlowLookup> known_;
  const FlowTables* last_ = nullptr;  // most packets stay in one bridge for many tables
  FlowLookup* of_last_ = nullptr;
  bool many_ = false;
};

}  // namespace egt::openflow
