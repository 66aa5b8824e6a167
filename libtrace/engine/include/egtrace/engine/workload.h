// The pods behind Open vSwitch interfaces.
#pragma once

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/journey.h"

namespace egt::engine {

// Whether an OVS interface is the host end of a pod's (or VM's) interface rather than a NIC of the node.
bool is_workload(const openflow::Interface& port);
// Its network, from its iface-id, the logical ports and the Kubernetes objects.
PodNetwork workload_network(const cluster::Cluster& cluster, const cluster::Node& node, const openflow::Interface& port);

}  // namespace egt::engine
