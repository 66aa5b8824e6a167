// Pods whose packets go by another network than the cluster's default one.
#pragma once

#include <optional>

#include "egtrace/explain/explanation.h"
#include "egtrace/explain/point.h"
#include "phrases/words.h"

namespace egt::explain {

// Leaves the packet's fate open where one of the two is a pod with a primary user-defined network.
std::optional<PathReport> path_on_other_network(const Resolved& from, const Resolved& to, const Words& words);

}  // namespace egt::explain
