// Where a flow was seen, as it is listed.
#pragma once

#include <vector>

#include "flow_parts.h"
#include "predicted.h"
#include "seen.h"

namespace egt::explain::capture_study {

// How far each direction was seen on the path that is predicted for it.
struct FlowProgress {
  Progress forward, reply;
  Progress next;  // of what follows the handshake
};

// In the order of the path; of several captures of one place the one that shows most.
std::vector<SeenReport> seen_in_order(const Flow& flow, const FlowParts& parts, const FlowProgress& progress,
                                      const Rows& reply_rows, const std::vector<File>& files);

}  // namespace egt::explain::capture_study
