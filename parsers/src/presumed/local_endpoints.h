// Endpoints of services on one node, to which it sends packets from outside itself where the service has externalTrafficPolicy Local.
#pragma once

#include <vector>

#include "presumed/facts.h"

namespace egt::parsers::presumed {

struct LocalEndpoint {
  IpAddr address;
  std::uint16_t port = 0;
};

// Of one port of the service, of one family.
std::vector<LocalEndpoint> local_endpoints_of(const cluster::Service& service, const cluster::ServicePort& port, Family family,
                                              const NodeFacts& facts, const cluster::Objects& objects);
// Whether one of the service's endpoints on the node is the node itself: it is no other to OVN-Kubernetes then than one of policy Cluster.
bool has_host_endpoint(const cluster::Service& service, const NodeFacts& facts, const cluster::Objects& objects);

}  // namespace egt::parsers::presumed
