// What becomes of what pods of egress objects send outside: asked once a pod, for all checks that judge it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/claims.h"
#include "egtrace/explain/explainer.h"

namespace egt::assess {

// A pod that an egress object claims, and its first packet to the outside.
struct ClaimedPod {
  const KnownPod* pod = nullptr;
  const EgressClaim* claim = nullptr;
};

// Of a path what checks look at. A whole report holds a hundred hops.
struct EgressPath {
  explain::Verdict verdict = explain::Verdict::inconclusive;
  std::string egress_node;  // empty where it does not leave
  std::optional<std::string> source_seen;
  std::vector<Gap> gaps;
  std::optional<explain::StopReport> stopped_at;
  explain::Evidence deciding;
};

// The paths of the packet from the pod to the outside; none where it cannot be asked. `explainer`: this thread's.
std::vector<EgressPath> egress_paths(const explain::Explainer& explainer, const ClaimedPod& of);

}  // namespace egt::assess
