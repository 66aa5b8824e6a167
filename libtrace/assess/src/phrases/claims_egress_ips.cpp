// Of egress IPs: what the node that hosts one, the routers and the switch of its pods lack or have left over.
#include "phrases/claims.h"

namespace egt::assess {
namespace {

constexpr ClaimPhrase kClaimsOfEgressIps[] = {
    {Claim::egressip_not_assigned, "No node hosts egress IP {0} of {object}.",
     "See that a node has label k8s.ovn.org/egress-assignable and a network that holds the address (oc get nodes -o yaml, "
     "annotation "
     "k8s.ovn.org/host-cidrs), and that ovnkube-cluster-manager reaches it on port 9107."},
    {Claim::egressip_address_missing,
     "{node} is to host egress IP {0}, but none of its links has the address: no device replies to ARP for it, and replies do "
     "not arrive.",
     "ip addr on {node}; look for the EgressIP in the log of ovnkube-node there."},
    {Claim::egressip_link_down, "{0} on {node}, which has egress IP {1}, {2|is down|has no carrier}.",
     "ip link show {0} on {node}."},
    {Claim::egressip_reroute_missing,
     "{object} selects pod {0} ({1}), but the logical router of its node {node} has no policy that reroutes it: it leaves as the "
     "node.",
     "Look for the pod in the log of ovnkube-controller on {node}; ovn-nbctl lr-policy-list ovn_cluster_router."},
    {Claim::egressip_second_reroute_missing,
     "{object} sends pod {0} ({1}) to {node}, whose own logical router has no policy that hands it to the host: it is dropped or "
     "leaves "
     "as it is.",
     "ovn-nbctl lr-policy-list ovn_cluster_router on {node}; restart ovnkube-node there if it is missing still."},
    {Claim::egressip_reroute_stale, "The policy for pod {0} on {node} leads to {1} ({2}), but {object} is hosted by {3}.",
     "The policy is stale: restart ovnkube-controller on {node}, or remove the next hop with ovn-nbctl."},
    {Claim::egressip_reroute_duplicate,
     "Two policies of priority {0} on {node} reroute the same packets ({1}) to different next hops.",
     "Remove the one that no object has (ovn-nbctl lr-policy-del); ovnkube-controller writes the other one again."},
    {Claim::egress_set_lacks_pod_that_leaks,
     "The set of pods that leave by egress addresses lacks pod {0} ({1}) on {node}: it leaves as {3}, not as {4}.",
     "ovn-nbctl list address_set {2}; restart ovnkube-controller on {node} to have it written anew."},
    {Claim::egress_set_lacks_pod_seen_by_nodes,
     "The set of pods that leave by egress addresses lacks pod {0} ({1}) on {node}: towards cluster nodes it is rerouted too, "
     "and they "
     "see {3}.",
     "ovn-nbctl list address_set {2}; restart ovnkube-controller on {node} to have it written anew."},
    {Claim::egress_set_lacks_pod_without_effect,
     "The set of pods that leave by egress addresses lacks pod {0} ({1}) on {node}: the flows on its path do not follow that "
     "yet.",
     "ovn-nbctl list address_set {2}; restart ovnkube-controller on {node} to have it written anew."},
    {Claim::egress_set_lacks_pod,
     "The set of pods that leave by egress addresses lacks pod {0} ({1}) on {node}: packets to cluster nodes may be rerouted "
     "too.",
     "ovn-nbctl list address_set {2}; restart ovnkube-controller on {node} to have it written anew."},
    {Claim::egressip_nat_row_missing,
     "The gateway router of {node} has no SNAT row from {0:pod|pods} {0} to egress IP {1}: what they send is dropped at the "
     "external "
     "bridge, or leaves as the node.",
     "ovn-nbctl lr-nat-list GR_{node} on {node}; look for the EgressIP in the log of ovnkube-controller there."},
    {Claim::egressip_mark_policy_missing,
     "{node} has no logical router policy with pkt_mark {0} for {1:pod|pods} {1}: their packets leave as the node, not as egress "
     "IP {2}.",
     "ovn-nbctl lr-policy-list on the gateway router of the network on {node}; look for the EgressIP in the log of "
     "ovnkube-controller "
     "there."},
    {Claim::egressip_mark_flow_missing,
     "{0} on {node} has no flow with pkt_mark={1} (egress IP {2}): packets of {3:pod|pods} {3} leave as the node.",
     "ovs-ofctl dump-flows {4} | grep pkt_mark on {node}; look for the EgressIP in the log of ovnkube-node there."},
    {Claim::egressip_rule_missing,
     "{node} has no policy rule for {0:pod|pods} {0}, which {0:is|are} to leave by egress IP {1} there: the main table decides, "
     "not that "
     "of the link.",
     "ip rule on {node} should list `6000: from {2} lookup 1000+ifindex`; look for the EgressIP in the log of ovnkube-node "
     "there."},
    {Claim::egressip_rule_stale,
     "{node} keeps a policy rule for {0} ([pod {1}||an address that no pod has]), which no egress IP of this node selects.",
     "A rule that is left over catches the next pod that gets the address: ip rule del preference {2} from {0} on {node}."},
    {Claim::egressip_table_empty,
     "Table {0} on {node}, to which the rule for pod {1} of egress IP {2} leads, is empty: packets fall through to the main "
     "table.",
     "ip route show table {0} and ip link on {node}: the table is 1000 + the link's index; restart ovnkube-node after the link "
     "was made "
     "anew."},
    {Claim::egressip_table_of_other_link,
     "Table {0} on {node}, to which the rule for pod {1} of egress IP {2} leads, holds no route by {3}, which has the address.",
     "ip route show table {0} and ip link on {node}: the table is 1000 + the link's index; restart ovnkube-node after the link "
     "was made "
     "anew."},
    {Claim::egressip_snat_missing,
     "{node} hosts egress IP {0}, but no rule translates {1:pod|pods} {1} to it[, only {2:pod|pods} {2}]: [{4:it leaves|they "
     "leave} as "
     "{4:itself|themselves}][chain {5} drops what {1:it sends|they send} with {1:its|their} own address][{6|another rule gives "
     "packets "
     "another address}].",
     "{3|iptables -t nat -S OVN-KUBE-EGRESS-IP-MULTI-NIC (or nft list chain inet ovn-kubernetes egress-ip-snat)|ip6tables -t nat "
     "-S OVN-KUBE-EGRESS-IP-MULTI-NIC (or nft list chain inet ovn-kubernetes egress-ip-snat)|iptables -t nat -S "
     "OVN-KUBE-EGRESS-IP-MULTI-NIC|ip6tables -t nat -S OVN-KUBE-EGRESS-IP-MULTI-NIC|nft list map inet ovn-kubernetes "
     "egress-ip-snat-v4|nft list map inet ovn-kubernetes egress-ip-snat-v6} on {node}; look for the EgressIP in the log of "
     "ovnkube-node there."},
    {Claim::egressip_snat_stale, "{node} still translates [pod {0}||{1}] to egress IP {2}, which {object} has elsewhere.",
     "The rule is left over from a failover: restart ovnkube-node on {node}, or remove it by hand."},
    {Claim::egressip_two_owners, "{node} has egress IP {0} on {1}, but {2} is to host it: both answer ARP for it.",
     "ip addr del {3} dev {1} on {node}; neighbours keep the old MAC until they ask again."},
    {Claim::egressip_forwarding_off,
     "{node} does not forward what arrives on {0}, so nothing leaves by egress IP {1} and comes back.",
     "sysctl -w net.{2|ipv4|ipv6}.conf.{0}.forwarding=1 on {node}, or ipForwarding: Global in the cluster's network "
     "configuration."},
    {Claim::egressip_routed_to_other_node,
     "{node} routes egress IP {0} to {1}, but {2} hosts it: replies reach a node that has not translated the connection.",
     "ip route get {0} on {node}; see who announces it (vtysh -c 'show ip bgp {0}'), and remove static routes to {1}."},
    {Claim::egressip_resolved_to_other_device,
     "{node} resolves egress IP {0} to {1}, which is no device of {2}, the node that hosts it.",
     "ip neigh flush to {0} on {node}; find who else has the address."},
    {Claim::egressip_overlap, "EgressIP {0} and {object} both select pod {1}; only one of them is in force.",
     "Make their selectors exclude each other: which of them counts depends on the order of events."},
    {Claim::egressip_pod_not_taken_up,
     "{object} selects {0:pod|pods} {0}, but unlike its other pods no policy, address set or rule of any node has {0:it|them}: "
     "{0:it leaves|they leave} as the node.",
     "If objects and dumps are of the same moment, ovnkube-controller has not taken the pod up: see that it is ready (oc get pod "
     "-n {1} "
     "{2}), and the log on {node}."},
    {Claim::egress_rp_filter,
     "rp_filter of {0} on {node} is strict, and the route back to {1} is by [{2}||no device]: replies to egress IP {3} are "
     "dropped.",
     "sysctl -w net.ipv4.conf.{0}.rp_filter=2 on {node}; nstat -az TcpExtIPReversePathFilter counts what is dropped."},
};
static_assert(are_in_order(kClaimsOfEgressIps));

}  // namespace

std::span<const ClaimPhrase> claims_of_egress_ips() { return kClaimsOfEgressIps; }

}  // namespace egt::assess
