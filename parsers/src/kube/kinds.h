// The kinds of Kubernetes objects that the model keeps, by what they are about.
#pragma once

#include <span>

#include "egtrace/cluster/objects.h"
#include "kube/fields.h"

namespace egt::parsers::kube {

struct UsedKind {
  const char* kind;
  const char* group;  // beginning of apiVersion
  bool namespaced;
  // `id`: namespace, name and place of the object.
  void (*add)(const Json& object, const cluster::Object& id, cluster::Objects& objects);
};

std::span<const UsedKind> node_kinds();     // Node, Network, Namespace, Pod
std::span<const UsedKind> service_kinds();  // Service, EndpointSlice
std::span<const UsedKind>
egress_kinds();  // EgressIP, EgressService, AdminPolicyBasedExternalRoute, EgressFirewall, DNSNameResolver
std::span<const UsedKind> network_kinds();  // NetworkAttachmentDefinition, (Cluster)UserDefinedNetwork, RouteAdvertisements, ...
std::span<const UsedKind> policy_kinds();   // NetworkPolicy, AdminNetworkPolicy, BaselineAdminNetworkPolicy

}  // namespace egt::parsers::kube
