// User-defined networks that a node has a gateway router for: what OVN-Kubernetes makes of each on the host.
#pragma once

#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"

namespace egt::parsers::presumed {

constexpr unsigned kFirstPacketMark = 4096;  // and a network's id (pktMarkBase of node/gateway_udn.go)

// A primary user-defined network whose gateway router stands on the node, behind the default network's bridge.
struct OtherNetwork {
  std::string localnet;            // its localnet port
  std::vector<IpAddr> masquerade;  // behind which its packets come to the bridge
  std::uint32_t id = 0;            // that of the network: its marks follow from it

  // Of its VRF; no device: what the host does with its packets follows from more than databases and objects show.
  std::string device;  // the management port's: ovn-k8s-mp3
  std::string logical_port, vrf;
  std::optional<MacAddr> mac;
  std::vector<Prefix> management;            // addresses of that device, with the length of their subnet
  std::vector<IpAddr> router;                // that its routes lead to, in the same subnets
  std::vector<Prefix> subnets;               // of all nodes, of layer 3
  std::optional<MacAddr> router_mac;         // that answers for the other addresses of the device's link
  std::vector<IpAddr> management_addresses;  // of the masquerade subnet: behind which packets come to the device

  bool has_host() const { return !device.empty(); }
};

// Null where the node has none.
const ovn::LogicalPort* port_named(const cluster::Node& node, const std::string& name, bool on_router);
std::vector<OtherNetwork> other_networks(const cluster::Node& node, const cluster::Objects& objects);
// The default network's localnet port; empty: the node has none.
std::string own_localnet(const cluster::Node& node);

}  // namespace egt::parsers::presumed
