// Of what a question itself has wrong, and of the policies that stop a packet.
#include "phrases/claims.h"

namespace egt::assess {
namespace {

constexpr ClaimPhrase kClaimsOfCauses[] = {
    {Claim::service_has_other_port, "Service {0} has port{1:|s} {1}, not {2}/{3}", "kubectl get service -n {4} {5}"},
    {Claim::service_address_unknown, "no Service of the snapshot has the address {0}, which is of the service network {1}",
     "kubectl get services -A -o wide"},
    {Claim::pod_has_ended, "pod {0}/{1}, which had the address {2}, has ended", "kubectl get pod -n {0} {1} -o wide"},
    {Claim::firewall_rule_decides, "EgressFirewall {0} rule {1} is {2|Deny|Allow} {3}", "oc get egressfirewall -n {4} -o yaml"},
    {Claim::admin_rule_denies, "{0} denies this packet: {1|ingress|egress} rule {2}[ ({3})]",
     "oc get {4|adminnetworkpolicy|baselineadminnetworkpolicy} {5} -o yaml"},
    {Claim::policies_isolate,
     "NetworkPolicy {0} in namespace {1} isolates pod {2} for {3|ingress|egress}, and no rule allows this packet: as intended",
     "kubectl get networkpolicy -n {1} -o yaml"},
    {Claim::policies_may_isolate,
     "NetworkPolicy {0} in namespace {1} isolates pod {2} for {3|ingress|egress}; objects do not show whether a rule allows this "
     "packet",
     "kubectl get networkpolicy -n {1} -o yaml"},
    {Claim::policy_lets_through,
     "{1|Ingress|Egress} rule {2} of {0} allows this packet, and an ACL for NetworkPolicies drops it: the northbound database "
     "lags behind the object",
     "ovn-nbctl list acl on {3}; look for {0} in the log of ovnkube-controller there"},
    {Claim::policy_does_not_allow, "{0} does not allow this packet",
     "kubectl get networkpolicies,egressfirewalls,adminnetworkpolicies -A"},
};
static_assert(are_in_order(kClaimsOfCauses));

}  // namespace

std::span<const ClaimPhrase> claims_of_causes() { return kClaimsOfCauses; }

}  // namespace egt::assess
