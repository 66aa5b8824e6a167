// What OVN-Kubernetes adds for traffic that leaves the cluster: EgressIP, EgressService, AdminPolicyBasedExternalRoute,
// EgressFirewall (k8s.ovn.org/v1), and DNSNameResolver (network.openshift.io/v1alpha1), which resolves names for these.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "kube/kinds.h"

namespace egt::parsers::kube {
namespace {

void add_egress_ip(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::EgressIp eip{id, {}, {}, {}, {}, {}};
  const Json& spec = at(o, "spec");
  for (const std::string& a : strings(at(spec, "egressIPs"))) add_address(eip.addresses, a);
  eip.namespaces = selector(at(spec, "namespaceSelector"), false);
  eip.pods = selector(at(spec, "podSelector"), true);
  const Json& items = at(at(o, "status"), "items");
  if (items.is_array())
    for (const Json& item : items)
      if (const auto address = IpAddr::parse(text(item, "egressIP"))) eip.status.push_back({*address, text(item, "node")});
  const auto mark = number(at(at(at(o, "metadata"), "annotations"), "k8s.ovn.org/egressip-mark"));
  if (mark && *mark <= 0xffffffffULL) eip.mark = static_cast<std::uint32_t>(*mark);
  objects.egress_ips.add(std::move(eip));
}

void add_egress_service(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  const Json& spec = at(o, "spec");
  objects.egress_services.add({id, text(at(o, "status"), "host"), text(spec, "sourceIPBy"), text(spec, "network")});
}

void add_external_route(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::ExternalRoute route{id, {}, {}, false};
  const Json& spec = at(o, "spec");
  route.namespaces = selector(at(at(spec, "from"), "namespaceSelector"), false);
  const Json& hops = at(at(spec, "nextHops"), "static");
  if (hops.is_array())
    for (const Json& hop : hops) add_address(route.next_hops, text(hop, "ip"));
  const Json& dynamic = at(at(spec, "nextHops"), "dynamic");
  route.has_dynamic_hops = dynamic.is_array() && !dynamic.empty();
  objects.external_routes.add(std::move(route));
}

cluster::FirewallRule firewall_rule(const Json& j) {
  cluster::FirewallRule rule;
  rule.allow = text(j, "type") == "Allow";
  const Json& to = at(j, "to");
  rule.to = Prefix::parse(text(to, "cidrSelector"));
  if (!rule.to) rule.nodes = selector(at(to, "nodeSelector"), false), rule.dns_name = text(to, "dnsName");
  const Json& ports = at(j, "ports");
  if (ports.is_array())
    for (const Json& p : ports) {
      const std::uint16_t port = port_number(at(p, "port"));
      rule.ports.push_back(port != 0 ? cluster::RulePorts{text(p, "protocol"), port, port}
                                     : cluster::RulePorts{text(p, "protocol")});
    }
  return rule;
}

void add_egress_firewall(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::EgressFirewall firewall{id, {}};
  const Json& rules = at(at(o, "spec"), "egress");
  if (rules.is_array())
    for (const Json& r : rules) firewall.rules.push_back(firewall_rule(r));
  objects.egress_firewalls.add(std::move(firewall));
}

void add_resolved_name(const Json& o, const cluster::Object& id, cluster::Objects& objects) {
  cluster::ResolvedName resolved{id, cluster::normal_dns_name(text(at(o, "spec"), "name")), {}};
  const Json& names = at(at(o, "status"), "resolvedNames");
  if (names.is_array())
    for (const Json& name : names)
      if (const Json& addresses = at(name, "resolvedAddresses"); addresses.is_array())
        for (const Json& a : addresses) add_address(resolved.addresses, text(a, "ip"));
  objects.resolved_names.add(std::move(resolved));
}

constexpr UsedKind kEgressKinds[] = {{"EgressIP", "k8s.ovn.org/", false, add_egress_ip},
                                     {"EgressService", "k8s.ovn.org/", true, add_egress_service},
                                     {"AdminPolicyBasedExternalRoute", "k8s.ovn.org/", false, add_external_route},
                                     {"EgressFirewall", "k8s.ovn.org/", true, add_egress_firewall},
                                     {"DNSNameResolver", "network.openshift.io/", true, add_resolved_name}};

}  // namespace

std::span<const UsedKind> egress_kinds() { return kEgressKinds; }

}  // namespace egt::parsers::kube
