// How the ports of a bridge carry VLANs, and what else the tables Port and Bridge of the Open_vSwitch database set for
// NORMAL: ovs-vswitchd.conf.db(5); and which of them a spanning tree blocks. Bonds and multicast snooping are left out;
// mirrors.h has mirrors.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/ovn/rows/vswitch.h"
#include "egtrace/packet/flow_key.h"

namespace egt::engine::ofproto {

enum class VlanMode : std::uint8_t { access, trunk, native_tagged, native_untagged, tunnel };
enum class PriorityTags : std::uint8_t { never, if_nonzero, always };
// What a spanning tree makes of a port of its bridge; unknown where no dump has the port's state.
enum class TreeState : std::uint8_t { forwards, blocks, unknown };

struct PortSettings {
  VlanMode vlan_mode = VlanMode::trunk;
  std::uint16_t vlan = 0;                    // of an access port, a native VLAN or a tunnel
  std::vector<bool> trunks, customer_vlans;  // by VLAN; empty: all
  std::uint16_t tunnel_ethertype = ethertype::qinq;
  PriorityTags priority_tags = PriorityTags::never;
  bool is_protected = false;
  TreeState tree_state = TreeState::unknown;  // where its bridge has a spanning tree

  bool trunks_vlan(std::uint16_t vid) const { return vlan_mode != VlanMode::access && (trunks.empty() || trunks[vid]); }
  bool allows_customer(std::uint16_t vid) const { return customer_vlans.empty() || customer_vlans[vid]; }
  bool includes(std::uint16_t outer, std::uint16_t inner) const;
};

struct BridgeSettings {
  std::vector<bool> no_learning;     // by VLAN; empty: none
  bool forwards_reserved = false;    // forward-bpdu
  bool spanning_tree = false;        // STP or RSTP
  bool rapid_tree = false;           // RSTP
  std::vector<std::string> mirrors;  // UUIDs
  Provenance from;
};

// vlan_bitmap_from_array(): by VLAN; empty: none is named.
std::vector<bool> vlan_bitmap(const std::vector<std::int64_t>& vlans);

// The settings that a node's database rows hold, by name of the interface and of the bridge.
class SwitchSettings {
 public:
  explicit SwitchSettings(const cluster::Node& node);
  PortSettings of(const openflow::Interface& port) const;
  BridgeSettings of(const openflow::Bridge& bridge) const;
  std::string row_of(const openflow::Interface& port) const;  // its UUID; empty: no dump shows it

 private:
  std::unordered_map<std::string, rows::vswitch::Port> ports_;
  std::unordered_map<std::string, rows::vswitch::Bridge> bridges_;
};

}  // namespace egt::engine::ofproto
