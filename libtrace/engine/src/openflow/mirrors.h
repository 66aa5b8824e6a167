// Which packets a bridge copies, and by which port the copies leave (ofproto/ofproto-dpif-mirror.c, table Mirror of
// ovs-vswitchd.conf.db(5)).
#pragma once

#include <cstdint>

#include "egtrace/cluster/cluster.h"
#include "egtrace/ovn/rows/vswitch.h"

namespace egt::engine::ofproto {

struct SwitchBridge;
struct SwitchPort;
class SwitchSettings;

using MirrorMask = std::uint32_t;  // a bit for each mirror of a bridge

struct Mirror {
  rows::vswitch::Mirror row;
  SwitchPort* out = nullptr;   // null: all ports in `output_vlan`
  MirrorMask same_output = 0;  // of those that send where this one does
};

// Fills `mirrors` of the bridge and the masks of its ports, which have to be there. Those that the switch takes no notice of are
// left out.
void add_mirrors(const cluster::Node& node, const SwitchSettings& settings, SwitchBridge& bridge);

}  // namespace egt::engine::ofproto
