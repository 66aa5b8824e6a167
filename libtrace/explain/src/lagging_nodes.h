// Ways over machines of which the flows are not what OVN says.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "agreement.h"
#include "egtrace/cluster/per_node.h"
#include "egtrace/engine/journey.h"
#include "egtrace/explain/explanation.h"
#include "names.h"
#include "words.h"

namespace egt::explain {

// Machines on which the packet met flows that OVN made, or that stand where only OVN makes some.
std::set<std::string> nodes_of_ovn(const engine::Course& course, const cluster::Cluster& cluster, const Names& names);
std::set<std::string> nodes_of_ovn(const WayReport& way);

// Judges each machine once.
class LaggingNodes {
 public:
  explicit LaggingNodes(const cluster::Cluster& cluster) : cluster_(cluster), judged_(cluster) {}

  // What a node was told since, or was not told yet, may change the packet's way: its flows are certain, what OVN wants is
  // not. `over`: the machines that the way rests on.
  void doubt(WayReport& way, const std::set<std::string>& over, const Words& words) const;

 private:
  const cluster::Cluster& cluster_;
  cluster::PerNode<std::optional<Agreement>> judged_;
};

}  // namespace egt::explain
