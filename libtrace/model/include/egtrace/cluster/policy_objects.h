// Kubernetes objects that promise something about traffic and that walks never ask: who leaves by a gateway of its own,
// which endpoints a service has, whom a policy isolates. Read on demand (parsers/policy_objects.h).
#pragma once

#include <string>
#include <vector>

#include "egtrace/cluster/objects.h"

namespace egt::cluster {

// AdminPolicyBasedExternalRoute: pods of these namespaces leave by gateways outside the cluster.
struct ExternalRoute {
  std::string name;
  LabelSelector namespaces;
  std::vector<IpAddr> next_hops;         // static ones
  bool has_dynamic_hops = false;         // gateways that are pods: their addresses are not told here
  Provenance from;
};
// As far as a packet's fate can be told from the object alone: whether it lets anything through at all.
struct NetworkPolicy {
  std::string namespace_, name;
  LabelSelector pods;
  bool ingress = false, egress = false;  // which directions it isolates
  std::size_t ingress_rules = 0, egress_rules = 0;
  Provenance from;
};
struct ServiceEndpoint { IpAddr address; std::string node; bool ready = true; std::string pod_namespace, pod; };
struct EndpointSlice {
  std::string namespace_, name, service;
  std::vector<ServiceEndpoint> endpoints;
  Provenance from;
};

struct PolicyObjects {
  std::vector<ExternalRoute> external_routes;
  std::vector<NetworkPolicy> network_policies;
  std::vector<EndpointSlice> endpoint_slices;
};

}  // namespace egt::cluster
