// How much memory the nodes of a cluster may take that were read.
#pragma once

#include <cstdint>

#include "egtrace/cluster/cluster.h"

namespace egt::cluster {

class NodeBudget {
 public:
  NodeBudget() = default;  // without a limit
  // Bytes of the heap, whatever takes them. 0: without a limit.
  explicit NodeBudget(std::uint64_t most) : most_(most) {}

  bool is_exceeded() const;
  // Reads them, as many as there is room for. `jobs`: threads, 0: one a processor.
  void read_ahead(const Cluster& cluster, unsigned jobs) const;
  // Those that were read are read again on their next use. The caller must not keep pointers into a node.
  void put_away(const Cluster& cluster) const;

  // Each node in turn, read. Where they take more than they may, those that were read are put away, so that the caller must not
  // keep pointers into a node; without a limit none is.
  template <class Use>
  void for_each(const Cluster& cluster, Use use) const {
    for (const NodeHandle& node : cluster.nodes) {
      use(*node);
      if (is_exceeded()) put_away(cluster);
    }
  }

 private:
  std::uint64_t most_ = 0;
};

}  // namespace egt::cluster
