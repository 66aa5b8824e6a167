// The pods that a snapshot knows, from Kubernetes objects and from Open vSwitch's interfaces alike.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/cluster/cluster.h"

namespace egt::assess {

struct KnownPod {
  std::string namespace_, name, node;
  std::vector<IpAddr> addresses;
  bool host_network = false;
  const cluster::Pod* object = nullptr;  // null: only Open vSwitch tells of it

  std::string full_name() const { return namespace_ + "/" + name; }
  const IpAddr* address(Family family) const;
  // Key of the user-defined network by which it sends; empty: the default one.
  std::string_view network() const;
};

// By namespace and name. Pods that have ended (no address) are left out.
std::vector<KnownPod> known_pods(const cluster::Cluster& cluster);
// But for those with a primary user-defined network.
std::vector<KnownPod> pods_of_default_network(std::vector<KnownPod> pods);
// Key of the network of a namespace's pods and services: user-defined ones are shared by all pods of a namespace, and a service
// is that of its own network alone. Empty: the default one.
std::string_view network_of(const std::vector<KnownPod>& pods, std::string_view name_space);
// Those of one namespace, of such a list.
std::span<const KnownPod> pods_in(const std::vector<KnownPod>& pods, std::string_view name_space);

}  // namespace egt::assess
