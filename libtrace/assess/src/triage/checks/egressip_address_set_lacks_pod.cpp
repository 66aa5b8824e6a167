// The set of served pods lacks one: on its path to cluster nodes it leaves as the egress IP.
#include <algorithm>

#include "common/evidence.h"
#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_address_set_lacks_pod {

const ovn::AddressSet* served_pods(const cluster::Node& node, EgressClaim::Kind kind, Family family) {
  const std::string owner = kind == EgressClaim::Kind::egress_ip ? "EgressIP" : "EgressService";
  const std::string name = kind == EgressClaim::Kind::egress_ip ? "egressip-served-pods" : "egresssvc-served-pods";
  for (const ovn::AddressSet& set : node.ovn.address_sets) {
    const auto is = [&](const char* key, const std::string& value) {
      const auto found = set.external_ids.find(key);
      return found != set.external_ids.end() && found->second == value;
    };
    if (is("k8s.ovn.org/owner-type", owner) && is("k8s.ovn.org/name", name) &&
        is("ip-family", family == Family::v4 ? "v4" : "v6"))
      return &set;
  }
  return nullptr;
}

bool holds(const ovn::AddressSet& set, const IpAddr& address) {
  return std::any_of(set.addresses.begin(), set.addresses.end(), [&](const std::string& text) {
    const auto p = Prefix::parse(text);
    return p && p->contains(address);
  });
}

bool is_egress_address(const EgressClaim& claim, const AuditRow& row) {
  return row.source_seen && std::any_of(claim.addresses.begin(), claim.addresses.end(),
                                        [&](const IpAddr& a) { return a.to_string() == row.source_seen->ip; });
}

// What the walks of the pod's connections show of it: flows need not follow the set.
struct Effect {
  Severity severity = Severity::warning;
  Claim claim = Claim::egress_set_lacks_pod;
  Terms about = {};  // addresses
};

Effect effect_on(const Facts& f, const KnownPod& pod, const EgressClaim& claim) {
  Effect effect;
  for (const AuditRow& row : f.connections()) {
    if (row.pod != pod.name || row.namespace_ != pod.namespace_ || !row.source_seen) continue;
    if (row.leak)
      return {Severity::error, Claim::egress_set_lacks_pod_that_leaks, {row.source_seen->ip, claim.addresses.front()}};
    if (row.to_kind != Target::other_node) continue;
    if (is_egress_address(claim, row)) return {Severity::error, Claim::egress_set_lacks_pod_seen_by_nodes, {row.source_seen->ip}};
    effect.claim = Claim::egress_set_lacks_pod_without_effect;
  }
  return effect;
}

void run(const Facts& f, Findings& out) {
  for (const KnownPod& pod : f.pods)
    for (const Family family : {Family::v4, Family::v6}) {
      const EgressClaim* claim = f.claims.of(pod.full_name(), family);
      const cluster::Node* node = f.cluster.node(pod.node);
      if (claim == nullptr || !claim->taken_up || node == nullptr || pod.object == nullptr || claim->nodes.empty()) continue;
      const ovn::AddressSet* set = served_pods(*node, claim->kind, family);
      if (set == nullptr) {
        out.lacks(Lack::served_pods, {pod.node});
        continue;
      }
      const IpAddr& address = *pod.address(family);
      if (holds(*set, address)) continue;
      const Effect effect = effect_on(f, pod, *claim);
      Terms about{pod.full_name(), address, set->name};
      about.insert(about.end(), effect.about.begin(), effect.about.end());
      out.about(pod);
      out.weigh(effect.severity);
      out.add(effect.claim, pod.node, claim->object, about,
              {line_within(f.cluster, set->from, "addresses "), claim->from, pod.object->from});
    }
}

}  // namespace egressip_address_set_lacks_pod

const Check kEgressIpAddressSetLacksPod{"egressip-address-set-lacks-pod", Severity::error, needs_egress_ips_or_services,
                                        egressip_address_set_lacks_pod::run};

}  // namespace egt::assess
