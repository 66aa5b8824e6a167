// What a snapshot holds, piece by piece, each with what it means.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/cluster/cluster.h"

namespace egt::assess {

// What a snapshot shows as a whole or not at all: a topic on a node, and where that comes from several dumps, which.
struct InventoryScope {
  std::string topic, node, part;  // "rules", "worker-1", "nft"
  friend auto operator<=>(const InventoryScope&, const InventoryScope&) = default;
};

// The part "iptables", as `nft list ruleset` shows it: no rules of its own.
std::string as_nft_shows(const std::string& front_end);

struct InventoryLine {
  InventoryScope scope;
  std::string what, value;  // as shown
  Provenance from;
  std::string key, meaning;  // what makes two lines those of one thing, and two values the same; empty: `what`, `value`
  std::string lflow = {};    // of a logical flow, or of flows that one has become: its stage, priority and match
  std::uint32_t origin = 0;  // ovn::uuid_prefix() of the northbound row: its own, or the one behind it; 0: none

  std::string address_set = {};  // of the northbound database: its name

  const std::string& object() const { return key.empty() ? what : key; }
  const std::string& effect() const { return meaning.empty() ? value : meaning; }
};

struct Inventory {
  std::vector<InventoryLine> all;
  std::set<InventoryScope> shown;  // of which the snapshot shows everything
};

// "lr_in_policy priority 100 match ip4.src == 10.0.0.1"
std::string lflow_name(std::string_view stage, std::uint16_t priority, std::string_view match);
// Of these topics; "paths" are none of them.
Inventory inventory_of(const cluster::Cluster& cluster, const std::set<std::string>& topics);

}  // namespace egt::assess
