// Of EgressServices and external gateways.
#include "phrases/claims.h"

namespace egt::assess {
namespace {

constexpr ClaimPhrase kClaimsOfEgressServices[] = {
    {Claim::egressservice_not_hosted, "No node hosts {object}: its pods leave as their nodes.",
     "See that the service has a load balancer address and ready endpoints, and that its nodeSelector fits a ready node."},
    {Claim::egress_without_effect,
     "{object} selects {0:pod|pods} {0} of [network {1}||the default network], whose transport is no-overlay: OVN-Kubernetes "
     "does not "
     "support egress addresses there.",
     "Translate on the upstream router, or move the pods to a network with an overlay."},
    {Claim::egressservice_reroute_missing,
     "{object} has pod {0} ({1}) as endpoint, but the logical router of {node} has no policy that reroutes it: it leaves as a "
     "node.",
     "ovn-nbctl lr-policy-list ovn_cluster_router on {node}; look for the service in the log of ovnkube-controller there."},
    {Claim::egressservice_snat_missing,
     "{node} hosts {object}, but nothing there translates its endpoint {0} ({1}) to {2}: the pod leaves with its own address.",
     "nft list map inet ovn-kubernetes egress-service-snat-v{3|4|6} on {node}."},
    {Claim::egressservice_announced_elsewhere,
     "{node} routes {0} also to {1}, but {2} hosts {object}: replies may reach a node that has not translated the connection.",
     "Limit the advertisement to nodes with label egress-service.k8s.ovn.org/{3}-{4} (BGPAdvertisement nodeSelectors)."},
    {Claim::egressservice_node_traffic_translated,
     "Chain {0} of {node} translates without asking for mark {1x} first: cluster nodes see the address of the service.",
     "`meta mark 0x000003f0 return` belongs before the snat rule; restart ovnkube-node."},
    {Claim::external_gateway_route_missing, "Pod {0} is to leave by {1}, but the gateway router of {node} has no route for it.",
     "ovn-nbctl lr-route-list GR_{node}; look for the policy in the log of ovnkube-controller there."},
    {Claim::external_gateway_snat_remains,
     "The gateway router of {node} still translates pod {0} to {1}: its gateway sees the node, not the pod.",
     "disable-snat-multiple-gws must be set (gatewayConfig.routingViaHost and the like do not do it); restart "
     "ovnkube-controller."},
};
static_assert(are_in_order(kClaimsOfEgressServices));

}  // namespace

std::span<const ClaimPhrase> claims_of_egress_services() { return kClaimsOfEgressServices; }

}  // namespace egt::assess
