// Logical ports of chassis to which Open vSwitch has no tunnel.
#pragma once

#include <cstdint>

#include "egtrace/cluster/cluster.h"

namespace egt::engine {

// Whether no tunnel can be missing from the dumps: that one is not listed proves nothing of a list that was cut.
bool lists_all_interfaces(const cluster::Node& node);

// The other chassis that has the logical port, where the node's Open vSwitch has no tunnel to it: ovn-controller makes no flow for such
// a port (consider_port_binding() of controller/physical.c), so that none is lost from the dump. Null: there is a tunnel, or no dump shows.
const ovn::Chassis* chassis_without_tunnel(const cluster::Node& node, std::uint64_t datapath, std::uint64_t port);

}  // namespace egt::engine
