// What dumps of a pod's own network namespace show of its stack: the device at the other end of its port, whether that can send, and by
// which next hop. What they do not show is as OVN-Kubernetes has set it up.
#pragma once

#include <optional>
#include <string>

#include "egtrace/engine/journey.h"
#include "egtrace/engine/routing.h"

namespace egt::engine {

struct PodStack {
  const host::Host* host = nullptr;    // null: no dump shows it, or what stands there is no pod's plain interface (a VM's)
  const host::Link* device = nullptr;  // with it

  // Whether dumps show all addresses, and this is none of them.
  bool lacks(const IpAddr& address) const;
};

// By the MAC of the port, else by an address of the pod.
PodStack pod_stack(const cluster::Node& node, const PodNetwork& pod);

// What its routes and neighbours make of a packet.
struct PodRoute {
  const char* error = nullptr;     // the errno of a process that the stack refuses; null: it sends
  Cause why;                       // with it
  std::optional<IpAddr> source;    // that the stack selects, where it lacks the packet's
  std::optional<IpAddr> next_hop;  // as the pod's routes have it; empty: they are not dumped
  std::string device;              // with it
  std::optional<MacAddr> mac;      // of the next hop, by the pod's own neighbours
  std::vector<Assumption> assumptions;
  std::vector<Provenance> evidence;
};
PodRoute pod_route(const PodStack& stack, const FlowKey& packet);

}  // namespace egt::engine
