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
  bool shows(const IpAddr& address) const;
  // The entry by which its device sends there; null: it would have to ask.
  const host::Neighbour* neighbour(const IpAddr& address) const;
};

// By the MAC of the port, else by an address of the pod.
PodStack pod_stack(const cluster::Node& node, const PodNetwork& pod);

// The longest packet that a pod's stack sends; of the host's end where no dump shows the pod's own device: OVN-Kubernetes gives both
// the same.
struct PodMtu {
  std::uint32_t bytes = 0;  // 0: not known
  std::string device;       // whose it is
  Provenance from;
  bool is_of_host = false;
};
PodMtu mtu_of(const PodStack& stack, const cluster::Node& node, const openflow::Interface& port);

// What its routes and neighbours make of a packet.
struct PodRoute {
  const char* error = nullptr;     // the errno of a process that the stack refuses; null: it sends
  Cause why;                       // with it
  std::optional<IpAddr> source;    // that the stack selects, where it lacks the packet's
  std::optional<IpAddr> next_hop;  // as the pod's routes have it; empty: they are not dumped
  std::string device;              // with it
  std::optional<MacAddr> mac;      // of the next hop, by the pod's own neighbours
  PodMtu mtu;                      // of the route, where it has one of its own
  std::vector<Assumption> assumptions;
  std::vector<Provenance> evidence;
};
PodRoute pod_route(const PodStack& stack, const FlowKey& packet);

}  // namespace egt::engine
