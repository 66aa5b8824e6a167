// What dumps of one machine tell that cannot be true of it together: one of them is damaged, of another machine or of
// another moment. Nobody knows which, so what rests on any of them has no proof.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/base/ip.h"

namespace egt::cluster {

class Cluster;
struct Node;

// What cannot be true together. Behind each: what it names.
enum class Conflict : std::uint8_t {
  flows_of_other_ports,             // bridge, ports asked for, ports that it lacks
  flows_of_integration_bridge,      // bridge
  flows_with_macs_of,               // bridge, machine
  flows_without_logical_flows,      // bridge
  port_number,                      // port, bridge
  bridge_of_port,                   // port, two bridges
  patch_within_bridge,              // port, bridge
  port_setting,                     // setting, port, bridge
  tunnel_to_no_chassis,             // address, port
  tunnel_from_elsewhere,            // port, address
  settings_of_other_devices,        // device
  macs_of_device,                   // device
  bridge_without_device,            // bridge
  bridge_with_other_mac,            // bridge
  switch_without_device,            // bridge
  copied_dump,                      // kind, machine
  rules_with_devices_of,            // command, device, machine
  rules_not_listed,                 // command, table
  copied_rules,                     // command, machine
  pod_addresses,                    // pod, port
  routes,                           // destination, table, option of ip
};

struct Contradiction {
  enum class About { machine, bridge, port, routes, netfilter };
  About about = About::machine;
  std::string name;           // of the bridge or port
  std::optional<Prefix> to;   // of routes: those to which packets are concerned
  Conflict conflict{};
  std::vector<std::string> names = {};
  friend bool operator==(const Contradiction&, const Contradiction&) = default;
};

// Takes bridges away of which none is a device of the machine: their dumps are of another one. To be called once a
// machine's dumps are loaded.
void leave_out_foreign_switch(Node& node);

// Looks for them in what all dumps told, and adds them to the nodes' own. To be called once, when everything is loaded.
void notice_contradictions(Cluster& cluster);

}  // namespace egt::cluster
