// The parts of a flow by what they are to it.
#pragma once

#include <vector>

#include "flows.h"

namespace egt::explain::capture_study {

using Parts = std::vector<const FlowPart*>;

struct FlowParts {
  Parts opening;        // what the sender asks with: of TCP its SYN
  Parts later;          // of TCP what it sends then
  Parts answer;         // of TCP the SYN-ACK
  Parts replies_later;  // of TCP what comes back then
  Parts resets, errors, other;
};

FlowParts parts_of(const Flow& flow);

}  // namespace egt::explain::capture_study
