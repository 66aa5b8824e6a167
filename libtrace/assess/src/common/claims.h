// Which pods the egress objects select, and with which source those pods are to leave.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/pods.h"

namespace egt::assess {

// What one object implies to one pod, for one address family.
struct EgressClaim {
  enum class Kind : std::uint8_t { egress_ip, egress_service, external_route };
  Kind kind = Kind::egress_ip;
  std::string object;  // "EgressIP project", "EgressService shop/cart"
  Family family = Family::v4;
  std::vector<IpAddr> addresses;   // sources that may be seen outside; external_route: its gateways
  std::vector<std::string> nodes;  // that host the addresses; same order; empty for external_route
  // Whether any layer of any node knows the pod as one of the object's, while it knows others: a pod that none knows
  // was never taken up, or the objects are of another moment than the dumps.
  bool taken_up = true;
  Provenance from;
};

class EgressClaims {
 public:
  EgressClaims(const cluster::Cluster& cluster, const std::vector<KnownPod>& pods, const cluster::NodeBudget& budget = {});
  // The claim that counts: an EgressService outweighs an EgressIP (policy priorities 101 and 100 of OVN-Kubernetes).
  const EgressClaim* of(const std::string& pod, Family family) const;

 private:
  void add(const std::string& pod, EgressClaim claim);
  std::map<std::pair<std::string, Family>, EgressClaim> claims_;
};

// Pods that an EgressIP selects: by namespace and pod labels; pods of the host's network never.
std::vector<const KnownPod*> selected_by(const cluster::EgressIp& eip, const cluster::Objects& objects,
                                         const std::vector<KnownPod>& pods);
std::vector<const KnownPod*> selected_by(const cluster::ExternalRoute& route, const cluster::Objects& objects,
                                         const std::vector<KnownPod>& pods);
// Endpoints that take connections, from EndpointSlices; where the snapshot has none of the service, pods that its
// selector picks.
std::vector<cluster::ServiceEndpoint> endpoints_of(const cluster::Service& service, const cluster::Objects& objects,
                                                   const std::vector<KnownPod>& pods);

// Which part of a node answers for an egress IP: OVN's gateway router (the network of the node's primary address), or
// the host's own stack (any other network).
enum class EgressNetwork : std::uint8_t { ovn, host, unknown };
EgressNetwork egress_network(const cluster::Cluster& cluster, const IpAddr& egress_ip, const std::string& node);

}  // namespace egt::assess
