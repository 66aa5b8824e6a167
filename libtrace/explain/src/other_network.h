// Pods whose packets go by another network than the cluster's default one.
#pragma once

#include <optional>

#include "egtrace/cluster/pod_networks.h"
#include "egtrace/explain/explanation.h"
#include "egtrace/explain/point.h"
#include "phrases/words.h"

namespace egt::explain {

// Null: it is no pod with networks of its own, or the snapshot has no object of it.
const cluster::Pod* object_of(const Resolved& end, const cluster::Objects& objects);

// By which network the pod's own routes lead to the destination, where it is none that the question names.
struct SendingNetwork {
  std::string name;       // as of Point::network
  bool is_walked = true;  // the sender is resolved on it
  bool is_usual = true;   // it is the one that has the default route, and nothing leaves another one open
};
std::optional<SendingNetwork> sending_network(const Resolved& from, const IpAddr& destination, const cluster::Objects& objects,
                                              const cluster::SeenNetworks& seen);

// Leaves the packet's fate open where one of the two is a pod on a network of which no dump shows enough, or the sender would not
// send by the network that the question names.
std::optional<PathReport> path_on_other_network(const Resolved& from, const Resolved& to, const IpAddr& destination,
                                                const Words& words, const cluster::SeenNetworks& seen);

}  // namespace egt::explain
