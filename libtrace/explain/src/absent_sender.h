// Packets of senders that the snapshot does not place, though it holds whole dumps: what is known of them, and what is missing.
#pragma once

#include <optional>
#include <string>

#include "egtrace/explain/explanation.h"
#include "egtrace/packet/packet.h"
#include "phrases/words.h"

namespace egt::explain {

// None where the snapshot holds excerpts, the lines of which may well be about the packet. `sender`: how sentences call it.
std::optional<PathReport> path_of_absent_sender(const cluster::Cluster& cluster, const Resolved& from, const FlowKey& packet,
                                                const std::string& sender, const Words& words);

// Of a pod that sends by a user-defined network of which OVN has its port and Open vSwitch does not: nothing answers when it
// asks for its next hop.
std::optional<PathReport> path_without_network_port(const cluster::Cluster& cluster, const Resolved& from, const FlowKey& packet,
                                                    const Words& words);

}  // namespace egt::explain
