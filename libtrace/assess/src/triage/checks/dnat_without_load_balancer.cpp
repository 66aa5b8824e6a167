// The host translates to a service's address that OVN has no load balancer for: the connection ends there.
#include <algorithm>

#include "common/look.h"
#include "egtrace/ovn/rows/nb.h"
#include "egtrace/ovn/rows/sb.h"
#include "egtrace/ovn_kubernetes/names.h"
#include "triage/checks.h"

namespace egt::assess {
namespace dnat_without_load_balancer {

bool has_vip(const cluster::Node& node, const std::string& vip) {
  for (const auto balancer : rows_of<rows::nb::LoadBalancer>(node.ovn.rows))
    if (balancer.vips().contains(vip)) return true;
  for (const auto balancer : rows_of<rows::sb::LoadBalancer>(node.ovn.rows))
    if (balancer.vips().contains(vip)) return true;
  return false;
}

// Of a network of the node, among them the addresses that hide the host from OVN.
bool is_on_link(const cluster::Node& node, const IpAddr& address) {
  return address.is_link_local() ||
         std::any_of(node.host.links.value.begin(), node.host.links.value.end(), [&](const host::Link& link) {
           return std::any_of(link.addresses.begin(), link.addresses.end(),
                              [&](const host::Address& a) { return a.subnet().contains(address); });
         });
}

// A service that has this cluster address; empty: none in the snapshot.
std::string service_with(const Facts& f, const IpAddr& address) {
  for (const cluster::Service& s : f.cluster.objects.services)
    if (std::find(s.cluster_ips.begin(), s.cluster_ips.end(), address) != s.cluster_ips.end()) return "Service " + s.full_name();
  return {};
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    if (!is_cluster_node(*node)) continue;
    if (!node->ovn.complete_tables.contains("NB Load_Balancer")) {
      out.lacks(Lack::load_balancers, {node->name});
      continue;
    }
    for (const Family family : {Family::v4, Family::v6})
      for (const DnatRule& rule : dnat_rules_of(*node, family)) {
        // Rules of OVN-Kubernetes that lead to a cluster address; others lead to pods or to the host, or are of other programs.
        if (!rule.chain->name.starts_with(ovnk::kIptablesChains) && !is_ovn_kubernetes(*rule.table)) continue;
        if (!rule.to || !rule.to_port) continue;
        if (is_on_link(*node, *rule.to) || f.pod_with(*rule.to) != nullptr || f.cluster.owner_of(*rule.to) != nullptr) continue;
        const std::string service = service_with(f, *rule.to);
        if (has_vip(*node, vip_of(*rule.to, *rule.to_port)) || (!service.empty() && out.has_cause(service))) continue;
        const bool of_map = !rule.map.empty();
        out.add(Claim::dnat_without_load_balancer, node->name, service,
                {of_map ? rule.map : rule.chain->name, rule.destination, *rule.to, *rule.to_port, of_map}, {rule.from()});
      }
  }
}

}  // namespace dnat_without_load_balancer

const Check kDnatWithoutLoadBalancer{"dnat-without-load-balancer", Severity::warning, always, dnat_without_load_balancer::run};

}  // namespace egt::assess
