// The order of an action set (OpenFlow 1.5, 5.6).
#pragma once

#include <cstddef>
#include <vector>

#include "egtrace/openflow/action.h"

namespace egt::engine {

// Positions of the actions in the order in which the set is executed, without what it ignores: ofpacts_execute_action_set()
// of lib/ofp-actions.c. Without a final action nothing at all is executed; of several the class that ranks highest counts,
// and of one class the last. A null pointer is no action.
std::vector<std::size_t> in_action_set_order(const std::vector<const openflow::Action*>& set);

}  // namespace egt::engine
