#include "egtrace/cluster/node_budget.h"

#include "egtrace/base/heap.h"
#include "egtrace/base/parallel.h"

namespace egt::cluster {

bool NodeBudget::is_exceeded() const { return most_ != 0 && heap_in_use() > most_; }

// First each by itself, then beside the others.
void NodeBudget::read_ahead(const Cluster& cluster, unsigned jobs) const {
  const std::vector<NodeHandle>& nodes = cluster.nodes;
  const auto read = [&](auto one) {
    for_each_index(nodes.size(), jobs, 1, [&](std::size_t i) {
      if (!is_exceeded()) one(nodes[i]);
    });
  };
  read([](const NodeHandle& node) { node.own(); });
  read([](const NodeHandle& node) { node.get(); });
}

void NodeBudget::put_away(const Cluster& cluster) const {
  for (const NodeHandle& node : cluster.nodes) node.put_away();
  give_back_freed_memory();
}

}  // namespace egt::cluster
