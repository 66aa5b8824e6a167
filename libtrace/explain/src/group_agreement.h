// Dumps of groups that are not of the flows beside them: ovn-controller numbers groups on each node for itself, so that another
// node's groups lead to other services.
#pragma once

#include "egtrace/engine/journey.h"
#include "report.h"

namespace egt::explain {

// Takes the proof from a path that went by a group whose backends are not those of the logical flow behind it.
void compare_groups(const engine::WalkedPath& walked, const Words& words, PathReport& path);

}  // namespace egt::explain
