// A pod that sends to itself: its packet never comes to the switch.
#pragma once

#include <optional>

#include "egtrace/explain/explanation.h"
#include "egtrace/explain/point.h"
#include "packet_of.h"
#include "phrases/words.h"

namespace egt::explain {

// None where the packet leaves the pod, and where the sender is none of its own network namespace.
std::optional<PathReport> path_within_pod(const Resolved& from, const Asked& asked, const Words& words);

}  // namespace egt::explain
