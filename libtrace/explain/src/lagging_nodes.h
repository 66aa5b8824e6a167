// Paths through nodes whose OpenFlow flows are not what the logical flows ask for.
#pragma once

#include <optional>
#include <string>

#include "egtrace/cluster/per_node.h"
#include "egtrace/explain/agreement.h"
#include "egtrace/explain/explanation.h"
#include "phrases/words.h"

namespace egt::explain {

// Judges each node once.
class LaggingNodes {
 public:
  explicit LaggingNodes(const cluster::Cluster& cluster) : cluster_(cluster), judged_(cluster) {}

  // A dump that lacks flows, or an ovn-controller that lags, may change the path: of the packet and of those that follow it.
  void assume_current(PathReport& path, const Words& words) const;
  const std::optional<Agreement>& agreement(const cluster::Node& node) const;

 private:
  void assume_current_on(PathReport& path, const std::string& node, const Words& words) const;
  void assume_disconnected(PathReport& path, const cluster::Node& node, const Words& words) const;
  void assume_drop_stays(PathReport& path, const std::string& node, const Words& words) const;

  const cluster::Cluster& cluster_;
  cluster::PerNode<std::optional<Agreement>> judged_;
};

}  // namespace egt::explain
