// Of tunnels between nodes.
#include "phrases/claims.h"

namespace egt::assess {
namespace {

constexpr ClaimPhrase kClaimsOfTunnels[] = {
    {Claim::remote_chassis_missing,
     "The southbound database of {node} has no chassis of {0}: there is no tunnel, and packets of pods to that node are "
     "dropped[, among "
     "them what pod {1} sends by egress IP {2}].",
     "ovn-sbctl list chassis on {node}; see that {0} has its annotations (node-chassis-id, zone-name), then restart "
     "ovnkube-controller on "
     "{node}."},
    {Claim::transit_port_missing,
     "The transit switch of {node}[ for network {1}] has no port of {0}: pods of the two nodes do not reach each other.",
     "ovn-nbctl show [{1}_]transit_switch on {node}; look for {0} in the log of ovnkube-controller there."},
    {Claim::tunnel_port_missing, "{node} has chassis {0} at {1}, but Open vSwitch there has no tunnel port to it.",
     "ovs-vsctl show and the log of ovn-controller on {node}."},
    {Claim::tunnel_address_wrong,
     "The southbound database of {0} has {1} as tunnel address of {2}, which is [an address of {3}||no address of any node of "
     "the "
     "snapshot].",
     "ovs-vsctl get open_vswitch . external_ids:ovn-encap-ip on {2}, and ip addr there; ovn-sbctl list encap."},
    {Claim::port_key_differs, "A flow of {node} gives packets of {0} port key {1}, but the southbound database has {2}.",
     "ovn-appctl -t ovn-controller recompute on {node}."},
    {Claim::datapath_key_differs, "A flow of {node} gives packets of {0} datapath key {1}, but the southbound database has {2}.",
     "ovn-appctl -t ovn-controller recompute on {node}."},
    {Claim::zone_keys_differ,
     "{0|port|switch} {1} has tunnel key {2} in the southbound database of {3}, and {4} in that of {node}: what one sends the "
     "other "
     "delivers elsewhere.",
     "Compare options:requested-tnl-key of the transit switch and its ports in the northbound databases of both nodes."},
    {Claim::tunnel_blocked,
     "Packets between pods of {0} and {1} are lost at {node}, {2}: {3}[; so are those on {4} more path{4:|s}].",
     "What ends the tunnel's packets at {node} has to let them pass, both ways: egtrace explain SNAPSHOT --from {5} --to {6}"},
    {Claim::underlay_mtu,
     "Packets as large as the pods' MTU between pods of {0} and {1} are lost at {node}, {2}: {3}[; so are those on {4} more "
     "path{4:|s}].",
     "What ends the tunnel's packets at {node} has to let them pass, both ways: egtrace explain SNAPSHOT --from {5} --to {6}"},
    {Claim::tunnel_mtu,
     "{0} on {node} has MTU {1}, but {2}, which carries the tunnels, has {3}: {4} bytes of tunnel headers do not fit.",
     "Lower the cluster's MTU (oc edit network.operator cluster, migration of MTU), or raise that of the underlay."},
    {Claim::pod_mtu,
     "{1}, the end of pod {0}'s device on {node}, has MTU {2}, and {3} there {4}: between pods, packets of a size between "
     "the two are lost without an ICMP error.",
     "ip -d link show {1} on {node}, and ip link in the pod; create the pod again where the cluster's MTU was changed."},
};
static_assert(are_in_order(kClaimsOfTunnels));

}  // namespace

std::span<const ClaimPhrase> claims_of_tunnels() { return kClaimsOfTunnels; }

}  // namespace egt::assess
