#include "topology.h"

#include "ovn/logical_node.h"

namespace egt::engine {

Topology::Topology(const cluster::Cluster& cluster)
    : workloads_(cluster),
      devices_(cluster),
      router_ports_(cluster),
      pod_neighbours_(workloads_, devices_, router_ports_),
      stale_neighbours_(cluster, workloads_, devices_),
      neighbours_(cluster, workloads_, devices_, router_ports_) {}

const LogicalNode& Topology::logical(const cluster::Node& node) const {
  return *logical_.get_or(&node, [&] { return std::make_shared<const LogicalNode>(node); });
}

}  // namespace egt::engine
