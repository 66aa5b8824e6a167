// What dumps of one node show that cannot be true of it together: one of them is damaged, of another node or of
// another moment. Nothing shows which, so what rests on any of them is not proven.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/evidence/evidence.h"

namespace egt::cluster {

class Cluster;
class NodeHandle;
struct Node;

// What cannot be true together. Behind each: what it names.
enum class Conflict : std::uint8_t {
  flows_of_other_ports,         // bridge, ports asked for, ports that it lacks
  flows_of_integration_bridge,  // bridge
  flows_with_macs_of,           // bridge, node
  flows_without_logical_flows,  // bridge
  port_number,                  // port, bridge
  bridge_of_port,               // port, two bridges
  patch_within_bridge,          // port, bridge
  port_setting,                 // setting, port, bridge
  tunnel_to_no_chassis,         // address, port
  tunnel_from_elsewhere,        // port, address
  settings_of_other_devices,    // device
  macs_of_device,               // device
  device_at_index,              // index, two devices
  bridge_without_device,        // bridge
  bridge_with_other_mac,        // bridge
  switch_without_device,        // bridge
  copied_dump,                  // kind, node
  rules_with_devices_of,        // command, device, node
  rules_not_listed,             // command, table
  rules,                        // chain, table, commands
  copied_rules,                 // command, node
  pod_addresses,                // pod, port
  routes,                       // destination, table, option of ip
  neighbour,                    // address, device
  routes_of_switch,             // address or destination
  datapath_types,               // bridge, the one behind its patch port
};

struct Inconsistency {
  enum class About { node, bridge, port, routes, neighbour, netfilter };
  About about = About::node;
  std::string name;          // of the bridge or port
  std::optional<Prefix> to;  // of routes: those to which packets are concerned; of a neighbour: its address
  Conflict conflict{};
  std::vector<std::string> names = {};
  friend bool operator==(const Inconsistency&, const Inconsistency&) = default;
};

// Takes bridges away of which none is a device of the node: their dumps are of another one. To be called once a
// node's dumps are loaded.
void leave_out_foreign_switch(Node& node);

// The dumps of all nodes by their sizes: those of one size may be copies.
class DumpsBySize {
 public:
  struct NodeDump {
    const NodeHandle* node = nullptr;
    std::size_t dump = 0;  // index into Cluster::dumps
  };
  // Node::dumps of nodes must be shown, if they are not read.
  explicit DumpsBySize(const Cluster& cluster);
  // Those with the same text, in order of nodes; the given one is among them.
  std::vector<NodeDump> like(const Cluster& cluster, SourceId source) const;

 private:
  std::unordered_map<std::size_t, std::vector<NodeDump>> by_size_;
};

// Looks for them in what the dumps of a node showed, also beside those of others, and adds them to its own. To be called
// once, when it is loaded; of others NodeHandle::own() and links() are asked.
void find_inconsistencies(const Cluster& cluster, const DumpsBySize& dumps, Node& node);

}  // namespace egt::cluster
