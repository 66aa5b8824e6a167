// What a walk takes for true although no dump proves it, and what the snapshot lacks.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "egtrace/cluster/inconsistency.h"
#include "egtrace/engine/detail.h"
#include "egtrace/evidence/evidence.h"

namespace egt::engine {

// Behind each: what it names, and behind a semicolon what the ground for it names besides.
enum class Supposition : std::uint8_t {
  // of a host's rules and connections
  no_netfilter_rules,  // node
  icmp_error_about,    // node, whether a connection is known
  other_source_port,   // node
  random_port,         // node, port
  first_of_range,      // how many, first and last address
  iptables_tests_shown,
  packet_length,              // bytes; front end, table, chain
  connection_table_has_room,  // node; connections, most of them
  zone_stays_full,            // zone, node; connections, most of them, whether of all zones, whether packets pass all the same
  zone_has_room,              // zone, node; most connections

  // of a host's packets and neighbours
  fragments_arrive,                 // node
  fragmented,                       // node, device, bytes that fit
  pod_mtu,                          // pod, bytes; node, device
  neighbour_answers_now,            // address, node, device
  neighbour_stays_silent,           // address, node, device
  no_other_device_answers,          // address, node, device
  neighbour_discovery_passes,       // address, node, device
  queue_passes,                     // device, node; queueing discipline
  program_passes,                   // device, node
  filter_passes,                    // device, node; kind of the filter
  filters_pass,                     // device, node: there may be some
  ipsec_protects,                   // source and destination of the policy, node
  ipsec_arrives,                    // likewise
  ipsec_stays_without_association,  // likewise
  ipsec_tunnel_up,                  // node, remote address
  encrypted_fits,                   // bytes, device, node

  // of a host's settings: node, key, whether it is on
  bridge_calls_on_new_destination,
  bridge_calls_on_reset,
  tcp_loose,
  loopback_accepted,
  forwarding,
  loopback_sent,
  own_source_on_lo,
  source_validation,  // key, value; source, device
  echo_answered,      // node, key

  // of policy rules: what a name ends with is the version of IP
  default_rules_only,
  shown_rules_only,
  main_rule_shown,
  socket_of_root,       // ; priority of the rule
  rule_does_not_apply,  // priority, whether it does because it says `not`; what is not simulated
  device_not_in_group,  // device, group; priority of the rule

  // of routes: last who shows the routes and the version of IP
  no_route,         // address
  no_other_route,   // table, address
  no_better_route,  // table, address
  default_table_empty,
  local_table_from_addresses,
  vrf_table,          // device
  table_empty,        // table; version of IP
  table_not_dumped,   // table; version of IP
  routes_not_dumped,  // version of IP
  longest_prefix_of_two,
  next_hop_device,      // next hop
  route_words,          // destination; words
  one_of_equal_routes,  // address, device
  route_type,           // address
  own_addresses,        // ; version of IP
  own_address,          // address; version of IP
  no_own_address,       // address; version of IP

  // of Open vSwitch
  flows_whole,                   // bridge, node
  physical_flows_whole,          // bridge, node
  flows_not_compared,            // node
  flows_not_updated,             // node
  groups_of_flows,               // bridge, node; group
  logical_flows_realised,        // node
  host_presumed,                 // node, whether with nft alone
  device_presumed,               // node, name by which it is called, address
  uplink_presumed,               // node, name by which it is called
  flows_stay,                    // node; logical flows without OpenFlow flow, cookies without logical flow
  meter_passes,                  // meter, node
  meter_of_logical_flow_passes,  // node
  unprinted_meter_passes,        // meter, bridge, node
  mac_learned,                   // bridge, MAC, port
  tree_forwards,                 // port, bridge, node
  mirrors_take_no_port,          // bridge, node
  mirrors_take_elsewhere,        // mirror, node
  connections_picked_up,
  segments_as_handshake,  // address; zone
  connection_answered,
  address_of_range,       // address
  port_of_range,          // port; whether the range is given
  free_port,              // port; zone, port taken
  ends_as_one_state,      // whether both have closed it
  recirculates_deeper,    // node; how deep Open vSwitch as released lets it
  owner_answers_ovn,      // address, MAC; node with the device, device
  ovn_answers_host,       // address, MAC; node that asks, device
  ports_of_switch_shown,  // logical switch, node
  ovn_controller_runs,    // node
  interfaces_shown,       // node

