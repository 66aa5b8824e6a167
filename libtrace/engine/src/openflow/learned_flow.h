// The flow that a learn action makes of a packet (lib/learn.c, learn_execute).
#pragma once

#include "egtrace/engine/network_state.h"

namespace egt::engine {

LearnedFlow learned_flow(const openflow::Learn& learn, const FlowKey& packet);

}  // namespace egt::engine
