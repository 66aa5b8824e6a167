// What the counters of the rules on a path show: whether packets ever came by.
#pragma once

#include <optional>

#include "egtrace/explain/explanation.h"

namespace egt::explain {

// Of the flow or rule behind a step; absent where it has none, or the dump does not show its counter. Neighbours of flows
// are those that the walk noted (JourneyOptions::note_beaten).
std::optional<Counted> counted(const engine::Step& step, const cluster::Cluster& cluster);

}  // namespace egt::explain
