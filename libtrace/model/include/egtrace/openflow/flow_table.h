// The flow tables of one bridge, stored flat: a node may have a million flows.
//
// Match words lie in one pool. Action text is interned and parsed only when a packet meets it, because a walk touches a
// few hundred of a million flows; the parser is handed in so that the model does not know it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/evidence/evidence.h"
#include "egtrace/openflow/action.h"
#include "egtrace/openflow/match.h"

namespace egt::openflow {

using FlowIndex = std::uint32_t;
constexpr FlowIndex kNoFlow = ~FlowIndex{0};
using ActionParser = std::function<ActionList(std::string_view)>;

struct FlowEntry {
  std::uint64_t cookie = 0;
  std::uint64_t n_packets = 0;
  Provenance from;
  std::uint32_t match_begin = 0;   // into the pool of match words
  std::uint32_t actions = 0;       // interned action text
  std::uint16_t priority = 32768;
  std::uint8_t match_words = 0;
  std::uint8_t table = 0;
};

// What a lookup found. `hit` is kNoFlow on a miss.
struct Lookup {
  FlowIndex hit = kNoFlow;
  std::uint32_t conj_id = 0;             // not 0: reached through a conjunctive match
  std::vector<FlowIndex> conjunction;    // the flows that fulfilled its clauses
  std::vector<FlowIndex> ties;           // others of equal priority that match as well: undefined in OpenFlow
};

class FlowTables {
 public:
  explicit FlowTables(ActionParser parser);
  ~FlowTables();
  FlowTables(FlowTables&&) noexcept;
  FlowTables& operator=(FlowTables&&) noexcept;

  void add(std::uint8_t table, std::uint16_t priority, std::uint64_t cookie, std::uint64_t n_packets, MatchView match,
           std::string_view actions, Provenance from);

  std::size_t size() const;
  const FlowEntry& flow(FlowIndex i) const;
  MatchView match(const FlowEntry& f) const;
  const ActionList& actions(const FlowEntry& f) const;       // parsed on first use
  std::string_view actions_text(const FlowEntry& f) const;
  std::vector<FlowIndex> in_table(std::uint8_t table) const;  // by descending priority, then line
  bool has_table(std::uint8_t table) const;

  // Highest priority wins, among equals the first of the dump; conjunctive matches as in lib/classifier.c. The table's
  // index is built by its first lookup and dropped by add. Not thread-safe, like actions().
  Lookup lookup(std::uint8_t table, const FlowKey& key) const;
  // Flows of `table` with a priority above `above_priority` that would match but for one field, by descending
  // priority: for "why not that flow?".
  std::vector<FlowIndex> near_misses(std::uint8_t table, const FlowKey& key, std::uint16_t above_priority) const;
  // The one field in which `f` and `key` disagree; none when they agree or disagree in several.
  std::optional<FieldId> only_mismatch(const FlowEntry& f, const FlowKey& key) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace egt::openflow
