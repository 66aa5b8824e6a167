// Destinations that stand for "outside" and "another node" when nobody names one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"

namespace egt::assess {

struct Target {
  std::string name;
  IpAddr address;
};

bool is_cluster_node(const cluster::Node& node);

// An address outside the cluster: that of a server in the snapshot, on a network that no cluster node has a leg in;
// else an address of the documentation networks (RFC 5737, RFC 3849), which only a default route leads to.
Target outside(const cluster::Cluster& cluster, Family family);
// The address by which other machines reach a node: of its Node object, else the first global one of br-ex-like
// devices.
std::optional<IpAddr> node_address(const cluster::Cluster& cluster, const std::string& node, Family family);
// Names of cluster nodes, from objects and dumps, sorted.
std::vector<std::string> cluster_nodes(const cluster::Cluster& cluster);

}  // namespace egt::assess
