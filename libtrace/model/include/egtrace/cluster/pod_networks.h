// What a pod has on its networks: by which of them it sends, and who has made its interfaces besides the one on the default network.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "egtrace/cluster/objects.h"

namespace egt::cluster {

// What dumps show beside objects, asked where these leave it open.
struct SeenNetworks {
  std::function<bool(const std::string& network, const IpAddr& address)> has;  // a device on the network, by its key, has it
  std::function<std::vector<Prefix>(const Pod& pod, const PodAttachment& on)> addresses_of;  // of a pod's own devices
};

// By which of its networks a pod's stack sends to an address, as far as objects show its routes: the longest prefix wins, and the
// primary network has the default route.
PodWay way_towards(const Objects& objects, const Pod& pod, const IpAddr& address, const SeenNetworks& seen);
// Whether a route of the pod there leads to the address: to one of its subnets, another one that is shown, or by a gateway.
bool has_route_by(const Objects& objects, const Pod& pod, const PodAttachment& on, const IpAddr& address,
                  const SeenNetworks& seen);

// The CNI plugin that has made a pod's interface that OVN-Kubernetes does not list; empty: it has itself.
std::string plugin_of(const Objects& objects, const PodAttachment& on);

}  // namespace egt::cluster
