// What a path takes from the flows that OVN made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egtrace/engine/journey.h"
#include "names.h"

namespace egt::explain {

// Nodes on which the packet matched flows of OVN, or looked for some where only OVN has flows; sorted.
std::vector<std::string> nodes_of_ovn(const engine::WalkedPath& walked, const cluster::Cluster& cluster, const Names& names);

// Flows of the tables that logical flows do not fill (controller/physical.c, and of controller/lflow.c those for port security)
// have the cookies of port bindings: no logical flow shows that one of them is missing in the dump. What is assumed where the
// packet is dropped as none of them matches.
std::optional<engine::Assumption> assumed_of_physical_flows(const engine::WalkedPath& walked, const cluster::Cluster& cluster,
                                                            const Names& names);

}  // namespace egt::explain
