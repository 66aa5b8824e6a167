// Packets between a node and its own pods, walked for the check of connections that are lost.
#pragma once

#include <vector>

#include "triage/check.h"

namespace egt::assess {

// Each node pings one of its pods in each family: one of the default network, as kubelet reaches others through that, too.
std::vector<LostFromNode> lost_from_nodes(const Facts& facts);

}  // namespace egt::assess
