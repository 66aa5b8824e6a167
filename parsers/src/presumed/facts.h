// What databases, objects and annotations tell of a node's host that no dump shows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"

namespace egt::parsers::presumed {

struct NodeFacts {
  std::string bridge = "br-ex";          // annotation l3-gateway-config
  bool local_gateway = false;            // traffic of pods leaves through the host
  std::optional<MacAddr> mac;            // of the bridge, and of the gateway router's outer port
  std::vector<Prefix> addresses;         // of the bridge
  std::vector<IpAddr> next_hops;         // of the default routes
  std::string localnet;                  // the localnet port behind the bridge's patch port
  std::optional<MacAddr> management_mac;
  std::vector<Prefix> management;        // addresses of the management port, with the pods' subnet
  std::vector<IpAddr> router;            // of the node's subnets
  std::vector<Prefix> cluster_subnets;   // pods of all nodes
  std::vector<Prefix> services;
  std::vector<Prefix> masquerade;        // with the host's own address in it
  std::vector<Prefix> other_addresses;   // of further devices
};

// From the node's databases, and, where there is one, its Kubernetes object.
NodeFacts facts_of(const cluster::Node& node, const cluster::Objects& objects);

// An EgressIP that the node serves by another device than its bridge, and the pods that leave by it.
struct ServedEgressIp {
  IpAddr address;
  Prefix device;                         // the address of the device that has its subnet
  std::vector<IpAddr> pods;
};
std::vector<ServedEgressIp> served_egress_ips(const std::string& node, const NodeFacts& facts, const cluster::Objects& objects);

}  // namespace egt::parsers::presumed
