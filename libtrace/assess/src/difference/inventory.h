// What a snapshot tells, as text in which the same meaning is the same text.
#pragma once

#include <compare>
#include <set>
#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"

namespace egt::assess {

// What a snapshot tells of as a whole or not at all: a topic on a node, and where that comes from several dumps, which.
struct InventoryScope {
  std::string topic, node, part;  // "rules", "worker-1", "nft"
  friend auto operator<=>(const InventoryScope&, const InventoryScope&) = default;
};

struct InventoryLine {
  InventoryScope scope;
  std::string what, value;
  Provenance from;
};

struct Inventory {
  std::vector<InventoryLine> all;
  std::set<InventoryScope> told;  // of which the snapshot tells everything
};

// Of these topics; "paths" are none of them.
Inventory inventory_of(const cluster::Cluster& cluster, const std::set<std::string>& topics);

}  // namespace egt::assess
