// Destinations that stand for "outside" and "another node" when nobody names one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/pods.h"
#include "egtrace/cluster/cluster.h"

namespace egt::assess {

bool is_cluster_node(const cluster::Node& node);

// An address outside the cluster: that of a server in the snapshot, on a network that no cluster node has a leg in;
// else an address of the documentation networks (RFC 5737, RFC 3849), which only a default route leads to.
IpAddr outside(const cluster::Cluster& cluster, Family family);
// The address by which other machines reach a node: of its Node object, else the first global one of br-ex-like
// devices.
std::optional<IpAddr> node_address(const cluster::Cluster& cluster, const std::string& node, Family family);
// What stands for "a service" of a network (KnownPod::network()): of those with an address, a port and endpoints one with the fewest, as each endpoint is a path
// of its own and what others see of the sender seldom differs between them; of several the first. Null: there is none.
const cluster::Service* few_endpoints_service(const cluster::Cluster& cluster, const std::vector<KnownPod>& pods, std::string_view network);
// Names of cluster nodes, from objects and dumps, sorted.
std::vector<std::string> cluster_nodes(const cluster::Cluster& cluster);

}  // namespace egt::assess
