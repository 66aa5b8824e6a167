// Why a packet ends, is refused or cannot be followed any further. docs/reasons.md has a page of them; phrases of
// explain have the words and the names that JSON prints.
#pragma once

#include <cstdint>
#include <vector>

#include "egtrace/engine/detail.h"

namespace egt::engine {

enum class Reason : std::uint8_t {
  none,  // the packet goes on, or nothing shows why not

  // flows and groups of Open vSwitch
  flow_drops,             // the flow that matches has no output
  no_flow_matches,        // the table has no flow for the packet
  no_output,              // actions are executed and none of them outputs
  flows_missing,          // the bridge's flows are not in the snapshot
  fragments_dropped,      // the bridge drops IP fragments
  tables_nest_too_deep,   // egtrace follows no deeper nesting of tables
  resubmits_too_deep,     // resubmit nests beyond the limit of Open vSwitch
  too_many_resubmits,     // more resubmits than Open vSwitch executes
  stack_too_big,          // push without pop fills the stack of Open vSwitch
  not_translated,         // Open vSwitch reports an error of translation
  flow_ttl_exceeded,      // dec_ttl of a flow finds a TTL of 1 or less
  output_to_input_port,   // a flow outputs to the port that the packet came in by
  port_not_known,         // a flow outputs to a port that no dump names
  port_missing,           // a flow outputs to a port that the bridge lacks
  port_unbound,           // no chassis has the logical port
  tunnel_keys_unknown,    // a packet in a tunnel bears keys of a datapath and ports that no dump shows
  port_no_forward,        // the port has NO_FWD set
  port_no_receive,        // the port has NO_RECV set
  port_down,              // the port has PORT_DOWN set
  port_in_tree,           // the bridge's spanning tree (STP or RSTP) does not let the port forward
  mirror_port,            // the port is the output port of a mirror: it has no other traffic
  bridge_port_blocked,    // a Linux bridge's port that does not forward: spanning tree keeps it out, or it was disabled
  bridge_vlan_blocked,    // one does not forward in a VLAN
  bridge_vlan_missing,    // a port of a Linux bridge that filters VLANs does not carry the frame's
  bridge_without_pvid,    // nor has it a VLAN for frames without a tag
  patch_peer_missing,     // the other end of a patch port is not in the snapshot
  group_missing,          // a flow names a group that the bridge lacks
  group_not_dumped,       // a flow names a group, and no groups are dumped
  no_live_bucket,         // the group has no bucket that may be used
  no_live_member,         // the bundle action has no port that is up
  input_port_unknown,     // NORMAL does not know the input port
  tagged_on_access_port,  // NORMAL receives a tagged frame on an access port
  reserved_multicast,     // NORMAL does not forward 01:80:c2:00:00:0x
  learned_on_input_port,  // NORMAL has learned the destination where the packet comes from
  tunnel_without_remote,  // remote_ip is `flow` and no flow sets tun_dst
  conntrack_full,         // the zone has as many connections as the datapath lets it have
  tunnel_to_itself,       // the tunnel's remote address is this node's own

  // ovn-controller
  controller_decides,       // a controller other than OVN's gets the packet and decides
  ovn_controller_handles,   // ovn-controller would answer or change the packet in a way that is not simulated
  ovn_controller_consumes,  // ovn-controller takes the packet for itself
  ovn_controller_drops,     // ovn-controller answers no packets of this kind
  mac_binding_missing,      // OVN has no MAC of the next hop yet
  address_on_no_port,       // nor will it get one: no port of the logical switch has the address
  ovn_rejects,              // a logical flow rejects the packet with a reset or an ICMP error

  // what becomes of a refusal
  refusal_from_other_address,  // the reset or error reaches the sender from another address
  refusal_lost,                // the reset or error of OVN does not reach the sender
  error_lost,                  // the reset or error of a host does not reach the sender
  never_answered,              // errors, fragments and multicast are refused silently
  no_address_for_error,        // the host has no address to send the error from

