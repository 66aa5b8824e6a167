// The pods that a snapshot knows, from Kubernetes objects and from Open vSwitch's interfaces alike.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/cluster/node_budget.h"

namespace egt::assess {

struct KnownPod {
  std::string namespace_, name, node;
  std::vector<IpAddr> addresses;
  bool host_network = false;
  const cluster::Pod* object = nullptr;  // null: only Open vSwitch mentions it

  std::string full_name() const { return namespace_ + "/" + name; }
  const IpAddr* address(Family family) const;
  // Key of the user-defined network by which it sends; empty: the default one.
  std::string_view network() const;
};

// By namespace and name. Pods that have ended (no address) are left out. With a limited budget the caller must not keep
// pointers into a node.
std::vector<KnownPod> known_pods(const cluster::Cluster& cluster, const cluster::NodeBudget& budget = {});
// But for those with a primary user-defined network.
std::vector<KnownPod> pods_of_default_network(std::vector<KnownPod> pods);
// Those of one namespace, of such a list.
std::span<const KnownPod> pods_in(const std::vector<KnownPod>& pods, std::string_view name_space);

// Those that a peer of a policy surely selects, of such a list: not more than `most`.
std::vector<const KnownPod*> pods_of(const cluster::PolicyPeer& peer, const cluster::Objects& objects,
                                     const std::vector<KnownPod>& pods, std::size_t most = SIZE_MAX);

// The networks of namespaces: a user-defined one is that of all pods of a namespace, and a service is one of its own network alone.
// The pods must outlive it.
class NamespaceNetworks {
 public:
  explicit NamespaceNetworks(const std::vector<KnownPod>& pods);
  std::string_view of(std::string_view name_space) const;  // as KnownPod::network()

 private:
  std::map<std::string_view, std::string_view> networks_;  // but the default one
};

}  // namespace egt::assess
