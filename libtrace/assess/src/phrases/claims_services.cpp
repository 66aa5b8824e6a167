// Of services, pods and nodes.
#include "phrases/claims.h"

namespace egt::assess {
namespace {

constexpr ClaimPhrase kClaimsOfServices[] = {
    {Claim::service_without_endpoints, "{object} has no ready endpoint: OVN rejects its connections.",
     "oc get endpointslices,pods -n {0} -o wide."},
    {Claim::service_local_without_endpoint,
     "{node} routes {0} of service {1} to {2}, which has no endpoint of it: with externalTrafficPolicy Local no pod replies "
     "there.",
     "Announce the address only from nodes with endpoints; remove the route by {3} on {node}."},
    {Claim::service_load_balancer_missing, "OVN on {node} has no load balancer for {0} of service {1}, which has endpoints.",
     "ovn-nbctl lb-list on {node}; look for the service in the log of ovnkube-controller there."},
    {Claim::service_dnat_missing,
     "{node} does not translate {0} port {1} of service {2}, as {3} does in [chain {4}||map {5} of nft]: connections that pass "
     "its host "
     "are not answered.",
     "[nft list map inet ovn-kubernetes {6}||iptables -t nat -S OVN-KUBE-EXTERNALIP] on {node}; a firewall reload flushes it, a "
     "restart "
     "of ovnkube-node writes it anew."},
    {Claim::dnat_without_load_balancer,
     "{4|Chain|Map} {0} on {node} translates[ {1}] to {2} port {3}, which OVN there has no load balancer for: the connection "
     "ends at the "
     "host.",
     "[Look for {object} in the log of ovnkube-controller||No service has that address: the rule is left over, restart "
     "ovnkube-node]; "
     "ovn-nbctl find load_balancer on {node}."},
    {Claim::services_translated_twice,
     "{node} translates services both in {0:chain|chains} {0} of iptables and in chain {1} of nft's table inet ovn-kubernetes: "
     "an upgrade "
     "or its undoing stopped half-way, and {2|what is left of iptables is empty|one of them is out of date}.",
     "A release keeps one of them up to date and removes the other when its ovnkube-node starts: its log on {node}, and which "
     "image it "
     "runs. The counters of iptables -t nat -nvL show whether connections still meet its chains; nft list chain inet "
     "ovn-kubernetes {1}."},
    {Claim::egress_ips_translated_twice,
     "{node} translates to egress IPs both in {0:chain|chains} {0} of iptables and in chain {1} of nft's table inet "
     "ovn-kubernetes: an "
     "upgrade or its undoing stopped half-way, and {2|what is left of iptables is empty|one of them is out of date}.",
     "A release keeps one of them up to date: see which image ovnkube-node runs on {node}. The counters of iptables -t nat "
     "-nvL show whether connections still meet its chain; nft list chain inet ovn-kubernetes {1}."},
    {Claim::pods_pending,
     "{0:Pod|Pods} {0} {0:is|are} Pending[ on {node}||, and no node has been chosen]: nothing in {0:it|them} runs yet.",
     "oc describe pod -n {1} {2}."},
    {Claim::ended_pod_served, "Pod {0} has ended ({1|Succeeded|Failed}), and service {2}/{3} still sends to its address {4}.",
     "oc get endpointslices -n {2} -o wide; the log of kube-controller-manager."},
    {Claim::node_not_ready, "{object} is not Ready[ ({0})]: services leave out its pods, and egress IPs move to other nodes.",
     "oc describe node {node}; the log of kubelet there (journalctl -u kubelet)."},
};
static_assert(are_in_order(kClaimsOfServices));

}  // namespace

std::span<const ClaimPhrase> claims_of_services() { return kClaimsOfServices; }

}  // namespace egt::assess
