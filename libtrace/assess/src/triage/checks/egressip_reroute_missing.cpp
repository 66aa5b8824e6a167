// The logical router of a pod's node has no policy that sends the pod to its egress node.
#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_reroute_missing {

bool has_policy(const Policies& policies, const IpAddr& pod) {
  return std::any_of(policies.all.begin(), policies.all.end(),
                     [&](const Policy& p) { return p.action == "reroute" && p.is_for_source(pod); });
}

void on_pod_node(const Facts& f, const EgressPlace& place, const KnownPod& pod, Findings& out) {
  const cluster::Node* node = f.cluster.node(pod.node);
  if (node == nullptr) return;
  const Policies& policies = f.policies_at(*node);
  if (!policies.complete) return out.lacks(Lack::router_policies, {pod.node});
  const IpAddr& address = *pod.address(place.address.family);
  if (has_policy(policies, address)) return;
  out.about(pod);
  out.add(Claim::egressip_reroute_missing, pod.node, place.name(), {pod.full_name(), address}, layers_of(f, place, pod));
}

// Pods of other nodes need a second policy on the node that hosts an egress IP of the host's networks: from the tunnel
// to the management port.
void on_egress_node(const Facts& f, const EgressPlace& place, const KnownPod& pod, Findings& out) {
  const cluster::Node* node = f.cluster.node(place.node);
  const cluster::Node* own = f.cluster.node(pod.node);
  if (node == nullptr || own == nullptr || node == own || place.network != EgressNetwork::host) return;
  const Policies &policies = f.policies_at(*node), &at_pod = f.policies_at(*own);
  if (!policies.complete || !at_pod.complete) return;
  const IpAddr& address = *pod.address(place.address.family);
  if (!has_policy(at_pod, address) || has_policy(policies, address)) return;
  // Without zones the pod's policy leads to the management port at once.
  for (const Policy& p : at_pod.all)
    if (p.is_for_source(address))
      for (const IpAddr& hop : p.next_hops)
        if (node->host.owner_of(hop) != nullptr) return;
  out.about(pod);
  out.add(Claim::egressip_second_reroute_missing, place.node, place.name(), {pod.full_name(), address}, layers_of(f, place, pod));
}

void run(const Facts& f, Findings& out) {
  for (const EgressPlace& place : f.places)
    for (const KnownPod* pod : place.pods) {
      // An object with several addresses is shown once a pod.
      const bool first = std::none_of(f.places.begin(), f.places.end(), [&](const EgressPlace& other) {
        return &other < &place && other.object == place.object && other.address.family == place.address.family;
      });
      if (first) on_pod_node(f, place, *pod, out);
      on_egress_node(f, place, *pod, out);
    }
}

}  // namespace egressip_reroute_missing

const Check kEgressIpRerouteMissing{"egressip-reroute-missing",    Severity::error,     needs_egress_ips,
                                    egressip_reroute_missing::run, Check::Finds::cause, Check::Effect::egress};

}  // namespace egt::assess
