// A pod that an EgressIP selects, and that no layer of any node knows: it leaves as its node.
#include <fmt/format.h>

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
      out.add(fmt::format("{} selects {}, but unlike its other pods no policy, address set or rule of any node has "
                          "{}: {} as the node.",
                          claim->object, in_words(pods, family), pods.size() == 1 ? "it" : "them",
                          pods.size() == 1 ? "it leaves" : "they leave"),
              place.second, claim->object,
              {claim->from, pods.front()->object != nullptr ? pods.front()->object->from : Provenance{}},
              fmt::format("If objects and dumps are of the same moment, ovnkube-controller has not taken the pod up: "
                          "see that it is ready (oc get pod -n {} {}), and the log on {}.",
                          pods.front()->namespace_, pods.front()->name, place.second));
    }
  }
}

}  // namespace egressip_pod_not_taken_up

// A note: objects are often gathered at another moment than the dumps of the nodes.
const Check kEgressIpPodNotTakenUp{"egressip-pod-not-taken-up", "A selected pod that no node has set up", Severity::note,
                                   needs_egress_ips, egressip_pod_not_taken_up::run};

}  // namespace egt::assess
