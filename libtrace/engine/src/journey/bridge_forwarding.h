// Frames that Linux bridges and tunnel devices of a host take on themselves.
#pragma once

#include "walk.h"

namespace egt::engine {

// Ends what the VLANs of the bridge's devices do not cover, and gives the frame the tag that it leaves with. `to`: as of
// carry_in_vlan().
std::optional<Arrival> filter_vlan(Walk& walk, const cluster::Node& node, const host::Link& bridge, const host::Link& from,
                                   const host::Link* to, FlowKey& packet);
// `leaves_by`: the device that the route or the switch has chosen.
Arrival enter_host_tunnel(Walk& walk, const AtDevice& at, const host::Link& device, const std::string& leaves_by);
// What is for no device of the host.
Arrival forward_by_bridge(Walk& walk, const AtHost& at, const host::Link& bridge);

}  // namespace egt::engine
