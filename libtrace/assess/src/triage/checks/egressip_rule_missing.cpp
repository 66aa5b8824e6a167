// An egress IP on a network of the host: no policy rule sends the pod's packets into the table of its link.
#include <fmt/format.h>

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
      out.lacks(fmt::format("policy rules of {} (ip rule)", place.node));
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
    out.add(fmt::format("{} has no policy rule for {}, which {} to leave by egress IP {} there: the main table "
                        "decides, not that of the link.",
                        place.node, in_words(without, family), without.size() == 1 ? "is" : "are", place.address.to_string()),
            place.node, place.name(), proof,
            fmt::format("ip rule on {} should list `6000: from {} lookup 1000+ifindex`; look for the EgressIP in the "
                        "log of ovnkube-node there.",
                        place.node, without.front()->address(family)->to_string()));
  }
}

}  // namespace egressip_rule_missing

const Check kEgressIpRuleMissing{"egressip-rule-missing", "No policy rule for an egress IP on a network of the host",
                                 Severity::error, needs_egress_ips, egressip_rule_missing::run,
    Check::Finds::cause, Check::Effect::egress};

}  // namespace egt::assess
