#include "egtrace/explain/phrases.h"
#include "phrase.h"

namespace egt::explain {
namespace {

using namespace engine;

constexpr Phrase<Reason> kReasons[] = {
    {Reason::none, "none", ""},
    // flows and groups of Open vSwitch
    {Reason::flow_drops, "flow-drops", "a flow drops it"},
    {Reason::no_flow_matches, "no-flow-matches", "no flow matches"},
    {Reason::no_output, "no-output", "no action outputs the packet"},
    {Reason::flows_missing, "flows-missing", "the snapshot does not hold the flows of {0}"},
    {Reason::fragments_dropped, "fragments-dropped", "{0} drops fragments (frags=drop)"},
    {Reason::tables_nest_too_deep, "tables-nest-too-deep", "the tables nest deeper than is followed here"},
    {Reason::resubmits_too_deep, "resubmits-too-deep",
     "resubmits go deeper than 64 levels: Open vSwitch gives up and drops the packet"},
    {Reason::too_many_resubmits, "too-many-resubmits",
     "more than 4096 resubmits: Open vSwitch gives up and drops the packet"},
    {Reason::stack_too_big, "stack-too-big",
     "the stack of push and pop grows beyond 64 kB: Open vSwitch gives up and drops the packet"},
    {Reason::not_translated, "not-translated", "Open vSwitch cannot translate it and drops the packet"},
    {Reason::flow_ttl_exceeded, "flow-ttl-exceeded", "its TTL is used up"},
    {Reason::output_to_input_port, "output-to-input-port",
     "it would go out by the port that it came in by, which Open vSwitch skips"},
    {Reason::port_not_known, "port-not-known", "the snapshot does not show what port {0} is"},
    {Reason::port_missing, "port-missing", "port {0} does not exist"},
    {Reason::port_unbound, "port-unbound", "no chassis has the logical port {0}"},
    {Reason::port_no_forward, "port-no-forward", "port {0} has NO_FWD set: Open vSwitch outputs nothing to it"},
    {Reason::port_no_receive, "port-no-receive", "port {0} has NO_RECV set: Open vSwitch drops what it receives"},
    {Reason::port_down, "port-down", "port {0} is down"},
    {Reason::bridge_port_blocked, "bridge-port-blocked", "port {0} of bridge {1} is {2}"},
    {Reason::patch_peer_missing, "patch-peer-missing", "the peer of patch port {0} is not in the snapshot"},
    {Reason::group_missing, "group-missing", "group {0} of {1} is not there"},
    {Reason::group_not_dumped, "group-not-dumped", "group {0} of {1} is not in the snapshot"},
    {Reason::no_live_bucket, "no-live-bucket", "the group has no live bucket"},
    {Reason::no_live_member, "no-live-member", "no member of the bundle is live"},
    {Reason::input_port_unknown, "input-port-unknown", "NORMAL drops what came in by no known port"},
    {Reason::tagged_on_access_port, "tagged-on-access-port", "a tagged frame on access port {0}"},
    {Reason::reserved_multicast, "reserved-multicast", "NORMAL drops reserved multicast"},
    {Reason::learned_on_input_port, "learned-on-input-port",
     "its destination MAC was learned on the port it came in by"},
    {Reason::tunnel_without_remote, "tunnel-without-remote", "tunnel port {0} has no remote address for it"},
    {Reason::tunnel_to_itself, "tunnel-to-itself", "the tunnel would lead to this machine itself"},
    // ovn-controller
    {Reason::controller_decides, "controller-decides", "the controller decides what happens next"},
    {Reason::ovn_controller_handles, "ovn-controller-handles", "ovn-controller would handle it ({0}) and send it on"},
    {Reason::ovn_controller_consumes, "ovn-controller-consumes", "ovn-controller consumes it ({0})"},
    {Reason::ovn_controller_drops, "ovn-controller-drops", "a flow hands it to ovn-controller, which drops it"},
    {Reason::mac_binding_missing, "mac-binding-missing",
     "no MAC_Binding has {0}: ovn-controller would send a request for it and hold the packet back until the reply "
     "comes"},
    {Reason::address_on_no_port, "address-on-no-port", "no port on logical switch {1} has the next hop {0}"},
    {Reason::ovn_rejects, "ovn-rejects", "a flow makes ovn-controller refuse it[ with {0}]"},
    // what becomes of a refusal
    {Reason::refusal_from_other_address, "refusal-from-other-address",
     "that reaches the sender from {0} instead of {1}, so that the sender ignores it and waits until it times out"},
    {Reason::refusal_lost, "refusal-lost", "but that does not reach the sender as an answer"},
    {Reason::error_lost, "error-lost", "the error message does not reach the sender"},
    {Reason::never_answered, "never-answered", "packets of this kind are not answered"},
    {Reason::no_address_for_error, "no-address-for-error",
     "the host finds no address of its own for the error message"},
    // between machines
    {Reason::loop, "loop", "the packet goes around in circles"},
    {Reason::input_port_number_missing, "input-port-number-missing",
     "the port by which the packet enters the bridge has no number in these dumps"},
    {Reason::pod_port_number_missing, "pod-port-number-missing", "the packet cannot enter the bridge"},
    {Reason::frame_macs_unknown, "frame-macs-unknown", "the frame's MAC addresses are not known"},
    {Reason::mac_not_of_pod, "mac-not-of-pod", "the frame is for {0}, not for the pod's {1}"},
    {Reason::address_not_of_pod, "address-not-of-pod", "{0} is not an address of the pod"},
    {Reason::host_tunnel, "host-tunnel", "tunnels of the host itself are not followed"},
    {Reason::address_shared, "address-shared", "several machines of the snapshot have that address"},
    {Reason::node_missing, "node-missing", "the snapshot holds no machine with address {0}"},
    {Reason::next_hop_mac_unknown, "next-hop-mac-unknown", "no dump shows the next hop's MAC"},
    {Reason::tunnel_source_missing, "tunnel-source-missing", "the tunnel's source address {0} is not an address of this machine"},
    {Reason::tunnel_lost, "tunnel-lost", "so the {0} packet from {1} to {2} that carries it is lost"},
    {Reason::neighbour_is_stranger, "neighbour-is-stranger", "it is sent to MAC {0}, but {1} is {2}, whose MAC is {3}"},
    {Reason::tunnel_end_unreachable, "tunnel-end-unreachable", "no route to tunnel endpoint {0}"},
    {Reason::tunnel_end_unknown, "tunnel-end-unknown", "the end of the tunnel is not in the snapshot"},
    {Reason::tunnel_peer_missing, "tunnel-peer-missing", "no tunnel port of this node has that remote address"},
    {Reason::entry_node_unknown, "entry-node-unknown", "the snapshot does not show at which node the packet arrives"},
    {Reason::entry_port_unknown, "entry-port-unknown",
     "the snapshot does not show by which port the packet enters Open vSwitch"},
    {Reason::node_not_dumped, "node-not-dumped", "the snapshot has no dumps of {0}, where the path of {1} begins"},
    {Reason::pod_unknown, "pod-unknown", "no pod of the snapshot has {0}"},
    {Reason::pod_unknown_on, "pod-unknown-on", "no pod of the snapshot has {0}; it is in the subnet of {1}"},
    {Reason::pod_without_port, "pod-without-port", "the dumps of {1} show no port of Open vSwitch for {0}, which runs there"},
    {Reason::user_defined_network, "user-defined-network", "{0} is on user-defined network {1}, and no dump shows its port there"},
    {Reason::primary_network_unknown, "primary-network-unknown",
     "{0} has a port on network {1} as well, and no dump shows which of its networks is the primary one"},
    {Reason::entry_device_unknown, "entry-device-unknown", "the device by which the packet arrives is not known"},
    {Reason::reply_unexpected, "reply-unexpected", "the reply arrives where no process expects it"},
    {Reason::reply_leaves, "reply-leaves", "the reply leaves again for {0}, and the snapshot does not show what receives it there"},
    // devices and frames of a host
    {Reason::device_down, "device-down", "the device is down"},
    {Reason::device_missing, "device-missing", "the host has no such device"},
    {Reason::no_carrier, "no-carrier", "the device has no carrier"},
    {Reason::network_host_unknown, "network-host-unknown", "no dump shows {0}, which is the host's device on a user-defined network"},
    {Reason::pod_address_outside, "pod-address-outside", "the packet leaves the cluster for {0}, which is the address of pod {1}"},
    {Reason::dummy_device, "dummy-device", "a dummy device discards what it is to send"},
    {Reason::vlan_without_device, "vlan-without-device", "the frame is of VLAN {0}, for which {1} has no device"},
    {Reason::device_kind_unknown, "device-kind-unknown", "no dump tells what kind of device stands on the one that receives the frame"},
    {Reason::not_ip, "not-ip", "only IP packets are walked through a host"},
    {Reason::later_fragment, "later-fragment",
     "the host reassembles fragments first; the path of the first fragment is shown"},
    {Reason::mac_not_of_device, "mac-not-of-device", "the frame is for {0}, not for the device's {1}"},
    {Reason::loopback_from_outside, "loopback-from-outside", "a loopback address comes from outside"},
    {Reason::multicast_source, "multicast-source", "the source is a multicast address"},
    {Reason::martian_source, "martian-source", "{0} is no source address (martian source)"},
    {Reason::martian_destination, "martian-destination", "{0} is no destination (martian)"},
    {Reason::loopback_not_accepted, "loopback-not-accepted",
     "{0} from outside is dropped unless route_localnet is set (martian)"},
    {Reason::loopback_not_sent, "loopback-not-sent", "{0} does not leave the host unless route_localnet is set on {1}"},
    {Reason::multicast_not_simulated, "multicast-not-simulated", "multicast is not simulated"},
    {Reason::bridge_has_no_other_port, "bridge-has-no-other-port",
     "bridge-nf-call lets the bridge {0} itself send on what has a new destination behind it; its only port is "
     "the one that the packet came by"},
    {Reason::bridge_port_unknown, "bridge-port-unknown",
     "bridge-nf-call lets the bridge {0} itself send on what has a new destination behind it, by a port that no "
     "dump shows"},
    // source validation
    {Reason::own_source, "own-source", "{0} is an address of this host"},
    {Reason::own_or_broadcast_source, "own-or-broadcast-source",
     "{0} is an address of this host or a broadcast address"},
    {Reason::own_source_on_lo, "own-source-on-lo",
     "{0} is an address of this host, and the packet is routed once more on lo"},
    {Reason::reverse_path_no_address, "reverse-path-no-address", "reverse path filter: {0} has no IPv4 address"},
    {Reason::reverse_path_no_route, "reverse-path-no-route", "reverse path filter: no route back to {0}"},
    {Reason::reverse_path_other_device, "reverse-path-other-device",
     "strict reverse path filter: packets from {0} are expected on {2..}, not on {1}"},
    // routing and forwarding
    {Reason::forwarding_off, "forwarding-off", "forwarding is off on {0}"},
    {Reason::ipv6_disabled, "ipv6-disabled", "IPv6 is disabled on {0}"},
    {Reason::forwarding_off_v6, "forwarding-off-v6", "IPv6 forwarding is off on this host"},
    {Reason::ttl_exceeded, "ttl-exceeded", "the TTL of {0} is used up"},
    {Reason::mtu_exceeded, "mtu-exceeded", "{0} bytes are more than the MTU {1} of {2}"},
    {Reason::broadcast_frame, "broadcast-frame", "the frame was sent to all; only frames to this host are forwarded"},
    {Reason::link_local_source, "link-local-source", "{0} is valid on its own link only"},
    {Reason::route_unknown, "route-unknown", "the route is not known"},
    {Reason::route_undecided, "route-undecided", "{0}"},
    {Reason::blackhole, "blackhole", "{0} goes into a black hole"},
    {Reason::prohibited, "prohibited", "a {1|policy rule|route} prohibits {0}"},
    {Reason::unreachable, "unreachable", "a {1|policy rule|route} declares {0} unreachable"},
    {Reason::no_route, "no-route", "no route to {0}"},
    {Reason::tcp_to_many, "tcp-to-many", "TCP does not connect to {0}, which is no address of one machine"},
    {Reason::no_link_for_broadcast, "no-link-for-broadcast",
     "{0} is no address of this host, and names no link for {1}"},
    {Reason::source_unknown, "source-unknown", "the host's addresses are not known"},
    {Reason::no_source, "no-source", "the host has no address to send from"},
    {Reason::neighbour_unknown, "neighbour-unknown", "no dump shows who has this address"},
    {Reason::neighbour_unresolved, "neighbour-unresolved", "no device replies for this address"},
    {Reason::arp_off, "arp-off", "ARP is off on {0}, which sends to its own MAC what no neighbour entry was set for"},
    {Reason::echo_ignored, "echo-ignored", "{0} answers no echo requests"},
    // netfilter and conntrack
    {Reason::rule_drops, "rule-drops", "a rule of chain {0} drops it"},
    {Reason::rule_rejects, "rule-rejects", "a rule of chain {0} rejects it"},
    {Reason::policy_drops, "policy-drops", "the policy of chain {0} is drop"},
    {Reason::queue_drops, "queue-drops", "the process behind the queue drops it"},
    {Reason::no_transparent_socket, "no-transparent-socket", "TPROXY finds no socket for it"},
    {Reason::statement_unknown, "statement-unknown", "the statement \"{0}\" is not understood"},
    {Reason::chain_missing, "chain-missing", "chain {0} is not in the dump"},
    {Reason::rule_undecided, "rule-undecided", "a rule depends on {0}, which the dumps do not show"},
    {Reason::chains_loop, "chains-loop", "chains call each other without end"},
    {Reason::translation_rules_missing, "translation-rules-missing",
     "no dump shows the rules by which this node translates sources"},
    {Reason::masquerade_moved, "masquerade-moved",
     "MASQUERADE translated the connection for {0}, and the packet is to leave by {1}: the connection is forgotten"},
    {Reason::reply_tuple_taken, "reply-tuple-taken",
     "another connection is already answered from {0} to {1} port {2}, and the translation leaves no other port"},
    {Reason::translation_address_unknown, "translation-address-unknown", "the address to translate to is not known"},
    {Reason::no_translation_address, "no-translation-address", "there is no address to translate to"},
    // copies that TEE and dup send
    {Reason::too_many_copies, "too-many-copies", "rules copy the packet too often"},
    {Reason::copies_of_copies, "copies-of-copies", "each copy is copied again"},
    {Reason::copy_target_unknown, "copy-target-unknown", "where the rule sends it is not understood"},
    {Reason::copy_undecided, "copy-undecided", "its path depends on: {0}"},
    {Reason::copy_for_this_machine, "copy-for-this-machine", "the gateway is one of its own addresses"},
};
static_assert(is_complete(kReasons));

}  // namespace

std::string_view reason_name(Reason reason) { return kReasons[static_cast<std::size_t>(reason)].name; }

std::string phrase_alone(const engine::Cause& cause) {
  return fill(kReasons[static_cast<std::size_t>(cause.reason)].words, cause.about);
}

std::string phrase(const engine::Cause& cause) {
  std::string text = phrase_alone(cause);
  for (const engine::Cause& next : cause.then) text += "; " + phrase(next);
  return text;
}

}  // namespace egt::explain
