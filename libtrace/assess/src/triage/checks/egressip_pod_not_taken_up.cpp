// A pod that an EgressIP selects, and that no layer of any node knows: it leaves as its node.
#include "triage/checks.h"

namespace egt::assess {
namespace egressip_pod_not_taken_up {

void run(const Facts& f, Findings& out) {
  std::map<std::pair<std::string, std::string>, std::vector<const KnownPod*>> by_object;  // and node
  for (const Family family : {Family::v4, Family::v6}) {
    by_object.clear();
    for (const KnownPod& pod : f.pods)
      if (const EgressClaim* claim = f.claims.of(pod.full_name(), family);
          claim != nullptr && !claim->taken_up && pod.address(family) != nullptr)
        by_object[{claim->object, pod.node}].push_back(&pod);
    for (const auto& [place, pods] : by_object) {
      const EgressClaim* claim = f.claims.of(pods.front()->full_name(), family);
      out.about(pods);
      out.add(Claim::egressip_pod_not_taken_up, place.second, claim->object,
              {terms_of(pods, family), pods.front()->namespace_, pods.front()->name},
              {claim->from, pods.front()->object != nullptr ? pods.front()->object->from : Provenance{}});
    }
  }
}

}  // namespace egressip_pod_not_taken_up

// A note: objects are often gathered at another moment than the dumps of the nodes.
const Check kEgressIpPodNotTakenUp{"egressip-pod-not-taken-up", Severity::note, needs_egress_ips, egressip_pod_not_taken_up::run};

}  // namespace egt::assess
