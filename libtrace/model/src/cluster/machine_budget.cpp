#include "egtrace/cluster/machine_budget.h"

#include "egtrace/base/heap.h"
#include "egtrace/base/parallel.h"

namespace egt::cluster {

bool MachineBudget::is_exceeded() const { return most_ != 0 && heap_in_use() > most_; }

// First each by itself, then beside the others.
void MachineBudget::read_ahead(const Cluster& cluster, unsigned jobs) const {
  const std::vector<NodeHandle>& machines = cluster.nodes;
  const auto read = [&](auto one) {
    for_each_index(machines.size(), jobs, 1, [&](std::size_t i) {
      if (!is_exceeded()) one(machines[i]);
    });
  };
  read([](const NodeHandle& machine) { machine.own(); });
  read([](const NodeHandle& machine) { machine.get(); });
}

void MachineBudget::put_away(const Cluster& cluster) const {
  for (const NodeHandle& machine : cluster.nodes) machine.put_away();
  give_back_freed_memory();
}

}  // namespace egt::cluster
