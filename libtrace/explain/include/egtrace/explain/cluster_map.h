// What a snapshot's nodes are and what joins them, to be drawn: networks on which several of them have an address, tunnels
// between their switches, and what leaves the cluster by which of them.
#pragma once

#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/explain/explanation.h"

namespace egt::explain {

struct MapNode {
  std::string name;
  std::vector<std::string> roles;      // as `inspect` has them; empty: an object names it, and no dump is of it
  std::vector<std::string> addresses;  // on the networks of the map
  std::size_t pods = 0;                // by the objects
  std::vector<std::string> egress;     // "EgressIP shop 192.0.2.7", "EgressService shop/front"
  bool presumed = false;               // no dump has its network stack
  bool has_dumps = true;
  bool is_cluster_node = false;
};

struct MapNetwork {
  struct Port {
    std::size_t node = 0;
    std::string device, address;
  };
  std::string prefix;
  std::vector<Port> ports;  // of two nodes at least
};

struct MapTunnel {
  std::size_t from = 0, to = 0;  // nodes, from < to
  std::string type;              // "geneve"
  bool bidirectional = false;    // each has a port that leads to the other
  Evidence evidence;             // ports
};

struct ClusterMap {
  std::vector<MapNode> nodes;        // by name
  std::vector<MapNetwork> networks;  // by prefix
  std::vector<MapTunnel> tunnels;
};

// Reads all nodes.
ClusterMap map_cluster(const cluster::Cluster& cluster);

}  // namespace egt::explain
