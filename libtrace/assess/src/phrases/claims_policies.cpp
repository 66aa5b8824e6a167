// Of rules of policies against the ACLs, QoS rows and address sets that OVN-Kubernetes made of them.
#include "phrases/claims.h"

namespace egt::assess {
namespace {

constexpr ClaimPhrase kClaimsOfPolicies[] = {
    {Claim::firewall_acl_left, "The ACL of rule {1} of {object} is there on {node}, and the object has {2} rules.",
     "oc get egressfirewall -n {0} -o yaml; look for it in the log of ovnkube-controller on {node}."},
    {Claim::firewall_acl_missing, "OVN on {node} has no ACL for rule {1} ({2|Deny|Allow} {3}) of {object}.",
     "oc get egressfirewall -n {0} -o yaml; look for it in the log of ovnkube-controller on {node}."},
    {Claim::firewall_action_differs, "On {node} the ACL of rule {1} ({2|Deny|Allow} {3}) of {object} has the action {4}.",
     "oc get egressfirewall -n {0} -o yaml; look for it in the log of ovnkube-controller on {node}."},
    {Claim::firewall_destination_differs,
     "On {node} the ACL of rule {1} ({2|Deny|Allow} {3}) of {object} has other destinations: {4}.",
     "oc get egressfirewall -n {0} -o yaml; look for it in the log of ovnkube-controller on {node}."},
    {Claim::firewall_name_unresolved,
     "{4} resolves to no address: rule {1} ({2|Deny|Allow} {3}) of {object} matches nothing on {node}.",
     "oc get egressfirewall -n {0} -o yaml; look for it in the log of ovnkube-controller on {node}."},
    {Claim::firewall_set_lacks_address, "On {node} the address set of rule {1} ({2|Deny|Allow} {3}) of {object} lacks {4}.",
     "oc get egressfirewall -n {0} -o yaml; look for it in the log of ovnkube-controller on {node}."},
    {Claim::qos_object_ignored,
     "{object} has no effect: of a namespace's EgressQoS objects OVN-Kubernetes reads the one with the name default alone, "
     "whatever the status says.",
     "oc get egressqos -n {0} -o yaml; move its rules to an EgressQoS with the name default in namespace {0}."},
    {Claim::qos_row_missing,
     "OVN on {node} has no QoS row for rule {1} (DSCP {2}[ to {3}]) of {object}: what pods send keeps its own mark.",
     "oc get egressqos -n {0} -o yaml; look for it in the log of ovnkube-controller on {node}."},
    {Claim::qos_dscp_differs, "On {node} the QoS row of rule {1} (DSCP {2}[ to {3}]) of {object} has the action {4}.",
     "oc get egressqos -n {0} -o yaml; look for it in the log of ovnkube-controller on {node}."},
    {Claim::qos_match_differs,
     "On {node} the QoS row of rule {1} (DSCP {2}[ to {3}]) of {object} matches other destinations: {4}.",
     "oc get egressqos -n {0} -o yaml; look for it in the log of ovnkube-controller on {node}."},
    {Claim::qos_set_lacks_pod, "On {node} the address sets of rule {1} (DSCP {2}[ to {3}]) of {object} lack pod {4} ({5}).",
     "oc get egressqos -n {0} -o yaml; look for it in the log of ovnkube-controller on {node}."},
    {Claim::admin_acl_missing, "OVN on {node} has no ACL for {2|Ingress|Egress} rule {3}[ ({4})] of {object}.",
     "oc get {0|adminnetworkpolicy|baselineadminnetworkpolicy} {1} -o yaml; look for it in the log of ovnkube-controller on "
     "{node}."},
    {Claim::admin_action_differs,
     "On {node} the ACL of {2|Ingress|Egress} rule {3}[ ({4})] of {object} has the action {5}, and the object says "
     "{6|Allow|Deny|Pass}.",
     "oc get {0|adminnetworkpolicy|baselineadminnetworkpolicy} {1} -o yaml; look for it in the log of ovnkube-controller on "
     "{node}."},
    {Claim::admin_set_lacks_pod,
     "On {node} the address set of {2|Ingress|Egress} rule {3}[ ({4})] of {object} lacks pod {5} ({6}).",
     "oc get {0|adminnetworkpolicy|baselineadminnetworkpolicy} {1} -o yaml; look for it in the log of ovnkube-controller on "
     "{node}."},
    {Claim::network_acl_left,
     "The ACL of {2|ingress|egress} rule {3} of {object} is there on {node}, and the object has {4} such rules.",
     "oc get networkpolicy -n {0} {1} -o yaml; look for it in the log of ovnkube-controller on {node}."},
    {Claim::network_acl_missing, "OVN on {node} has no ACL for {2|ingress|egress} rule {3} of {object}.",
     "oc get networkpolicy -n {0} {1} -o yaml; look for it in the log of ovnkube-controller on {node}."},
    {Claim::network_action_differs, "On {node} the ACL of {2|ingress|egress} rule {3} of {object} has the action {4}.",
     "oc get networkpolicy -n {0} {1} -o yaml; look for it in the log of ovnkube-controller on {node}."},
    {Claim::network_deny_lacks_pod,
     "On {node} the port group of the {2|ingress|egress} default deny of namespace {0} lacks pod {3}, which {object} isolates.",
     "oc get networkpolicy -n {0} {1} -o yaml; look for it in the log of ovnkube-controller on {node}."},
    {Claim::network_deny_missing,
     "OVN on {node} has no ACL that denies {2|ingress|egress} by default in namespace {0}: {object} isolates no pod.",
     "oc get networkpolicy -n {0} {1} -o yaml; look for it in the log of ovnkube-controller on {node}."},
    {Claim::network_group_lacks_pod, "On {node} the port group of {object} lacks pod {3}, which it selects.",
     "oc get networkpolicy -n {0} {1} -o yaml; look for it in the log of ovnkube-controller on {node}."},
    {Claim::network_set_lacks_pod, "On {node} the address sets of {2|ingress|egress} rule {3} of {object} lack pod {4} ({5}).",
     "oc get networkpolicy -n {0} {1} -o yaml; look for it in the log of ovnkube-controller on {node}."},
};
static_assert(are_in_order(kClaimsOfPolicies));

}  // namespace

std::span<const ClaimPhrase> claims_of_policies() { return kClaimsOfPolicies; }

}  // namespace egt::assess
