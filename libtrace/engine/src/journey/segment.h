// Wires below the devices of a node, and which devices of two nodes are in one broadcast domain, as their subnets show it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device_index.h"
#include "device_stack.h"
#include "egtrace/cluster/cluster.h"

namespace egt::engine {

// Whether a port of a bridge of Open vSwitch leads out of the node.
bool is_uplink(const openflow::Bridge& bridge, const openflow::Interface& port);

// Where `device` of `node` sends by, also through Linux bridges and those of Open vSwitch.
std::vector<Foot> wires_below(const cluster::Node& node, std::string_view device);

// By which of the wires below `device` a frame to it comes to the node. `mac`: of the device.
Foot wire_of(const DeviceIndex& devices, const cluster::Node& node, const std::string& device, const MacAddr& mac);

// What becomes of the tags of frames between two nodes: a port of the switch between them may be an access port of one VLAN
// (IEEE 802.1Q, 8.4.3), which adds its tag to what comes in and takes it off what goes out. No dump shows that switch.
struct Retagging {
  std::vector<VlanTag> tags;  // on arrival
  bool added = false, removed = false;
};
// None where nothing shows that the tags change. `tags`: of the frame as it left `from`.
std::optional<Retagging> retagging(const WireEnd& from, const std::vector<VlanTag>& tags, const WireEnd& to);

}  // namespace egt::engine
