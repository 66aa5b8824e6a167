// What is found out about each node of a cluster when it is first needed, on whatever thread.
#pragma once

#include <unordered_map>

#include "egtrace/base/published.h"
#include "egtrace/cluster/cluster.h"

namespace egt::cluster {

template <class T>
class PerNode {
 public:
  // The nodes of the cluster must stay what they are.
  explicit PerNode(const Cluster& cluster) {
    for (const NodeHandle& node : cluster.nodes) known_.try_emplace(node.identity());
  }
  // `node`: one of the cluster's.
  template <class Make>
  const T& of(const Node& node, Make make) const {
    return known_.at(&node).get_or(make);
  }

 private:
  std::unordered_map<const Node*, MadeOnce<T>> known_;
};

}  // namespace egt::cluster
