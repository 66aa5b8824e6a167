// Which bits of a packet a table lookup depended on (lib/classifier.c). For one thread: what was read of flows is kept.
//
// The switch looks through subtables, one for each shape of mask, in four stages: metadata, Ethernet, network,
// transport. A stage at which no flow of the subtable agrees ends the search there, and prefix tries of addresses and
// ports end it with fewer bits still. What was looked at until then is what the megaflow must match.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "egtrace/openflow/conjunctions.h"
#include "egtrace/openflow/flow_lookup.h"
#include "egtrace/openflow/subtables.h"

namespace egt::engine::ofproto {

class TableWildcards {
 public:
  // `tries`: of so many of openflow::AddressField the switch keeps prefix tries; it depends on its version.
  TableWildcards(const openflow::FlowTables& flows, openflow::FlowLookup& lookup, std::uint8_t table, std::size_t tries);
  ~TableWildcards();
  // Adds to `wc` what a lookup of `key` looks at.
  void add(const FlowKey& key, FlowKey& wc);

 private:
  struct Subtable;
  struct Seen;
  struct Lookup;
  struct Hit {
    openflow::FlowIndex flow = openflow::kNoFlow;
    std::uint16_t priority = 0;
    bool conjunctive = false;
  };
  Hit look_up(const Subtable& s, Lookup& lookup);
  Hit hit(openflow::FlowIndex flow) const;
  void miss_ports(const Subtable& s, Lookup& lookup);
  bool tries_fail(const Subtable& s, Lookup& lookup) const;
  bool agrees(const Subtable& s, std::size_t index, std::uint64_t hash, const FlowKey& key);
  unsigned port_bits(const Subtable& s, std::uint32_t ports);
  void search(const FlowKey& key, FlowKey& wc, bool with_conjunctions);
  bool conjunction_holds(std::span<const Hit> hits, const FlowKey& key, FlowKey& wc);
  void search_conjunctions(std::vector<Hit> hits, Hit hard, const FlowKey& key, FlowKey& wc);

  const openflow::FlowTables& flows_;
  openflow::FlowLookup& lookup_;
  std::uint8_t table_;
  openflow::Subtables in_;
  std::vector<Subtable> subtables_;  // by descending priority
  std::size_t pipelines_ = 0;        // distinct masks of the pipeline's fields
  // Of flows that agree in the pipeline's fields, by those and the subtable: read as far as lookups needed.
  std::unordered_map<std::uint64_t, Seen> seen_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> ports_;  // of a subtable's flows, ascending
  std::vector<openflow::MatchWord> match_;
  openflow::MetClauses met_;
  std::vector<char> folded_;
};

}  // namespace egt::engine::ofproto
