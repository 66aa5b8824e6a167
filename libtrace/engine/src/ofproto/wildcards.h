// Which bits of a packet a table look-up depended on (lib/classifier.c).
//
// The switch looks through subtables, one for each shape of mask, in four stages: metadata, Ethernet, network,
// transport. A stage at which no flow of the subtable agrees ends the search there, and prefix tries of addresses and
// ports end it with fewer bits still. What was looked at until then is what the megaflow must match.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "egtrace/openflow/flow_table.h"

namespace egt::engine::ofproto {

// Numbers of rules by prefix of a field: trie_lookup_value.
class PrefixTrie {
 public:
  PrefixTrie();
  ~PrefixTrie();
  PrefixTrie(PrefixTrie&&) noexcept;
  PrefixTrie& operator=(PrefixTrie&&) noexcept;
  void insert(U128 value, unsigned length, unsigned bits);  // value: `bits` wide, from the most significant bit
  struct Found {
    unsigned mask_bits = 0;
    std::vector<bool> lengths;
  };
  Found look_up(U128 value, unsigned bits) const;

 private:
  struct Node;
  std::unique_ptr<Node> root_;
};

class TableWildcards {
 public:
  // What differs between releases.
  struct Release {
    bool ipv6_prefixes = false;      // tries of IPv6 addresses, too
    bool whole_port_stage = false;   // a miss at the ports looked at what else their stage has
  };
  TableWildcards(const openflow::FlowTables& flows, std::uint8_t table, Release release);
  ~TableWildcards();
  // Adds to `wc` what a look-up of `key` looks at.
  void add(const FlowKey& key, FlowKey& wc) const;

 private:
  struct Subtable;
  struct TrieState;
  struct Hit {
    bool found = false;
    std::uint16_t priority = 0;
    bool conjunctive = false;
    openflow::FlowIndex flow = 0;
  };
  Hit look_up(const Subtable& s, const FlowKey& key, std::array<TrieState, 4>& tries, FlowKey& wc) const;
  void search(const FlowKey& key, FlowKey& wc, bool with_conjunctions) const;

  const openflow::FlowTables& flows_;
  std::vector<std::unique_ptr<Subtable>> subtables_;  // by descending priority
  std::array<PrefixTrie, 4> tries_;
  std::size_t n_tries_ = 2;
  Release release_;
};

}  // namespace egt::engine::ofproto
