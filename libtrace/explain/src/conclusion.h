// From the walks of a connection to what its client sees, and why.
#pragma once

#include <vector>

#include "egtrace/engine/journey.h"
#include "egtrace/explain/explanation.h"

namespace egt::explain {

// Outcome, confidence, listener and fault of the paths and of all together. To be called when nothing more will be assumed.
void conclude(Explanation& e, const Question& question);

// What the dumps of the walks' nodes were asked for, and what they were not.
void report_checked(Explanation& e, const std::vector<engine::WalkedPath>& walked_paths, const Question& question,
                    const cluster::Cluster& cluster);

}  // namespace egt::explain
