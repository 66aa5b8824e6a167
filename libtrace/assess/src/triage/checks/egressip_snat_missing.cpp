// An egress IP on a network of the host that no rule of the host translates to.
#include <fmt/format.h>

#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_snat_missing {

void run(const Facts& f, Findings& out) {
  for (const EgressPlace& place : f.places) {
    const cluster::Node* node = f.cluster.node(place.node);
    if (place.network != EgressNetwork::host || node == nullptr) continue;
    if (!has_nat_rules(*node, place.address.family)) {
      out.lacks(fmt::format("NAT rules of {} (iptables-save, nft list ruleset)", place.node));
      continue;
    }
    const IpAddr outside_address = outside(f.cluster, place.address.family).address;
    std::vector<std::string> served, missing;
    std::vector<Provenance> proof{place.object->from};
    for (const KnownPod* pod : place.pods) {
      const auto rules = host_snat_for(f.cluster, *node, *pod->address(place.address.family), outside_address);
      const auto found =
          std::find_if(rules.begin(), rules.end(), [&](const auto& r) { return translates_to(r, place.address); });
      (found != rules.end() ? served : missing)
          .push_back(fmt::format("{} ({})", pod->full_name(), pod->address(place.address.family)->to_string()));
      proof.push_back(found != rules.end() ? found->rule->from : pod->object->from);
    }
    if (missing.empty()) continue;
    out.add(
        fmt::format("{} hosts egress IP {}, but no rule translates pod{} {} to it{}: {} as {}.", place.node,
                    place.address.to_string(), missing.size() == 1 ? "" : "s", fmt::join(missing, ", "),
                    served.empty() ? "" : fmt::format(", only {}", fmt::join(served, ", ")),
                    missing.size() == 1 ? "it leaves" : "they leave", missing.size() == 1 ? "itself" : "themselves"),
        place.node, place.name(), proof,
        fmt::format("iptables -t nat -S OVN-KUBE-EGRESS-IP-MULTI-NIC (or nft list ruleset) on {}; look for the "
                    "EgressIP in the log of ovnkube-node there.",
                    place.node));
  }
}

}  // namespace egressip_snat_missing

const Check kEgressIpSnatMissing{"egressip-snat-missing", "No SNAT rule on the host for an egress IP's pod",
                                 Severity::error, needs_egress_ips, egressip_snat_missing::run};

}  // namespace egt::assess
