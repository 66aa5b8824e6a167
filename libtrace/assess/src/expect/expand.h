// What the patterns of an expectation stand for in a snapshot.
#pragma once

#include <string>
#include <vector>

#include "common/pods.h"
#include "egtrace/base/result.h"
#include "egtrace/expect/expectation.h"
#include "egtrace/explain/point.h"

namespace egt::assess {

struct ExpandedEnd {
  std::string name;
  explain::Point point;
};
struct Expanded {
  std::vector<ExpandedEnd> ends;
  std::string proto;  // of "…/udp"; empty where the text has none
};

// Errors: a text that is no place, a pattern that nothing in the snapshot fits (with what is nearest).
Result<Expanded> expand(const expect::EndPattern& pattern, const cluster::Cluster& cluster, const std::vector<KnownPod>& pods);

}  // namespace egt::assess
