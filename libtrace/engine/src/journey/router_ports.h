// Ports of OVN's routers with the logical switches behind them, by node.
#pragma once

#include <string_view>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/cluster/per_node.h"

namespace egt::engine {

// `logical_switch` empty: none, or no dump shows.
struct RouterPort {
  const ovn::LogicalPort* port = nullptr;
  std::string_view logical_switch;
};

class RouterPorts {
 public:
  explicit RouterPorts(const cluster::Cluster& cluster) : per_node_(cluster) {}
  const std::vector<RouterPort>& of(const cluster::Node& node) const;

 private:
  cluster::PerNode<std::vector<RouterPort>> per_node_;
};

}  // namespace egt::engine
