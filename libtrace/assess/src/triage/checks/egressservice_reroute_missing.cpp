// A router has no policy for a pod behind an EgressService: on the pod's node, or on the host of the service.
#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressservice_reroute_missing {

void on_node(const Facts& f, const std::string& name, const KnownPod& pod, const EgressClaim& claim, Findings& out) {
  const cluster::Node* node = f.cluster.node(name);
  if (node == nullptr) return;
  const Policies& policies = f.policies_at(*node);
  if (!policies.complete) return out.lacks(Lack::router_policies, {name});
  const IpAddr& address = *pod.address(claim.family);
  if (std::any_of(policies.all.begin(), policies.all.end(),
                  [&](const Policy& p) { return p.action == "reroute" && p.is_for_source(address); }))
    return;
  out.about(pod);
  out.add(Claim::egressservice_reroute_missing, name, claim.object, {pod.full_name(), address}, {claim.from});
}

void run(const Facts& f, Findings& out) {
  for (const KnownPod& pod : f.pods)
    for (const Family family : {Family::v4, Family::v6}) {
      const EgressClaim* claim = f.claims.of(pod.full_name(), family);
      if (claim == nullptr || claim->kind != EgressClaim::Kind::egress_service || claim->nodes.empty()) continue;
      if (pod.address(family) == nullptr) continue;
      on_node(f, pod.node, pod, *claim, out);
      if (claim->nodes.front() != pod.node) on_node(f, claim->nodes.front(), pod, *claim, out);
    }
}

}  // namespace egressservice_reroute_missing

const Check kEgressServiceRerouteMissing{"egressservice-reroute-missing",    Severity::error,     needs_egress_services,
                                         egressservice_reroute_missing::run, Check::Finds::cause, Check::Effect::egress};

}  // namespace egt::assess
