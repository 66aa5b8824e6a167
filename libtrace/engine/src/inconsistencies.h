// What dumps show differently of things that a packet meets: gaps of its record.
#pragma once

#include <string_view>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/record.h"

namespace egt::engine {

void note_inconsistencies(const cluster::Node& node, cluster::Inconsistency::About about, std::string_view name, Record& record);
// Of all tunnels: for a packet that none of them takes.
void note_inconsistencies_of_tunnels(const cluster::Node& node, Record& record);
// Of routes, for a packet to this address; of the neighbour that has it.
void note_inconsistencies(const cluster::Node& node, cluster::Inconsistency::About about, const IpAddr& of, Record& record);

// All of its devices, bridges and ports: where it is the lack of a device that decides.
void note_inconsistencies_of_devices(const cluster::Node& node, Record& record);

}  // namespace egt::engine
