// Of what leaves the cluster and returns: translations, routes of routers, next hops and their MACs.
#include "phrases/claims.h"

namespace egt::assess {
namespace {

constexpr ClaimPhrase kClaimsOfGateways[] = {
    {Claim::gateway_translates_to_other_address,
     "The gateway router of {node} translates {0:pod|pods} {0} to {1}, which is no address of the node: replies go elsewhere.",
     "ovn-nbctl lr-nat-list GR_{node}, and the host's own on {node} ({2|iptables -t nat -S POSTROUTING, nft list table inet "
     "ovn-kubernetes|"
     "nft list chain inet ovn-kubernetes ovn-kube-local-gw-masq|iptables -t nat -S POSTROUTING}); the log of ovnkube-controller "
     "there."},
    {Claim::gateway_translates_nothing,
     "Nothing on {node} translates what leaves the cluster from {0:pod|pods} {0}: replies go to the pod's own address, which the "
     "outside "
     "has no route to.",
     "ovn-nbctl lr-nat-list GR_{node}, and the host's own on {node} ({2|iptables -t nat -S POSTROUTING, nft list table inet "
     "ovn-kubernetes|"
     "nft list chain inet ovn-kubernetes ovn-kube-local-gw-masq|iptables -t nat -S POSTROUTING}); the log of ovnkube-controller "
     "there."},
    {Claim::gateway_has_no_route, "The gateway router {0} has no route to {1}: OVN drops what pods of {node} send there.",
     "ovn-nbctl lr-route-list {0} on {node}, and the log of ovnkube-controller there; its default route is to lead to the next "
     "hops of the "
     "annotation k8s.ovn.org/l3-gateway-config."},
    {Claim::connect_router_has_no_route,
     "Router {0} of {node} has no route by its port {1}: what it gets for the network behind that port is dropped.",
     "ovn-nbctl lr-route-list {0} on {node}, and the log of ovnkube-controller there."},
    {Claim::network_replies_not_routed,
     "{node} does not route {1} to {2}[, but to {3}]: pods of network {0} leave by {2} with that address, and replies to it are "
     "lost.",
     "ip rule and ip route show table all on {node}: `2000: from all to {1} lookup TABLE`, and in that table, of the network's "
     "VRF, `{1} dev "
     "{2}`; look for the network in the log of ovnkube-node there."},
    {Claim::network_not_masqueraded,
     "{node} does not masquerade what pods of network {0} send by {2}: it leaves as {1}, which nothing outside has a route to.",
     "nft list chain inet ovn-kubernetes ovn-kube-udn-masq on {node} (before OVN-Kubernetes 1.1 iptables -t nat -S "
     "OVN-KUBE-UDN-MASQUERADE); a restart of ovnkube-node writes it anew."},
    {Claim::transport_not_accepted,
     "{object} has transport {0|no-overlay|EVPN}, and its condition TransportAccepted is false[: {1}]. Routes between its nodes "
     "may be "
     "missing.",
     "kubectl get routeadvertisements: one that is accepted must advertise PodNetwork of the network on all nodes; kubectl get "
     "clusteruserdefinednetwork {2} -o yaml."},
    {Claim::object_not_accepted, "OVN-Kubernetes has not accepted {object}[: {0}]. What it asks for may not be in force.",
     "kubectl get {1} {2}[ -n {3}] -o yaml; the log of ovnkube-cluster-manager (of a NetworkQoS or EgressQoS that of "
     "ovnkube-controller on the node)."},
    {Claim::ipsec_certificate_missing,
     "{object} has no certificate: it is {0}. IPsec of that node has none to identify itself with, and its tunnels to the others "
     "stay down.",
     "kubectl get csr {1} -o yaml; the log of the network operator, which signs it, and of pod ovn-ipsec-host on the node."},
    {Claim::ipsec_certificate_expired,
     "IPsec certificate {0} of {node} was valid until {1}, and by the archive it was listed at {2}: its tunnels to the others "
     "get no security "
     "association by it.",
     "ipsec whack --listall on {node}, date there; kubectl get csr; the log of pod ovn-ipsec-host on the node, which renews it."},
    {Claim::ipsec_certificate_too_early,
     "IPsec certificate {0} of {node} is valid from {1} on, and by the archive it was listed at {2}: its tunnels to the others "
     "get no security "
     "association by it.",
     "date on {node} and where certificates are signed: one of the clocks is wrong; ipsec whack --listall on {node}."},
    {Claim::ipsec_connection_down,
     "Tunnel {0} of {node} to {1} is to be encrypted, and its IPsec connection {2} is not established.",
     "ipsec status; ovs-appctl -t ovs-monitor-ipsec tunnels/show; the log of pluto on {node} and on the node that has {1}."},
    {Claim::ipsec_tunnel_without_setting,
     "Tunnel {0} of {node} to {1} is to be encrypted, and other_config:{2|certificate|private_key|ca_cert} of Open_vSwitch is "
     "not set: ovs-monitor-ipsec sets up no connection for it.",
     "ovs-vsctl get open_vswitch . other_config on {node}; ovs-appctl -t ovs-monitor-ipsec tunnels/show; the log of pod "
     "ovn-ipsec-host there."},
    {Claim::bfd_session_down,
     "The BFD session of port {0} on {node} with external gateway {1} is {2}: OVN has withdrawn {3} route{3:|s} by it[, of "
     "{4:pod|pods} {4}]{5|, and no other gateway is left there|; other gateways are left there}.",
     "ovn-sbctl list bfd on {node}; whether {1} runs BFD (UDP port 3784) and answers: a neighbour entry of {1}, its own list of "
     "BFD peers."},
    {Claim::gateway_default_past_snat,
     "{node} translates marked packets that leave by {0}, but its default route leaves by {1}: what is not on a connected "
     "network passes "
     "untranslated.",
     "The default route of {node} belongs on {2}: ip route replace default via GATEWAY dev {2}."},
    {Claim::gateway_mark_without_snat,
     "{node} has marked {0} packets with {1x}, but the translation for that mark has never counted one.",
     "They leave by another device than the translation matches, or belong to connections that are older than it: ip route get, "
     "conntrack -L."},
    {Claim::guard_cannot_match,
     "A rule of chain {0} on {node} is to stop packets from {1}, but no pod is in that network: it never matches.",
     "Write the cluster network that the pods have (oc get network.config cluster -o yaml, status.clusterNetwork) into the "
     "rule."},
    {Claim::egressip_not_routed,
     "{node} has no route to egress IP {0}{1|| but its default route, which leads away from the cluster}: what is sent to it "
     "never "
     "reaches the cluster.",
     "Give the router a route to it by {2}, or have {2} announce it (vtysh -c 'show ip bgp'); ip route get {0} on {node}."},
    {Claim::service_address_not_routed,
     "{node} has no route to address {0} of service {2}{1|| but its default route, which leads away from the cluster}: what is "
     "sent to "
     "it never reaches the cluster.",
     "See who is to announce it (BGPAdvertisement, speaker log; vtysh -c 'show bgp summary'); ip route get {0} on {node}."},
    {Claim::duplicate_address, "{0} have {1}: both answer for it.",
     "arping -D -I {2} {1} on a node of that network; remove the address where it does not belong."},
    {Claim::duplicate_address_of_nat,
     "{0} has {1}, and OVN on {node} answers ARP for it as well: it is the external address of a NAT row of {3} (for {2}).",
     "ovn-nbctl lr-nat-list {3} on {node}: the row is stale, or one of the two is to have another address."},
    {Claim::zone_of_connections_full,
     "Conntrack zone {0}[ ({1})] of {node} has {2} connections of at most {3}: Open vSwitch opens no further one there.",
     "ovs-appctl dpctl/ct-get-limits and dpctl/dump-conntrack zone={0} on {node}: who has so many, and who set the limit."},
    {Claim::table_of_connections_full,
     "Connection tracking of {0|Open vSwitch|the kernel} on {node} has {1} connections of at most {2}: it has no room for new "
     "ones.",
     "{0|ovs-appctl dpctl/ct-get-maxconns|sysctl net.netfilter.nf_conntrack_max; dmesg (\"nf_conntrack: table full, dropping "
     "packet\")} on {node}; who has so many connections."},
    {Claim::neighbour_failed, "{0} does not answer {1|ARP requests|neighbour solicitations} of {node} on {2}.",
     "ip neigh show {0} on {node}; whether the node with that address is up, and whether its rules let "
     "{1|ARP|ICMPv6 types 135 and 136} pass."},
    {Claim::neighbour_set_wrong, "{node} sends to {0} at {1} (a permanent entry), but the address is {2}'s[, on {3} at {4}].",
     "ip neigh del {0} dev {5} on {node}."},
    {Claim::neighbour_learned_wrong, "{node} sends to {0} at {1}, but the address is {2}'s[, on {3} at {4}].",
     "A second node replies: arping -I {5} {0} on {node} shows which MACs."},
    {Claim::stale_mac,
     "{0} {0:takes|take} {1} to be at {2} ([{3} on {5}||no device of {5}]), but {4} on {5} has the address, at {6}.",
     "Remove the stale entry{7:| on each node} ({8|ovn-sbctl destroy mac_binding|ovn-nbctl destroy static_mac_binding} {9} on "
     "{10}{7:|, and so on}); on the gateway set arp_ignore=1 and arp_announce=2 so that only the right device replies."},
};
static_assert(are_in_order(kClaimsOfGateways));

}  // namespace

std::span<const ClaimPhrase> claims_of_gateways() { return kClaimsOfGateways; }

}  // namespace egt::assess
