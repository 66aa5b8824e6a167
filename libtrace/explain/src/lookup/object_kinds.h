// Kinds of Kubernetes objects as kubectl's users write them: "EgressIP", "egressips.k8s.ovn.org", "eip", in any case.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace egt::explain {

enum class ObjectKind : std::uint8_t {
  pod,
  service,
  endpoints,
  node,
  namespace_,
  egress_ip,
  egress_service,
  egress_firewall,
  external_route,
  network_policy,
  admin_network_policy,
  baseline_admin_network_policy
};

std::optional<ObjectKind> object_kind(std::string_view word);
// As OVN-Kubernetes names the kind where it says what a row was made for: "EgressIP".
std::string_view kind_name(ObjectKind kind);
bool is_namespaced(ObjectKind kind);

}  // namespace egt::explain
