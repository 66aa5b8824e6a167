#include "egtrace/explain/phrases.h"
#include "phrase.h"

namespace egt::explain {
namespace {

using namespace engine;

constexpr std::string_view kSetting = "{0}: {1} is {2|off|on}";
constexpr std::string_view kRouteSources =
    "{-2|the dump does not hold all routing tables|the routes are of FRR's routing table, as no dump shows the kernel's|"
    "the routes are those that FRR's protocols offer, as no dump shows the kernel's}";
constexpr std::string_view kRoutesCommand = "ip -{-1} route show table all";

constexpr Phrase<Supposition> kSuppositions[] = {
    // of a host's rules and connections
    {Supposition::no_netfilter_rules, "no-netfilter-rules", "{0} has no netfilter rules that concern the packet",
     "neither iptables nor nft rules are in the snapshot"},
    {Supposition::icmp_error_about, "icmp-error-about",
     "the ICMP error on {0} is about {1|no connection of its table|the newest connection of its receiver}",
     "the packet that an error message quotes is not simulated"},
    {Supposition::other_source_port, "other-source-port", "the translation on {0} chooses another source port",
     "another connection has the port already; which one the kernel chooses is not known"},
    {Supposition::random_port, "random-port", "the translation on {0} chooses port {1}", "the kernel picks one at random"},
    {Supposition::first_of_range, "first-of-range", "the translation chooses one of the first {0} addresses of {1}-{2}",
     "the kernel picks by a hash of the addresses"},
    {Supposition::iptables_tests_shown, "iptables-tests-shown", "the tests of iptables' rules are all shown by nft list ruleset",
     "nft does not print every test of iptables, and iptables-save is not in the snapshot"},
    {Supposition::packet_length, "packet-length", "the packet is {0} bytes long", "a rule of {1} {2} {3} matches its length"},
    {Supposition::connection_table_has_room, "connection-table-has-room", "conntrack of {0} makes room for the connection",
     "it has {1} of at most {2}, and drops the first packet of a connection where none can be evicted"},
    // of a host's packets and neighbours
    {Supposition::fragments_arrive, "fragments-arrive", "the other fragments arrive on {0} too",
     "the host puts the packet together from them all"},
    {Supposition::fragmented, "fragmented", "{0} sends the packet in fragments, and all of them take its path",
     "it may be fragmented, and the MTU of {1} is {2} bytes"},
    {Supposition::neighbour_answers_now, "neighbour-answers-now", "{0} answers on {1} {2} now",
     "it did not when the neighbour table was dumped, and a machine of the snapshot has the address"},
    {Supposition::neighbour_stays_silent, "neighbour-stays-silent", "{0} still does not answer on {1} {2}",
     "it did not when the neighbour table was dumped"},
    {Supposition::neighbour_discovery_passes, "neighbour-discovery-passes",
     "rules let neighbour discovery of {0} on {1} {2} through", "what decides in some of them no dump shows"},
    {Supposition::queue_passes, "queue-passes", "the queueing discipline of {0} on {1} lets the packet through",
     "{2} may drop packets, and no dump shows its parameters"},
    {Supposition::program_passes, "program-passes", "the XDP program on {0} of {1} lets the packet through",
     "no dump shows what it does"},
    {Supposition::filter_passes, "filter-passes", "the tc filter ({2}) on {0} of {1} lets the packet through unchanged",
     "what it does is not simulated"},
    {Supposition::filters_pass, "filters-pass", "{0} of {1} has no tc filter that changes or drops the packet",
     "it has a qdisc for filters, and no dump lists them",
     "tc filter show dev {0} ingress; tc filter show dev {0} egress; bpftool net"},
    {Supposition::ipsec_protects, "ipsec-protects",
     "what the IPsec policy from {0} to {1} of {2} encrypts arrives and is decrypted",
     "encryption and key exchange are not simulated"},
    {Supposition::ipsec_arrives, "ipsec-arrives", "the packet reaches {2} encrypted, as its IPsec policy from {0} to {1} wants",
     "one that is not encrypted would be dropped"},
    {Supposition::ipsec_stays_without_association, "ipsec-stays-without-association",
     "{2} gets no security association for its IPsec policy from {0} to {1}",
     "it had none when it was dumped, and a daemon may negotiate one", "ip xfrm state list nokeys"},
    {Supposition::ipsec_tunnel_up, "ipsec-tunnel-up", "the IPsec connection of the tunnel from {0} to {1} is up",
     "the tunnel's port is to be encrypted, and no dump shows the kernel's IPsec policies",
     "ip xfrm policy; ovs-appctl -t ovs-monitor-ipsec tunnels/show"},
    // of a host's settings: node, key, whether it is on
    {Supposition::bridge_calls_on_new_destination, "bridge-calls-on-new-destination", kSetting,
     "a packet with a new destination leaves by the bridge that it came from"},
    {Supposition::bridge_calls_on_reset, "bridge-calls-on-reset", kSetting, "a reset answers a packet that came by a bridge"},
    {Supposition::tcp_loose, "tcp-loose", kSetting, "a TCP packet that opens no connection comes where conntrack has none"},
    {Supposition::loopback_accepted, "loopback-accepted", kSetting, "a packet with a loopback address comes from outside"},
    {Supposition::forwarding, "forwarding", kSetting, "the packet is to be forwarded"},
    {Supposition::loopback_sent, "loopback-sent", kSetting, "a packet with a loopback address is to leave the host"},
    {Supposition::own_source_on_lo, "own-source-on-lo", kSetting, "a packet of this host is routed once more on lo"},
    {Supposition::source_validation, "source-validation", "{0} is {1}", "whether packets from {2} are taken on {3} hangs on it",
     "sysctl {0}"},
    {Supposition::echo_answered, "echo-answered", "{0} answers echo requests",
     "no dump shows {1}, which is off where nobody sets it", "sysctl {1} on {0}"},
    // of policy rules: what a name ends with is the version of IP
    {Supposition::default_rules_only, "default-rules-only", "no policy rules besides the default ones",
     "the policy rules are not in the snapshot", "ip -{-1} rule"},
    {Supposition::shown_rules_only, "shown-rules-only", "no policy rules besides the ones shown and the default ones",
     "the dump of policy rules is an excerpt", "ip -{-1} rule"},
    {Supposition::socket_of_root, "socket-of-root", "the socket belongs to root", "rule {0} matches the owner of the socket",
     "ss -tunpe"},
    {Supposition::rule_does_not_apply, "rule-does-not-apply", "policy rule {0} {1|does not apply|applies}",
     "its condition \"{2}\" is not simulated, and taken for not met"},
    {Supposition::device_not_in_group, "device-not-in-group", "{0} is in no device group {1}",
     "policy rule {2} passes over routes by such devices", "ip -d link"},
    // of routes: last who shows the routes and the version of IP
    {Supposition::no_route, "no-route", "no route to {0}", kRouteSources, kRoutesCommand},
    {Supposition::no_other_route, "no-other-route", "table {0} has no other route to {1}", kRouteSources, kRoutesCommand},
    {Supposition::no_better_route, "no-better-route", "table {0} has no better route to {1}", kRouteSources, kRoutesCommand},
    {Supposition::default_table_empty, "default-table-empty", "the table named default is empty", kRouteSources, kRoutesCommand},
    {Supposition::local_table_from_addresses, "local-table-from-addresses",
     "the local routing table is what follows from the addresses", kRouteSources, kRoutesCommand},
    {Supposition::vrf_table, "vrf-table", "routing table of VRF {0}", "the dump of devices does not name it",
     "ip -d link show {0}"},
    {Supposition::table_empty, "table-empty", "routing table {0} is empty",
     "a policy rule sends the packet there, and the dump shows no route in a table of this name",
     "ip -{-1} route show table {0}"},
    {Supposition::table_not_dumped, "table-not-dumped", "routing table {0}",
     "a policy rule sends the packet there and the dump does not hold it", "ip -{-1} route show table {0}"},
    {Supposition::routes_not_dumped, "routes-not-dumped", "IPv{0} routes", "they are not in the snapshot", kRoutesCommand},
    {Supposition::longest_prefix_of_two, "longest-prefix-of-two", "the longest prefix of the tables local and main wins",
     "this host never had another policy rule"},
    {Supposition::next_hop_device, "next-hop-device", "the device that leads to next hop {0}", "no dump shows it",
     "ip route get {0}"},
    {Supposition::route_words, "route-words", "the route to {0} does what its other words say", "\"{1}\" is not simulated"},
    {Supposition::one_of_equal_routes, "one-of-equal-routes", "packets to {0} leave by {1}",
     "several devices have the same route"},
    {Supposition::route_type, "route-type", "what a route of this type does with {0}", "the route's type is not simulated"},
    {Supposition::own_addresses, "own-addresses", "own addresses", "neither addresses nor routing tables are in the snapshot",
     kRoutesCommand},
    {Supposition::own_address, "own-address", "{0} is an address of this host", "a route uses it as source", kRoutesCommand},
    {Supposition::no_own_address, "no-own-address", "{0} is no address of this host",
     "neither its addresses nor its local routing table are in the snapshot", kRoutesCommand},
    // of Open vSwitch
    {Supposition::flows_whole, "flows-whole", "the dump of the flows of {0} on {1} is whole",
     "none of them matches, and no other dump shows how many there are"},
    {Supposition::physical_flows_whole, "physical-flows-whole", "the dump of the flows of {0} on {1} is whole",
     "no flow for a port matches the packet, and no logical flow shows how many of those there are"},
    {Supposition::flows_not_compared, "flows-not-compared", "the dump of the flows of {0} is whole",
     "no logical flows of the same time are in the snapshot to compare it with"},
    {Supposition::flows_not_updated, "flows-not-updated", "the flows of {0} stay as they are",
     "its ovn-controller is not connected to the southbound database, and changes them once it is"},
    {Supposition::groups_of_flows, "groups-of-flows", "the groups of {0} on {1} were dumped together with its flows",
     "group {2} does not have the backends, or not the next table, of the flow and logical flow that lead to it"},
    {Supposition::logical_flows_realised, "logical-flows-realised", "ovn-controller on {0} has realised its logical flows",
     "its OpenFlow flows are not in the snapshot, so its logical flows are walked", "ovs-ofctl dump-flows br-int"},
    {Supposition::host_presumed, "host-presumed", "the host {0} is set up as OVN-Kubernetes does it, with {1|iptables|nft alone}",
     "no dump of the host is in the snapshot; it is inferred from annotations, objects and databases", "sosreport of {0}"},
    {Supposition::device_presumed, "device-presumed", "{0} has a device of its own for {2}, called {1} here",
     "annotations have the address, and no dump has the name and MAC of its device", "ip addr on {0}"},
    {Supposition::uplink_presumed, "uplink-presumed", "the NIC behind the external bridge of {0} is called {1} here",
     "no dump has its name", "ovs-vsctl show on {0}"},
    {Supposition::flows_stay, "flows-stay", "the flows of {0} stay as they are",
     "they differ from the logical flows: {1} logical flows lack OpenFlow flows, {2} cookies have no logical flow"},
    {Supposition::meter_passes, "meter-passes", "meter {0} of {1} lets the packet through",
     "it drops what exceeds its rate, and no dump shows what else it meters"},
    {Supposition::meter_of_logical_flow_passes, "meter-of-logical-flow-passes",
     "the meter of a QoS rule of {0} lets the packet through",
     "its logical flow says set_meter, and no dump shows what else it meters"},
    {Supposition::mac_learned, "mac-learned", "{0} has learned {1} on port {2}",
     "[its MAC table had it there, and {3} has the same address||its MAC table is not in the snapshot, and that port has this "
     "address]"},
    {Supposition::tree_forwards, "tree-forwards", "port {0} of {1} on {2} forwards",
     "{1} has a spanning tree, and no dump shows the port's state in it", "ovs-vsctl list port on {2}"},
    {Supposition::connections_picked_up, "connections-picked-up", "conntrack picks up TCP connections in their midst",
     "no dump shows net.netfilter.nf_conntrack_tcp_loose"},
    {Supposition::connection_answered, "connection-answered", "the dumped connection has seen an answer and carries no label",
     "its dump does not print them"},
    {Supposition::address_of_range, "address-of-range", "the connection is translated to {0}",
     "conntrack may choose any address of the range"},
    {Supposition::port_of_range, "port-of-range", "the connection is translated to port {0}",
     "conntrack {1|chooses a port at random|may choose any port of the range}"},
    {Supposition::free_port, "free-port", "the source port becomes {0}",
     "another connection of zone {1} uses {2} already, so conntrack chooses a free one"},
    {Supposition::owner_answers_ovn, "owner-answers-ovn", "{0} answers ovn-controller's request with {1}",
     "OVN has no MAC binding for it yet, and the dumps show that MAC for the address on the link of {2} {3}"},
    {Supposition::ovn_answers_host, "ovn-answers-host", "OVN answers {2}'s ARP or neighbour discovery request for {0} with {1}",
     "that is the MAC of the pod's port, and the neighbour table of {2} {3} has no entry for it"},
    {Supposition::ports_of_switch_shown, "ports-of-switch-shown",
     "logical switch {0} has no port beside those in the dumps of {1}", "all of them have other addresses"},
    {Supposition::interfaces_shown, "interfaces-shown", "Open vSwitch on {0} has no interface beside those in its dumps",
     "others of them have the iface-id of a pod"},
    // between machines
    {Supposition::unread_lines, "unread-lines", "{0} unread line{2||s} of {1} change{2|s|} nothing", "they are not understood"},
    {Supposition::derived_mac, "derived-mac", "{0} has MAC {1}",
     "OVN-Kubernetes derives MACs of router ports from their IPv4 addresses; no dump says it"},
    {Supposition::delivered_unchanged, "delivered-unchanged", "what lies behind {0} {1} delivers the packet unchanged",
     "the snapshot holds no machine with MAC {2}"},
    {Supposition::next_hop_delivers, "next-hop-delivers", "the next hop behind {0} {1} delivers the packet unchanged",
     "no dump shows which machine it is"},
    {Supposition::underlay_carries, "underlay-carries", "the network between {0} and {1} carries the tunnel's packets",
     "the snapshot does not show all of their path"},
    {Supposition::stranger_takes_nothing, "stranger-takes-nothing", "no device forwards what is sent to {0}",
     "the snapshot holds no machine with that MAC"},
    {Supposition::tunnel_route_without_mark, "tunnel-route-without-mark",
     "Open vSwitch sends tunnelled packets with mark {0} by the routes of packets without a mark",
     "ovs/route/show of {1} has no route with that mark; releases differ in whether they match it"},
    {Supposition::arrives_at_owner, "arrives-at-owner", "the packet arrives at {0} {1}",
     "this node owns the address; no router's dump shows the path"},
    {Supposition::arrives_at_router, "arrives-at-router", "the packet arrives at {0} {1}",
     "it is the snapshot's only router that has a route to the address"},
    {Supposition::arrives_as_asked, "arrives-as-asked", "the packet arrives at {0} {1}", "--arrive-at"},
    {Supposition::arrives_where_request_left, "arrives-where-request-left", "the packet arrives at {0} {1}",
     "the request left by it"},
    {Supposition::no_other_receiver, "no-other-receiver", "no other receiver of {0} matters",
     "every host on a link receives a broadcast, and members of the group a multicast; one copy was walked"},
    {Supposition::vlan_of_name, "vlan-of-name", "{0} on {2} is the device of VLAN {1}",
     "its name says so, and no dump shows its kind (`ip -d link`)"},
    {Supposition::access_port_adds_tag, "access-port-adds-tag", "the switch hands the frames of {1} {2} to {3} {4} in VLAN {0}",
     "by their subnets both are on one link, and no dump shows the switch"},
    {Supposition::access_port_removes_tag, "access-port-removes-tag",
     "the switch hands frames of VLAN {0} from {1} {2} to {3} {4} without tag",
     "{4} has no device of that VLAN, and no dump shows the switch"},
    {Supposition::switch_keeps_tags, "switch-keeps-tags", "frames of VLAN {0} come to {1} {2} with their tag",
     "no dump shows the switch, which could take it off"},
    {Supposition::bridge_sends_by, "bridge-sends-by", "bridge {0} of {2} sends the frame by {1}",
     "{1} is its only port that leads out of the machine, and no dump shows what the bridge has learned (`bridge fdb show`)"},
    {Supposition::pod_sends_by_network, "pod-sends-by-network", "{0} sends to {1} by network {2}",
     "annotations of the pod show its addresses and routes there; no dump shows its routing tables"},
    {Supposition::advertised_route_back, "advertised-route-back", "routers outside the cluster have a route to {0} by {1}",
     "the pod keeps its address; RouteAdvertisements {2} advertises its network, and no dump shows a router's table"},
    {Supposition::unexplained_route_back, "unexplained-route-back", "routers outside the cluster have a route to {0} by {1}",
     "the pod keeps its address; no dump shows a router's table, and no RouteAdvertisements object that advertises its network"},
    {Supposition::same_physical_network, "same-physical-network",
     "the physical network behind {1} {2} carries the frame to {3} {4}",
     "localnet port {0} leads to {4}, and {2} to that network by a bridge or an address there; no dump shows the switches "
     "between"},
};
static_assert(is_complete(kSuppositions));

Details all_of(const Assumption& a) {
  Details all = a.about;
  all.insert(all.end(), a.because.begin(), a.because.end());
  return all;
}

}  // namespace

const Phrase<Supposition>& phrase_of(Supposition kind) { return kSuppositions[static_cast<std::size_t>(kind)]; }

std::string what_of(const Assumption& assumption) {
  const std::string text = fill(phrase_of(assumption.what).words, all_of(assumption));
  return assumption.node.empty() ? text : assumption.node + ": " + text;
}

std::string why_of(const Assumption& assumption) { return fill(phrase_of(assumption.what).why, all_of(assumption)); }

}  // namespace egt::explain
