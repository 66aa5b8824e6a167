// Paths through nodes whose OpenFlow flows are not what the logical flows ask for.
#pragma once

#include <memory>
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
  explicit LaggingNodes(const cluster::Cluster& cluster) : cluster_(cluster), judged_(std::make_shared<Judged>(cluster)) {}
  // What the whole cluster's judges; `part` has nodes of it alone.
  LaggingNodes(const cluster::Cluster& part, const LaggingNodes& whole) : cluster_(part), judged_(whole.judged_) {}

  // A dump that lacks flows, or an ovn-controller that lags, may change the path: of the packet and of those that follow it.
  void assume_current(PathReport& path, const Words& words) const;
  const std::optional<Agreement>& agreement(const cluster::Node& node) const;

 private:
  using Judged = cluster::PerNode<std::optional<Agreement>>;

  void assume_current_on(PathReport& path, const std::string& node, const Words& words) const;
  void assume_disconnected(PathReport& path, const cluster::Node& node, const Words& words) const;
  void assume_drop_stays(PathReport& path, const std::string& node, const Words& words) const;

  const cluster::Cluster& cluster_;
  std::shared_ptr<const Judged> judged_;
};

}  // namespace egt::explain
