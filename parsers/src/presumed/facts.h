// What databases, objects and annotations show of a node's host of which there are no dumps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "presumed/networks.h"

namespace egt::parsers::presumed {

struct NodeFacts {
  std::string node;
  bool nft_alone = false;         // the host's rules are nft's, as of releases without iptables
  std::string bridge = "br-ex";   // annotation l3-gateway-config
  bool local_gateway = false;     // traffic of pods leaves through the host: by the routes, or by the annotation
  bool tagged = false;            // the gateway router is in a VLAN of the external bridge
  std::optional<MacAddr> mac;     // of the bridge, and of the gateway router's outer port
  std::vector<Prefix> addresses;  // of the bridge
  std::vector<IpAddr> next_hops;  // of the default routes
  std::string localnet;           // the localnet port behind the bridge's patch port
  std::optional<MacAddr> management_mac;
  std::vector<Prefix> management;       // addresses of the management port, with the pods' subnet
  std::vector<IpAddr> router;           // of the node's subnets
  std::vector<Prefix> cluster_subnets;  // pods of all nodes
  std::vector<Prefix> services;
  std::vector<Prefix> masquerade;       // with the host's own address in it
  std::vector<Prefix> other_addresses;  // of further devices
  std::vector<OtherNetwork> other_networks;
  struct MarkedEgressIp {
    std::uint32_t mark = 0;
    IpAddr address;
  };
  std::vector<MarkedEgressIp> marked_egress_ips;  // that the bridge gives to packets of user-defined networks with that mark
};

// From the node's databases, and, where there is one, its Kubernetes object.
NodeFacts facts_of(const cluster::Node& node, const cluster::Objects& objects);

}  // namespace egt::parsers::presumed
