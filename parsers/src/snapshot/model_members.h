// Members of model types that have a base class, which the compiler does not show by itself (support/members.h). A member that is
// missing here does not compile.
#pragma once

#include <tuple>

#include "egtrace/cluster/objects.h"
#include "support/members.h"

namespace egt::parsers {

namespace detail {

template <class Base, class T, class... Own>
auto with_base(T& x, Own&... own) {
  static_assert(kMembers<std::remove_const_t<T>> == 1 + sizeof...(Own), "a member is missing here");
  return std::tuple_cat(members_of(static_cast<Base&>(x)), std::tie(own...));
}

}  // namespace detail

inline auto members_of(cluster::NodeObject& x) {
  return detail::with_base<cluster::Object>(x, x.addresses, x.pod_subnets, x.labels, x.annotations, x.ready, x.why_not_ready,
                                            x.provider);
}
inline auto members_of(cluster::Network& x) { return detail::with_base<cluster::Object>(x, x.pods, x.services); }
inline auto members_of(cluster::NamespaceObject& x) { return detail::with_base<cluster::Object>(x, x.labels, x.annotations); }
inline auto members_of(cluster::Pod& x) {
  return detail::with_base<cluster::Object>(x, x.node, x.addresses, x.gateways, x.mac, x.host_network, x.labels, x.other_networks,
                                            x.networks_shown, x.phase, x.routes, x.former_addresses, x.named_ports);
}
inline auto members_of(cluster::EgressIp& x) {
  return detail::with_base<cluster::Object>(x, x.addresses, x.namespaces, x.pods, x.status, x.mark);
}
inline auto members_of(cluster::EgressService& x) {
  return detail::with_base<cluster::Object>(x, x.host, x.source_ip_by, x.network);
}
inline auto members_of(cluster::ExternalRoute& x) {
  return detail::with_base<cluster::Object>(x, x.namespaces, x.next_hops, x.has_dynamic_hops);
}
inline auto members_of(cluster::Service& x) {
  return detail::with_base<cluster::Object>(x, x.type, x.cluster_ips, x.external_ips, x.load_balancer_ips, x.ports,
                                            x.external_traffic_policy, x.internal_traffic_policy, x.selector);
}
inline auto members_of(cluster::EndpointSlice& x) {
  return detail::with_base<cluster::Object>(x, x.service, x.ports, x.endpoints);
}
inline auto members_of(cluster::NetworkRule& x) { return detail::with_base<cluster::PolicyRule>(x, x.all_peers); }
inline auto members_of(cluster::NetworkPolicy& x) {
  return detail::with_base<cluster::Object>(x, x.pods, x.ingress, x.egress, x.ingress_rules, x.egress_rules, x.is_open);
}
inline auto members_of(cluster::AdminRule& x) { return detail::with_base<cluster::PolicyRule>(x, x.name, x.action); }
inline auto members_of(cluster::AdminNetworkPolicy& x) {
  return detail::with_base<cluster::Object>(x, x.baseline, x.priority, x.namespaces, x.pods, x.ingress, x.egress);
}
inline auto members_of(cluster::EgressFirewall& x) { return detail::with_base<cluster::Object>(x, x.rules); }
inline auto members_of(cluster::NetworkDefinition& x) {
  return detail::with_base<cluster::Object>(x, x.kind, x.network, x.plugin, x.topology, x.role, x.transport, x.transport_accepted,
                                            x.why_not_accepted, x.physical, x.master, x.vlan, x.subnets, x.uplinks, x.labels);
}
inline auto members_of(cluster::RouteAdvertisement& x) {
  return detail::with_base<cluster::Object>(x, x.pods, x.egress_ips, x.default_network, x.networks, x.nodes, x.target_vrf,
                                            x.accepted, x.why_not_accepted);
}
inline auto members_of(cluster::NetworkObject& x) {
  return detail::with_base<cluster::Object>(x, x.kind, x.prefixes, x.facts, x.qos_rules);
}
inline auto members_of(cluster::ResolvedName& x) { return detail::with_base<cluster::Object>(x, x.dns_name, x.addresses); }

}  // namespace egt::parsers