  // between nodes
  unread_lines,                // how many, dump, whether several
  derived_mac,                 // address, MAC
  delivered_unchanged,         // node, device; MAC
  next_hop_delivers,           // node, device
  underlay_carries,            // node that sends, node that receives
  stranger_takes_nothing,      // MAC
  tunnel_route_without_mark,   // mark; node
  arrives_at_owner,            // node, device
  arrives_at_router,           // node, device
  arrives_as_asked,            // node, device
  arrives_where_request_left,  // node, device
  no_other_receiver,           // address
  copy_not_refused,            // host or pod that has it, destination
  reset_ends_connection,       // host or pod that resets it
  vlan_of_name,                // device, VLAN, node
  access_port_adds_tag,        // VLAN; node and device that send, node and device that receive
  access_port_removes_tag,     // likewise
  switch_keeps_tags,           // VLAN, node, device
  bridge_sends_by,             // bridge, port, node
  bridge_passes_vlan,          // bridge, port, node
  proxy_hands_on,              // pod, port
  pod_sends_by_network,        // pod, destination, network; device in the pod
  pod_source_validation,       // pod, key, value; source, device in the pod
  pod_without_vlan,            // pod, VLAN
  pod_socket_unbound,          // pod, address that its stack selects, address that it lacks
  advertised_route_back,       // address, node; RouteAdvertisements object
  unexplained_route_back,      // address, node
  same_physical_network,       // localnet port; node and device that send, node and device that receive
};

// Whether some dump would prove it, or prove the contrary.
constexpr bool can_be_dumped(Supposition s) {
  return s != Supposition::connection_table_has_room && s != Supposition::zone_stays_full && s != Supposition::queue_passes &&
         s != Supposition::program_passes && s != Supposition::filter_passes && s != Supposition::ipsec_protects &&
         s != Supposition::ipsec_arrives && s != Supposition::meter_passes && s != Supposition::meter_of_logical_flow_passes &&
         s != Supposition::rule_does_not_apply && s != Supposition::longest_prefix_of_two && s != Supposition::route_words &&
         s != Supposition::one_of_equal_routes && s != Supposition::mirrors_take_elsewhere && s != Supposition::route_type &&
         s != Supposition::segments_as_handshake && s != Supposition::recirculates_deeper &&
         s != Supposition::ends_as_one_state && s != Supposition::proxy_hands_on && s != Supposition::pod_socket_unbound;
}

struct Assumption {
  Supposition what{};
  Details about = {}, because = {};
  std::vector<Provenance> evidence = {};
  std::string node = {};  // where `about` does not name the node

  // With what it names behind it.
  Details as_details() const {
    Details all{what};
    all.insert(all.end(), about.begin(), about.end());
    all.insert(all.end(), because.begin(), because.end());
    return all;
  }
  // Whether both assume the same, of whatever evidence.
  bool says_as(const Assumption& o) const { return what == o.what && about == o.about && because == o.because && node == o.node; }
};

// What would have to be dumped. Behind each: what it names.
enum class Input : std::uint8_t {
  // of Open vSwitch
  flows,         // bridge
  all_flows,     // bridge, table
  groups,        // bridge
  group,         // number, bridge
  mac_table,     // bridge
  port,          // number or name, bridge
  port_numbers,  // bridge
  port_number,   // port
  port_mac,      // port
  table_number,  // name of a table, bridge
  patch_peer,    // port
  tunnel_ports,
  tunnel_options,  // port
  datapath_ports,
  switch_routes,
  switch_neighbours,
  mac_binding,     // address
  action_meaning,  // action
  multipath_links,
  shallow_pipeline,
  southbound_table,  // table

  // of hosts
  devices,
  addresses,
  device,               // device
  device_mac,           // device
  neighbour_mac,        // address, device
  tunnel_device,        // device
  vxlan_forwarding,     // device that sends into it
  bridge_forwarding,    // bridge
  device_kind,          // device
  multicast_listeners,  // group
  setting,              // key
  netfilter_rules,      // whether of IPv6
  iptables_rules,       // whether of IPv6
  nft_rules,
  one_ruleset,    // chain, table, whether of IPv6
  ipset_members,  // set
  refusal_name,   // as the rule has it

  // of nodes
  pod_macs,            // pod
  owner_of_address,    // address
  node_with_address,   // address
  host_with_mac,       // MAC, node, device
  entry,               // address
  node_dumps,          // of the node
  switch_or_database,  // bridge
  pod_with_address,    // address
  port_of_pod,         // pod
  pod_devices,         // pod, device (empty: not known)
};

// `what`: an input; a supposition that a dump could prove; or dumps that cannot be true together.
struct MissingInput {
  std::string node;  // empty: not bound to a node
  std::variant<Input, Supposition, cluster::Conflict> what;
  Details about = {};
  friend bool operator==(const MissingInput&, const MissingInput&) = default;
};

}  // namespace egt::engine
