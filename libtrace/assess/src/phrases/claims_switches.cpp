// Of bridges of Open vSwitch, their ports and the devices below.
#include "phrases/claims.h"

namespace egt::assess {
namespace {

constexpr ClaimPhrase kClaimsOfSwitches[] = {
    {Claim::bridge_not_set_up, "{0} on {node} has nothing but {1} NORMAL flow{1:|s}: nothing of it leads into OVN.",
     "ovnkube-node on {node} has not started, or waits: see its log."},
    {Claim::localnet_not_mapped,
     "{node} has pods on logical switch {0}, and no patch port for its localnet port {1}: no bridge there is mapped to its "
     "physical "
     "network, so that they reach nothing outside {node}.",
     "ovs-vsctl get open_vswitch . external_ids:ovn-bridge-mappings on {node}; ovn-nbctl get logical_switch_port {1} "
     "options:network_name."},
    {Claim::bridge_mac_mismatch,
     "The gateway router of {node} uses MAC {0}, but {1} has {2}: what it sends is dropped on the bridge.",
     "Restart ovnkube-node on {node} so that the gateway is set up with the present MAC."},
    {Claim::management_address_missing,
     "{node} has no device with {1}, the address of its management port {2}: its processes, probes of kubelet among them, reach "
     "no "
     "pod by {0}.",
     "ip addr show {0} on {node}; restart ovnkube-node there, which sets the address."},
    {Claim::bridge_drops_pods,
     "{0} on {node} has dropped {1} packet{1:|s} that left OVN with an address of {2}: nothing had translated them.",
     "See whether it still counts (ovs-ofctl dump-flows {0} twice), then which pods: tcpdump -ni any on {node}, egtrace audit "
     "SNAPSHOT."},
    {Claim::flow_overlap,
     "A flow without cookie in table {0} of {1} on {node} matches, at priority {2}, what another flow matches as well, and does "
     "something "
     "else: which one acts is undefined.",
     "It was probably added by hand: see who did (ovs-ofctl dump-flows {1} table={0} on {node}), and give it another priority or "
     "remove "
     "it."},
    {Claim::pod_port_unclaimed,
     "Pod {0} runs on {node}, but Open vSwitch there has {1|no interface of it|no port number for its interface}[ on network "
     "{3}].",
     "ovs-vsctl --columns=name,ofport,error find interface external_ids:iface-id={2} on {node}."},
    {Claim::port_flag,
     "Port {0} of {1} on {node}, for [pod {3}||{4|tunnels|what passes between bridges|the host|what enters and leaves the "
     "node}], has {2}: "
     "Open vSwitch drops packets there.",
     "ovs-ofctl show {1}; ip link show {0}; then ovs-ofctl mod-port {1} {0} up, or forward, or receive."},
    {Claim::port_of_mirror,
     "Port {0} of {1} on {node}, for [pod {3}||{4|tunnels|what passes between bridges|the host|what enters and leaves the "
     "node}], is the output port of mirror {2}: Open vSwitch drops what it receives, and NORMAL sends nothing by it.",
     "ovs-vsctl list mirror on {node}; the mirror needs an output port of its own, or ovs-vsctl clear bridge {1} mirrors."},
    {Claim::uplink_down, "{0} on {node} {1|is down|has no carrier}[, a leg of {2}].",
     "ip -s link show {0} and ethtool {0} on {node}; the cable and the switch's port."},
    {Claim::drop_counts_up,
     "[{0} table {1}||chain {2}] on {node} dropped {3} packet{3:|s} between {4} and {5}[, made for {6} ({7})].[ {8} more counted "
     "fewer.]",
     "Whose packets they are: tcpdump -ni any on {node}; egtrace explain SNAPSHOT --from … --to … for the traffic that is "
     "missed."},
};
static_assert(are_in_order(kClaimsOfSwitches));

}  // namespace

std::span<const ClaimPhrase> claims_of_switches() { return kClaimsOfSwitches; }

}  // namespace egt::assess
