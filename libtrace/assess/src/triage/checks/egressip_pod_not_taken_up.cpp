// A pod that an EgressIP selects, and that no layer of any node knows: it leaves as its node.
#include <fmt/format.h>

#include "triage/checks.h"

namespace egt::assess {
namespace egressip_pod_not_taken_up {

void run(const Facts& f, Findings& out) {
  for (const KnownPod& pod : f.pods)
    for (const Family family : {Family::v4, Family::v6}) {
      const EgressClaim* claim = f.claims.of(pod.full_name(), family);
      if (claim == nullptr || claim->taken_up) continue;
      out.add(fmt::format("{} selects pod {}, but unlike its other pods no policy, address set or rule of any node "
                          "knows it: it leaves as its node.",
                          claim->object, pod.full_name()),
              pod.node, claim->object, {claim->from, pod.object != nullptr ? pod.object->from : Provenance{}},
              "If objects and dumps are of the same moment, ovnkube-controller has not taken the pod up: see that it "
              "is ready, and the log on its node.");
    }
}

}  // namespace egressip_pod_not_taken_up

// A note: objects are often gathered at another moment than the dumps of the nodes.
const Check kEgressIpPodNotTakenUp{"egressip-pod-not-taken-up", "A selected pod that nothing knows of", Severity::note,
                                   needs_egress_ips, egressip_pod_not_taken_up::run};

}  // namespace egt::assess
