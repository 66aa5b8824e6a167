// Egress objects that select pods of a network without overlay: OVN-Kubernetes accepts them and does not support them there
// (docs/features/bgp-integration/no-overlay.md of ovn-kubernetes).
#include <algorithm>
#include <map>
#include <tuple>

#include "egtrace/base/value_of.h"
#include "triage/checks.h"

namespace egt::assess {
namespace egress_without_effect {

// The set of addresses that pods of the default network reach untranslated, which OVN-Kubernetes makes where that has no overlay and
// translates what leaves it.
bool is_default_without_overlay(const cluster::Cluster& cluster) {
  return std::any_of(cluster.nodes.begin(), cluster.nodes.end(), [&](const cluster::NodeHandle& node) {
    return std::any_of(node->ovn.address_sets.begin(), node->ovn.address_sets.end(), [&](const ovn::AddressSet& set) {
      return value_of(set.external_ids, "k8s.ovn.org/name") == "no-overlay-snat-exemption" &&
             value_of(set.external_ids, "network") == "default";
    });
  });
}

bool has_overlay(const Facts& f, std::string_view network, bool default_has) {
  if (network.empty()) return default_has;
  return cluster::transport_of(f.cluster.objects, network) != cluster::Transport::no_overlay;
}

// The pods of one object, family and network.
struct Selected {
  const EgressClaim* claim = nullptr;
  std::vector<const KnownPod*> pods;
};

void run(const Facts& f, Findings& out) {
  const bool default_has = !is_default_without_overlay(f.cluster);
  std::map<std::tuple<std::string, Family, std::string_view>, Selected> all;
  for (const KnownPod& pod : f.all_pods)
    for (const Family family : {Family::v4, Family::v6}) {
      const EgressClaim* claim = f.claims.of(pod.full_name(), family);
      if (claim == nullptr || claim->kind == EgressClaim::Kind::external_route || pod.address(family) == nullptr) continue;
      if (has_overlay(f, pod.network(), default_has)) continue;
      Selected& selected = all[{claim->object, family, pod.network()}];
      selected.claim = claim;
      selected.pods.push_back(&pod);
    }
  for (const auto& [key, selected] : all) {
    const auto& [object, family, network] = key;
    out.about(selected.pods);
    out.add(Claim::egress_without_effect, "", object, {terms_of(selected.pods, family), network.empty() ? Term() : Term(network)},
            {selected.claim->from});
  }
}

}  // namespace egress_without_effect

const Check kEgressWithoutEffect{"egress-without-effect",    Severity::error,     needs_egress_ips_or_services,
                                 egress_without_effect::run, Check::Finds::cause, Check::Effect::egress};

}  // namespace egt::assess
