// Destinations that stand for "outside" and "another node" when the user names none. Where the budget is limited the caller
// must not keep pointers into a node.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/pods.h"
#include "egtrace/cluster/cluster.h"

namespace egt::assess {

bool is_cluster_node(const cluster::Node& node);

// An address outside the cluster: that of a server in the snapshot, on a network that no cluster node has a leg in;
// else an address of the documentation networks (RFC 5737, RFC 3849), which only a default route leads to.
IpAddr outside(const cluster::Cluster& cluster, Family family, const cluster::NodeBudget& budget = {});
// The address by which other nodes reach a node: of its Node object, else the first global one of br-ex-like
// devices.
std::optional<IpAddr> node_address(const cluster::Cluster& cluster, const std::string& node, Family family);
// What stands for "a service" of each network (KnownPod::network()) that has any: of those with an address, a port and endpoints one with the fewest, as each endpoint is a path
// of its own and what others see of the sender seldom differs between them; of several the first.
std::map<std::string, const cluster::Service*, std::less<>> few_endpoints_services(const cluster::Cluster& cluster,
                                                                                   const std::vector<KnownPod>& pods);
// Names of cluster nodes, from objects and dumps, sorted.
std::vector<std::string> cluster_nodes(const cluster::Cluster& cluster, const cluster::NodeBudget& budget = {});

}  // namespace egt::assess
