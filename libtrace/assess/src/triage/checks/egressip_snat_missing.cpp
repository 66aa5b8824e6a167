// An egress IP on a network of the host that no rule of the host translates to.
#include <algorithm>

#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_snat_missing {

constexpr const char* kChain = "OVN-KUBE-EGRESS-IP-MULTI-NIC";  // where OVN-Kubernetes writes them with iptables

void run(const Facts& f, Findings& out) {
  for (const EgressPlace& place : f.places) {
    const cluster::Node* node = f.cluster.node(place.node);
    if (place.network != EgressNetwork::host || node == nullptr) continue;
    if (!has_nat_rules(*node, place.address.family)) {
      out.lacks(Lack::nat_rules, {place.node});
      continue;
    }
    const IpAddr outside_address = outside(f.cluster, place.address.family);
    std::vector<const KnownPod*> served, missing;
    std::vector<Provenance> proof;
    for (const KnownPod* pod : place.pods) {
      const auto rules = host_snat_for(*node, *pod->address(place.address.family), outside_address);
      const auto found =
          std::find_if(rules.begin(), rules.end(), [&](const auto& r) { return translates_to(r, place.address); });
      if (found != rules.end()) proof.push_back(found->rule->from);
      (found != rules.end() ? served : missing).push_back(pod);
    }
    if (missing.empty()) continue;
    for (const netfilter::Table& table : dumped_host(*node).iptables_v4.value.tables)
      for (const netfilter::Chain& chain : table.chains)
        if (chain.name == kChain) proof.push_back(chain.from);
    for (const Provenance& line : layers_of(f, place, missing)) proof.push_back(line);
    out.about(missing);
    out.add(Claim::egressip_snat_missing, place.node, place.name(),
            {place.address, terms_of(missing, place.address.family), terms_of(served, place.address.family), kChain}, proof);
  }
}

}  // namespace egressip_snat_missing

const Check kEgressIpSnatMissing{"egressip-snat-missing", Severity::error, needs_egress_ips, egressip_snat_missing::run,
                                 Check::Finds::cause, Check::Effect::egress};

}  // namespace egt::assess