  // between nodes
  loop,                       // the packet crosses more devices than any path has
  input_port_number_missing,  // the port by which the packet enters the bridge has no number
  pod_port_number_missing,    // the pod's port has no OpenFlow number
  frame_macs_unknown,         // no dump shows the MACs of the pod and its gateway
  mac_not_of_pod,             // the frame has another destination than the pod's MAC
  address_not_of_pod,         // the packet reaches a pod that lacks its destination address
  host_tunnel,                // the packet enters a tunnel of the host's own
  evpn_not_followed,          // EVPN carries the packet in VXLAN of the host's own
  address_shared,             // several nodes have the tunnel's remote address
  node_missing,               // no node of the snapshot has the tunnel's remote address
  next_hop_mac_unknown,       // the frame leaves with no destination MAC
  next_hop_not_dumped,        // no device of the snapshot has the frame's MAC; the destination is on a network of the sender
  tunnel_source_missing,      // the tunnel's source address is none of the node's
  tunnel_lost,                // the outer packet does not get to the other end of the tunnel
  neighbour_is_stranger,      // the next hop's MAC is none of the node that has its address
  tunnel_end_unreachable,     // the host cannot send to the tunnel's remote address
  tunnel_end_unknown,         // the receiving node's ports are not dumped
  tunnel_peer_missing,        // the receiving node has no tunnel port to the sender
  entry_node_unknown,         // no dump shows at which node a packet from outside arrives
  entry_port_unknown,         // an excerpt of dumps: none shows the port by which the packet enters Open vSwitch
  node_not_dumped,            // the packet begins on a node of which the snapshot has no dumps
  switch_not_dumped,          // the packet begins on a node of which neither OpenFlow flows nor logical flows are in the snapshot
  pod_unknown,                // an address of the pods' networks that no pod of the snapshot has
  pod_unknown_on,             // the same, where it is known to which node's network it belongs
  pod_without_port,           // the dumps of the pod's node show no port for it in Open vSwitch
  user_defined_network,       // the pod sends or receives by one, and no dump shows its port there
  primary_network_unknown,    // the pod has a port on one, and no dump shows which of its networks is the primary one
  network_not_of_ovn,         // the pod sends by a network that another CNI plugin has made
  pod_next_hop_unknown,       // a route of the pod's own leads to a next hop of which no dump shows the MAC
  pod_sends_by_other,         // the pod's own routes lead to a device that is none of its interfaces in Open vSwitch
  taken_by_local_proxy,       // rules in the pod's network namespace hand the connection to a proxy there
  translated_in_pod,          // rules there translate the connection in another way
  network_without_gateway,  // the pod is on the network that is asked for, and sends to the destination by none of its routes there
  localnet_not_mapped,      // no patch port connects the localnet port of the receiver's switch with a bridge of its node
  entry_device_unknown,     // no dump shows the device by which a packet from outside arrives
  reply_unexpected,         // the reply arrives at another place, or from another address, than the client waits for
  reply_reset,              // another host or pod has a copy of the reply, and resets the connection, which it does not have
  reply_leaves,             // the reply goes to nodes that no dump shows, and the client is none of them

  // devices and frames of a host
  device_down,               // the device is administratively down
  device_missing,            // the host lacks the device
  no_carrier,                // the device has no link
  frame_cut,                 // a flow sends only the first bytes of the frame, which no receiver takes
  network_host_unknown,      // databases do not show what the host does with packets of a user-defined network
  host_egress_unknown,       // nor how packets leave that an object sends out through the host
  pod_address_outside,       // the packet leaves the cluster for the address of a pod
  dummy_device,              // a dummy device discards what it is to send
  vlan_without_device,       // a frame of a VLAN for which the node has no device on that link
  device_kind_unknown,       // no dump shows what kind of device stands on the one that received the frame
  not_ip,                    // only IP packets are followed through a host
  later_fragment,            // fragments behind the first one are not followed
  mac_not_of_device,         // the frame has another destination than the device's MAC
  loopback_from_outside,     // an IPv6 loopback address comes from a wire
  multicast_source,          // a multicast address stands as source
  martian_source,            // IPv4 never accepts this source
  martian_destination,       // IPv4 never accepts this destination
  loopback_not_accepted,     // 127/8 from a wire without route_localnet
  loopback_not_sent,         // 127/8 is to leave the host without route_localnet
  multicast_not_simulated,   // multicast is not followed through a host
  bridge_forwards,           // a Linux bridge forwards the frame by a port that no dump shows
  bridge_has_no_other_port,  // bridge-nf-call lets a bridge forward where it has one port
  bridge_port_unknown,       // bridge-nf-call lets a bridge forward by a port that no dump shows

