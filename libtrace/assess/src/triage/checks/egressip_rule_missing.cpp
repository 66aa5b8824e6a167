// An egress IP on a network of the host: no policy rule sends the pod's packets into the table of its link.
#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_rule_missing {

void run(const Facts& f, Findings& out) {
  for (const EgressPlace& place : f.places) {
    if (place.network != EgressNetwork::host) continue;
    const cluster::Node* node = f.cluster.node(place.node);
    if (node == nullptr) continue;
    const auto& rules = rules_of(*node, place.address.family);
    if (!rules.present || rules.partial) {
      out.lacks(Lack::policy_rules, {place.node});
      continue;
    }
    std::vector<const KnownPod*> without;
    for (const KnownPod* pod : place.pods) {
      const IpAddr& address = *pod->address(place.address.family);
      const bool found = std::any_of(rules.value.begin(), rules.value.end(), [&](const host::PolicyRule& r) {
        return r.has_from && r.from_prefix.length > 0 && r.from_prefix.contains(address) && !r.negate;
      });
      if (!found) without.push_back(pod);
    }
    if (without.empty()) continue;
    const Family family = place.address.family;
    std::vector<Provenance> proof{rules.from};
    for (const Provenance& line : layers_of(f, place, without)) proof.push_back(line);
    out.about(without);
    out.add(Claim::egressip_rule_missing, place.node, place.name(),
            {terms_of(without, family), place.address, *without.front()->address(family)}, proof);
  }
}

}  // namespace egressip_rule_missing

const Check kEgressIpRuleMissing{"egressip-rule-missing",    Severity::error,     needs_egress_ips,
                                 egressip_rule_missing::run, Check::Finds::cause, Check::Effect::egress};

}  // namespace egt::assess
