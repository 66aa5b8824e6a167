#include "egtrace/explain/phrases.h"
#include "phrase.h"

namespace egt::explain {
namespace {

using namespace engine;
using cluster::Conflict;

constexpr Phrase<Input> kInputs[] = {
    // of Open vSwitch
    {Input::flows, "flows", "OpenFlow flows of {0}", "", "ovs-ofctl dump-flows {0}"},
    {Input::all_flows, "all-flows", "all OpenFlow flows of {0} (the dump is an excerpt; table {1} is needed)", "",
     "ovs-ofctl dump-flows {0}"},
    {Input::groups, "groups", "OpenFlow groups of {0}", "", "ovs-ofctl -O OpenFlow15 dump-groups {0}"},
    {Input::group, "group", "group {0} of {1}", "", "ovs-ofctl -O OpenFlow15 dump-groups {1}"},
    {Input::mac_table, "mac-table", "MAC table of {0}", "", "ovs-appctl fdb/show {0}"},
    {Input::port, "port", "port {0} of {1}", "", "ovs-ofctl show {1}"},
    {Input::port_numbers, "port-numbers", "OpenFlow port numbers of {0}", "", "ovs-vsctl list interface; ovs-ofctl show {0}"},
    {Input::port_number, "port-number", "OpenFlow port number of {0}", "", "ovs-vsctl list interface"},
    {Input::port_mac, "port-mac", "Ethernet address of {0}", "", "ovs-vsctl list interface"},
    {Input::table_number, "table-number", "number of table \"{0}\" of {1}", "", "ovs-ofctl --no-names dump-flows {1}"},
    {Input::patch_peer, "patch-peer", "the bridge behind patch port {0}", "", "ovs-vsctl show"},
    {Input::tunnel_ports, "tunnel-ports", "Open vSwitch ports", "", "ovs-vsctl show"},
    {Input::tunnel_options, "tunnel-options", "the options of tunnel port {0}", "", "ovs-vsctl list interface {0}"},
    {Input::datapath_ports, "datapath-ports", "datapath port numbers", "", "ovs-appctl dpctl/show"},
    {Input::switch_routes, "switch-routes", "routes of the switch", "", "ovs-appctl ovs/route/show"},
    {Input::switch_neighbours, "switch-neighbours", "neighbours of the switch", "", "ovs-appctl tnl/neigh/show"},
    {Input::mac_binding, "mac-binding", "MAC binding for {0} unknown", "", "ovn-sbctl list MAC_Binding"},
    {Input::action_meaning, "action-meaning", "the meaning of the action {0}"},
    {Input::multipath_links, "multipath-links", "multipath over more than 64 links"},
    {Input::shallow_pipeline, "shallow-pipeline", "a pipeline that nests less deeply"},
    {Input::southbound_table, "southbound-table", "table {0} of the southbound database", "", "ovn-sbctl list {0}"},
    // of hosts
    {Input::devices, "devices", "devices and addresses", "", "ip -d addr"},
    {Input::addresses, "addresses", "addresses of the devices", "", "ip addr"},
    {Input::device, "device", "device {0}", "", "ip -d addr"},
    {Input::device_mac, "device-mac", "MAC address of {0}", "", "ip -d addr"},
    {Input::neighbour_mac, "neighbour-mac", "MAC address of {0} on {1}", "", "ip neigh"},
    {Input::tunnel_device, "tunnel-device", "tunnel device {0}", "", "ip -d link show {0}"},
    {Input::vxlan_forwarding, "vxlan-forwarding", "by which VNI and to which VTEP EVPN sends what leaves by {0}", "",
     "bridge fdb show; bridge vlan tunnelshow; bridge vni show; vtysh -c 'show evpn mac vni all'"},
    {Input::bridge_forwarding, "bridge-forwarding", "the port by which bridge {0} reaches a MAC", "", "bridge fdb show br {0}"},
    {Input::device_kind, "device-kind", "the kind of device {0}", "", "ip -d link show {0}"},
    {Input::multicast_listeners, "multicast-listeners", "who listens to the group {0}", "", "ip maddr"},
    {Input::setting, "setting", "{0}", "", "sysctl {0}"},
    {Input::netfilter_rules, "netfilter-rules", "netfilter rules", "", "{0|iptables-save|ip6tables-save}; nft list ruleset"},
    {Input::iptables_rules, "iptables-rules", "{0|iptables|ip6tables} rules", "", "{0|iptables|ip6tables}-save -c"},
    {Input::nft_rules, "nft-rules", "nft ruleset", "", "nft list ruleset"},
    {Input::one_ruleset, "one-ruleset",
     "which rules the chain {0} of table {1} has: {2|iptables|ip6tables}-save and nft list ruleset differ", "",
     "{2|iptables|ip6tables}-save -c; nft list ruleset"},
    {Input::ipset_members, "ipset-members", "members of ipset {0}", "", "ipset save"},
    {Input::refusal_name, "refusal-name", "how the host refuses: \"{0}\" is not known"},
    // of nodes
    {Input::pod_macs, "pod-macs", "MAC addresses of {0} and of its gateway", "",
     "ovn-nbctl show; ovs-vsctl -f json list interface"},
    {Input::owner_of_address, "owner-of-address", "which node has {0}: several do in the snapshot", "",
     "ip addr; hostname on these nodes"},
    {Input::node_with_address, "node-with-address", "dumps of the node that owns {0}", "", "sosreport of that node"},
    {Input::host_with_mac, "host-with-mac", "dumps of the host with MAC {0} (router or server behind {1} {2})", "",
     "ip route show table all; iptables-save; conntrack -L on that host"},
    {Input::entry, "entry", "the path of {0} into the cluster", "",
     "ip route show table all; show ip route on the upstream router (or --arrive-at NODE)"},
    {Input::node_dumps, "node-dumps", "dumps of the node", "", "sosreport or egtrace collect"},
    {Input::switch_or_database, "switch-or-database", "OpenFlow flows of {0}, or the node's southbound database", "",
     "sosreport of the node; oc adm must-gather -- gather_network_logs"},
    {Input::pod_with_address, "pod-with-address", "which pod has {0}", "", "kubectl get pods -A -o wide"},
    {Input::port_of_pod, "port-of-pod", "the port of {0}", "", "ovs-vsctl list interface; crictl pods"},
    {Input::pod_devices, "pod-devices", "devices, routes and neighbours of {0}'s network namespace", "",
     "crictl inspectp for its network namespace, and there by nsenter: ip -d addr; ip route; ip neigh"},
};
static_assert(is_complete(kInputs));

// Each names what is inconsistent.
constexpr Phrase<Conflict> kConflicts[] = {
    {Conflict::flows_of_other_ports, "flows-of-other-ports", "flows of {0}: it lacks {2} of the {1} ports that they match", "",
     "ovs-ofctl dump-flows {0}; ovs-ofctl show {0}"},
    {Conflict::flows_of_integration_bridge, "flows-of-integration-bridge",
     "flows of {0}: they match logical datapaths, as those of the integration bridge do", "", "ovs-ofctl dump-flows {0}"},
    {Conflict::flows_with_macs_of, "flows-with-macs-of", "flows of {0}: they match MACs of {1}", "", "ovs-ofctl dump-flows {0}"},
    {Conflict::flows_without_logical_flows, "flows-without-logical-flows",
     "flows of {0}: their cookies are those of no logical flow of this node", "",
     "ovs-ofctl dump-flows {0}; ovn-sbctl --uuid lflow-list"},
    {Conflict::port_number, "port-number", "number of port {0} on {1}: dumps differ", "", "ovs-vsctl show; ovs-ofctl show {1}"},
    {Conflict::bridge_of_port, "bridge-of-port", "bridge of port {0}: {1} in one dump, {2} in another", "", "ovs-vsctl show"},
    {Conflict::patch_within_bridge, "patch-within-bridge", "bridge of patch port {0}: its peer is a port of {1} itself", "",
     "ovs-vsctl show"},
    {Conflict::port_setting, "port-setting", "{0} of port {1} on {2}: dumps differ", "",
     "ovs-vsctl show; ovs-vsctl list interface {1}"},
    {Conflict::tunnel_to_no_chassis, "tunnel-to-no-chassis", "remote_ip {0} of port {1}: no chassis has this address", "",
     "ovn-sbctl list Encap; ovs-vsctl show"},
    {Conflict::tunnel_from_elsewhere, "tunnel-from-elsewhere", "local_ip {1} of port {0}: the host does not have this address",
     "", "ip addr; ovs-vsctl show"},
    {Conflict::settings_of_other_devices, "settings-of-other-devices", "sysctl settings: they have other devices, but not {0}",
     "", "sysctl -a"},
    {Conflict::macs_of_device, "macs-of-device", "MAC of device {0}: dumps differ", "", "ip addr; ip -d link"},
    {Conflict::device_at_index, "device-at-index", "device at index {0}: {1} in one dump, {2} in another", "",
     "ip addr; ip -d link"},
    {Conflict::bridge_without_device, "bridge-without-device", "bridge {0}: the host has no such device", "",
     "ovs-ofctl show {0}; ip link"},
    {Conflict::bridge_with_other_mac, "bridge-with-other-mac", "MAC of bridge {0}: the device has another one", "",
     "ovs-ofctl show {0}; ip link"},
    {Conflict::switch_without_device, "switch-without-device", "dumps of Open vSwitch: the host has no device {0}", "",
     "ovs-vsctl show; ip link"},
    {Conflict::copied_dump, "copied-dump", "dump of {0}: the one of {1} has the same text", "", "{0}"},
    {Conflict::rules_with_devices_of, "rules-with-devices-of", "rules of {0}: they match device {1}, which {2} has", "", "{0}"},
    {Conflict::rules_not_listed, "rules-not-listed", "rules of {0}: nft list ruleset has no table {1}", "",
     "{0}; nft list ruleset"},
    {Conflict::rules, "rules", "rules of chain {0} in table {1}: dumps differ", "", "{2}"},
    {Conflict::copied_rules, "copied-rules", "rules of {0}: those of {1} have the same text", "", "{0}"},
    {Conflict::pod_addresses, "pod-addresses", "addresses of pod {0}: its object and port {1} differ", "",
     "kubectl get pod -o yaml; ovs-vsctl list interface {1}"},
    {Conflict::routes, "routes", "routes to {0} in table {1}: dumps differ", "", "ip {2} route show table all"},
    {Conflict::neighbour, "neighbour", "MAC of neighbour {0} on {1}: dumps differ", "", "ip neigh"},
    {Conflict::routes_of_switch, "routes-of-switch", "route of Open vSwitch to {0}: the host's differs", "",
     "ovs-appctl ovs/route/show; ip addr; ip route"},
    {Conflict::datapath_types, "datapath-types", "datapath of {0}: a patch port leads to {1}, which is of another type", "",
     "ovs-vsctl list bridge"},
};
static_assert(is_complete(kConflicts));

}  // namespace

const Phrase<Conflict>& phrase_of(Conflict kind) { return kConflicts[static_cast<std::size_t>(kind)]; }

const Phrase<Input>& phrase_of(Input kind) { return kInputs[static_cast<std::size_t>(kind)]; }

Gap gap_of(const MissingInput& missing) {
  return std::visit(
      [&](auto kind) {
        const auto& phrase = phrase_of(kind);
        return Gap{missing.node, fill(phrase.words, missing.about), fill(phrase.command, missing.about)};
      },
      missing.what);
}

}  // namespace egt::explain
