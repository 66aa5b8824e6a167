// Translations to egress IPs that no object asks for on this node: left over from a move.
#include <algorithm>

#include "common/look.h"
#include "egtrace/ovn_kubernetes/names.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_snat_stale {

bool hosts(const cluster::EgressIp& eip, const IpAddr& address, const std::string& node) {
  return std::any_of(eip.status.begin(), eip.status.end(),
                     [&](const auto& item) { return item.address == address && item.node == node; });
}

// Of a pod, or what a row has as source.
void report(const cluster::EgressIp& eip, const IpAddr& address, Term pod, Term source, const std::string& node, Provenance from,
            Findings& out) {
  out.add(Claim::egressip_snat_stale, node, "EgressIP " + eip.name, {pod, source, address}, {from, eip.from});
}

void nat_rows(const Facts& f, const cluster::Node& node, Findings& out) {
  for (const NatRow& row : f.nat_rows_at(node).all) {
    const cluster::EgressIp* eip = row.external && row.type == "snat" ? f.egress_ip_with(*row.external) : nullptr;
    if (eip == nullptr || eip->status.empty()) continue;
    // Without zones one database holds the rows of all nodes.
    const std::string router =
        row.router.starts_with(ovnk::kGatewayRouter) ? row.router.substr(ovnk::kGatewayRouter.size()) : node.name;
    if (!hosts(*eip, *row.external, router)) report(*eip, *row.external, {}, row.logical_ip, router, row.from, out);
  }
}

void host_rules(const Facts& f, const cluster::Node& node, Findings& out) {
  for (const EgressPlace& place : f.places) {
    if (hosts(*place.object, place.address, node.name)) continue;
    for (const KnownPod* pod : place.pods)
      for (const auto& rule : host_snat_for(node, *pod->address(place.address.family), outside(f.cluster, place.address.family)))
        if (translates_to(rule, place.address))
          report(*place.object, place.address, pod->full_name(), {}, node.name, rule.from(), out);
  }
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    if (!is_cluster_node(*node)) continue;
    nat_rows(f, *node, out);
    host_rules(f, *node, out);
  }
}

}  // namespace egressip_snat_stale

const Check kEgressIpSnatStale{"egressip-snat-stale",    Severity::error,     needs_egress_ips,
                               egressip_snat_stale::run, Check::Finds::cause, Check::Effect::egress};

}  // namespace egt::assess
