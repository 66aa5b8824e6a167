// Policy rules for pods that no egress IP of this node selects (any more).
#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_rule_stale {

constexpr std::uint32_t kEgressIpRule = 6000;  // preference of OVN-Kubernetes' rules for egress IPs of host networks

bool selected(const Facts& f, const std::string& node, const IpAddr& pod) {
  return std::any_of(f.places.begin(), f.places.end(), [&](const EgressPlace& place) {
    return place.node == node && std::any_of(place.pods.begin(), place.pods.end(), [&](const KnownPod* p) {
             return std::find(p->addresses.begin(), p->addresses.end(), pod) != p->addresses.end();
           });
  });
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes)
    for (const Family family : {Family::v4, Family::v6})
      for (const host::PolicyRule& rule : rules_of(*node, family).value) {
        if (rule.priority != kEgressIpRule || !rule.has_from || !rule.from_prefix.is_host()) continue;
        const KnownPod* pod = f.pod_with(rule.from_prefix.address);
        if (selected(f, node->name, rule.from_prefix.address)) continue;
        out.add(Claim::egressip_rule_stale, node->name, "",
                {rule.from_prefix.address, pod != nullptr ? Term(pod->full_name()) : Term(), rule.priority}, {rule.from});
      }
}

std::optional<Lack> lacks(const Facts& f) { return f.pods.empty() ? Lack::pods : needs_egress_ips(f); }

}  // namespace egressip_rule_stale

const Check kEgressIpRuleStale{"egressip-rule-stale", Severity::warning, egressip_rule_stale::lacks, egressip_rule_stale::run};

}  // namespace egt::assess
