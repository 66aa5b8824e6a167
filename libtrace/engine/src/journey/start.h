// How a packet gets on its way: from a pod, from a process on a node, or from outside the snapshot.
#pragma once

#include "walk.h"

namespace egt::engine {

// Sets `sent` to the packet as its sender puts it on the way.
Next begin(Walk& walk, const Start& start, FlowKey& sent);

}  // namespace egt::engine
