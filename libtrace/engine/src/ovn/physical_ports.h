// How logical ports meet the ports of the bridge (controller/physical.c and patch.c of OVN): interfaces, tags of localnet ports, tunnels
// to other chassis.
#pragma once

#include <cstdint>
#include <string_view>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/logical_network.h"

namespace egt::engine {

// The logical port behind an interface, or empty.
std::string_view logical_port_of(const openflow::Interface& port);

// By a localnet port frames come with its tag alone, and without one or with a priority where it has none, unless it passes tags on
// (consider_port_binding()). False: the frame is another port's.
bool enter_localnet(const ovn::sb::PortBinding& port, FlowKey& packet);
void leave_localnet(const ovn::sb::PortBinding& port, FlowKey& packet);

// The port keys that a packet in a tunnel carries.
struct TunnelKeys {
  std::uint32_t inport = 0, outport = 0;
};
TunnelKeys tunnel_keys_of(const FlowKey& packet);
// A packet on its way by a tunnel's port; its reg14 has the port by which it came.
FlowKey packet_in_tunnel(const FlowKey& packet, const LogicalDatapath& datapath, const NetworkPort& to,
                         const openflow::Interface& tunnel);
// Keys that no dump has are not those that tunnels carry.
bool carries_made_up_keys(const LogicalDatapath& datapath, const TunnelKeys& keys);
// Null where the bridge has none.
const openflow::Interface* tunnel_to(const ovn::Chassis& chassis, const openflow::Bridge& bridge);

}  // namespace egt::engine
