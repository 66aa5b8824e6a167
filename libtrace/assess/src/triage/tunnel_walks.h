// Packets between pods of different nodes, walked for the checks of tunnels.
#pragma once

#include <vector>

#include "triage/check.h"

namespace egt::assess {

// A packet that ends in a tunnel, of the request or of its reply.
struct LostInTunnel {
  const KnownPod* from = nullptr;
  const KnownPod* to = nullptr;
  explain::StopReport at;
};

enum class PacketSize : std::uint8_t {
  smallest,
  largest,   // of the MTU of pods, and not to be fragmented
};

// Of each node a pod sends to one on the nodes that follow by 1, 2, 4, 8, … in the order of names: n log n walks.
std::vector<LostInTunnel> lost_in_tunnels(const Facts& facts, PacketSize size);

// Reports them, those that end at one place for one reason as one finding.
void report_tunnels(const std::vector<LostInTunnel>& lost, const char* packets, Findings& out);

}  // namespace egt::assess
