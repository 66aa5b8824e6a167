// A sender that is given by an address of several nodes or pods.
#pragma once

#include <optional>

#include "egtrace/base/result.h"
#include "egtrace/explain/point.h"

namespace egt::explain {

// Names all that may be meant; none where the point is of one alone.
std::optional<Error> ambiguous_sender(const Resolved& from);

}  // namespace egt::explain
