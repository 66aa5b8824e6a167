// Whom a pod's stack reaches on its network: its next hops, and who has an address there.
#pragma once

#include <optional>

#include "device_index.h"
#include "egtrace/engine/workload.h"
#include "router_ports.h"

namespace egt::engine {

// The pod with both of these; null: there is none.
const Workload* workload_with(const Workloads& workloads, const MacAddr& mac, const IpAddr& address);

// The MAC that a pod's stack would send to: of a neighbour on its subnet, or of its gateway.
struct PodNextHop {
  std::optional<MacAddr> mac;
  IpAddr address;
  bool by_convention = false;
};

class PodNeighbours {
 public:
  PodNeighbours(const Workloads& workloads, const DeviceIndex& devices, const RouterPorts& router_ports)
      : workloads_(workloads), devices_(devices), router_ports_(router_ports) {}

  PodNextHop next_hop(const cluster::Node& node, const PodNetwork& pod, const IpAddr& destination) const;
  // Of the pod or node that has the address on the network of the pod; none: no dump shows who has it.
  std::optional<MacAddr> find_mac(const cluster::Node& node, const PodNetwork& pod, const IpAddr& address) const;

 private:
  bool is_on_network(const PodSide& side, const PodNetwork& network) const;

  const Workloads& workloads_;
  const DeviceIndex& devices_;
  const RouterPorts& router_ports_;
};

}  // namespace egt::engine
