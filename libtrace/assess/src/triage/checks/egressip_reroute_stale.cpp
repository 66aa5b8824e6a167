// A reroute policy that leads to a node which does not host the egress IP (any more).
#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_reroute_stale {

bool is_cluster_wide(const std::vector<std::string>& hosts, const std::string& owner) {
  return std::find(hosts.begin(), hosts.end(), owner) != hosts.end();
}

void judge(const Facts& f, const KnownPod& pod, const EgressClaim& claim, Findings& out) {
  const cluster::Node* node = f.cluster.node(pod.node);
  if (node == nullptr || claim.kind != EgressClaim::Kind::egress_ip || claim.nodes.empty()) return;
  const IpAddr& address = *pod.address(claim.family);
  for (const Policy& p : f.policies_at(*node).all) {
    if (p.action != "reroute" || !p.is_for_source(address)) continue;
    for (const IpAddr& hop : p.next_hops) {
      const std::string owner = owner_of_next_hop(f.cluster, hop);
      if (owner.empty() || is_cluster_wide(claim.nodes, owner)) continue;
      out.about(pod);
      out.add(Claim::egressip_reroute_stale, pod.node, claim.object, {pod.full_name(), hop, owner, claim.nodes},
              {p.from, claim.from});
    }
  }
}

void run(const Facts& f, Findings& out) {
  for (const KnownPod& pod : f.pods)
    for (const Family family : {Family::v4, Family::v6})
      if (const EgressClaim* claim = f.claims.of(pod.full_name(), family)) judge(f, pod, *claim, out);
}

}  // namespace egressip_reroute_stale

const Check kEgressIpRerouteStale{"egressip-reroute-stale", Severity::error, needs_egress_ips, egressip_reroute_stale::run};

}  // namespace egt::assess
