// Packets between pods of different nodes, walked for the checks of tunnels and of connections that are lost.
#pragma once

#include <vector>

#include "triage/check.h"

namespace egt::assess {

enum class PacketSize : std::uint8_t {
  smallest,
  largest,  // of the MTU of pods, and not to be fragmented
};

// Of each node a pod sends to one on the nodes that follow by 1, 2, 4, 8, … in the order of names: n log n walks. In a user-defined
// network, of which there may be many, to one on the node that follows next.
std::vector<LostBetweenNodes> lost_between_nodes(const Facts& facts, PacketSize size);

// Reports those that end in a tunnel, those that end at one place for one reason as one finding.
void report_tunnels(const std::vector<LostBetweenNodes>& lost, Claim claim, Findings& out);

}  // namespace egt::assess
