// The flow that a learn action makes of a packet (lib/learn.c, learn_execute).
#pragma once

#include <string>

#include "egtrace/engine/world.h"

namespace egt::engine {

LearnedFlow learned_flow(const openflow::Learn& learn, const FlowKey& packet);
// "priority=5,NXM_NX_REG0[]=0x1 actions=output:3"
std::string text_of(const openflow::Learn& learn, const FlowKey& packet);

}  // namespace egt::engine