  // source validation
  own_source,                 // a packet from outside has the host's own address as source
  own_or_broadcast_source,    // likewise, or a broadcast address
  own_source_on_lo,           // NAT makes a packet of the host come back by lo without its route
  reverse_path_no_address,    // rp_filter asks a device that has no IPv4 address
  reverse_path_no_route,      // rp_filter finds no route back to the source
  reverse_path_other_device,  // strict rp_filter finds the route back by another device

  // IPsec: source and destination of the policy
  ipsec_policy_blocks,
  ipsec_association_missing,
  ipsec_tunnel,  // the packet goes into another one, which is not followed

  // routing and forwarding
  forwarding_off,            // net.ipv4.conf.DEVICE.forwarding is 0
  ipv6_disabled,             // net.ipv6.conf.DEVICE.disable_ipv6 is 1
  forwarding_off_v6,         // net.ipv6.conf.all.forwarding is 0
  ttl_exceeded,              // the TTL or hop limit reaches zero
  mtu_exceeded,              // the packet is larger than the MTU and may not be fragmented
  broadcast_frame,           // a broadcast frame holds a packet for another node
  link_local_source,         // a link-local source is to leave its link
  route_unknown,             // no dump shows the route
  route_undecided,           // the route depends on something that no dump shows
  blackhole,                 // a route or policy rule of type blackhole
  prohibited,                // a route or policy rule of type prohibit
  unreachable,               // a route or policy rule of type unreachable
  no_route,                  // no table has a route
  tcp_to_many,               // TCP to a broadcast or multicast address
  no_link_for_broadcast,     // the limited broadcast has no link to go to
  source_unknown,            // the host's addresses are not dumped
  no_source,                 // the host has no address to send from
  source_not_own,            // IPv4 sends nothing from an address that the local table lacks
  neighbour_unknown,         // no dump shows the MAC of the next hop
  neighbour_unresolved,      // the next hop does not answer ARP or neighbour solicitation
  neighbour_discovery_lost,  // by the dumps, ARP or neighbour discovery with it is lost: node
  arp_off,                   // the device resolves no addresses, and no neighbour entry was set
  echo_ignored,              // the host does not answer echo requests

  // netfilter and conntrack
  rule_drops,                   // a rule with verdict drop
  rule_rejects,                 // a rule with verdict reject
  policy_drops,                 // no rule accepts, and the policy of the base chain is drop
  queue_drops,                  // a process behind NFQUEUE drops
  no_transparent_socket,        // TPROXY finds no proxy that listens
  taken_by_proxy,               // a proxy's socket has the packet, which its route leads on
  statement_unknown,            // a rule has a statement that egtrace does not know
  chain_missing,                // a rule jumps to a chain that the dump lacks
  rule_undecided,               // a rule depends on something that no dump shows
  chains_loop,                  // chains jump to each other without end
  translation_rules_missing,    // a node's rules are not dumped, so nothing shows the source it leaves with
  masquerade_moved,             // a masqueraded connection is to leave by another device
  reply_tuple_taken,            // two connections would have the same reply tuple
  translation_address_unknown,  // no dump shows the address to translate to
  no_translation_address,       // the device of MASQUERADE or REDIRECT has no address

  // copies that TEE and dup send
  too_many_copies,      // rules make more copies than are followed
  copies_of_copies,     // a copy is copied again without end
  copy_target_unknown,  // the gateway of TEE or dup is not understood
  copy_undecided,       // the copy's path depends on something that no dump shows
  copy_for_this_host,   // the gateway of TEE or dup is the node itself
};

// A reason, and what follows from it: for example a refusal that does not reach the sender.
struct Cause {
  Reason reason = Reason::none;
  Details about = {};
  std::vector<Cause> then = {};
};

}  // namespace egt::engine
