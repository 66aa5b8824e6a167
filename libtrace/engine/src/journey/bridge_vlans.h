// What a Linux bridge that filters VLANs makes of a frame (net/bridge/br_vlan.c).
#pragma once

#include <string>
#include <vector>

#include "egtrace/engine/record.h"
#include "egtrace/host/host.h"
#include "egtrace/packet/packet.h"

namespace egt::engine {

struct BridgedFrame {
  enum class Fate : std::uint8_t { carried, dropped, open };  // open: the dumps do not show the VLANs of a device
  Fate fate = Fate::carried;
  FlowKey frame;  // as it leaves the bridge
  std::uint16_t vlan = 0;
  Cause why;  // of a drop
  std::string where;
  std::vector<Provenance> evidence;
};

// From one of the bridge's devices to another: its ports, and its own device, by which the host has the frame or takes it. `to` null: to
// whatever port, which is not looked at. Of a bridge that does not filter VLANs the frame is carried as it is, in VLAN 0.
BridgedFrame carry_in_vlan(const host::Host& host, const host::Link& bridge, const host::Link& from, const host::Link* to,
                           const FlowKey& frame);

}  // namespace egt::engine
