#include "triage/checks.h"

namespace egt::assess {

const std::vector<const Check*>& checks() {
  static const std::vector<const Check*> kChecks = {&kEgressIpNotAssigned,
                                                    &kEgressServiceNotHosted,
                                                    &kEgressIpAddressMissing,
                                                    &kEgressIpLinkDown,
                                                    &kEgressIpRerouteMissing,
                                                    &kEgressIpRerouteStale,
                                                    &kEgressIpRerouteDuplicate,
                                                    &kEgressIpAddressSetLacksPod,
                                                    &kRemoteChassisMissing,
                                                    &kTunnelPortMissing,
                                                    &kTransitPortMissing,
                                                    &kEgressIpNatRowMissing,
                                                    &kEgressIpRuleMissing,
                                                    &kEgressIpTableStale,
                                                    &kEgressIpSnatMissing,
                                                    &kEgressIpSnatStale,
                                                    &kEgressIpTwoOwners,
                                                    &kEgressIpForwardingOff,
                                                    &kEgressIpUpstreamWrongNode,
                                                    &kEgressServiceRerouteMissing,
                                                    &kEgressServiceSnatMissing,
                                                    &kEgressServiceAnnouncedElsewhere,
                                                    &kExternalGatewayRouteMissing,
                                                    &kStaleMac,
                                                    &kServiceLocalWithoutEndpoint,
                                                    &kServiceLoadBalancerMissing,
                                                    &kBridgeMacMismatch,
                                                    &kBridgeNotSetUp,
                                                    &kPodPortUnclaimed,
                                                    &kEgressLeak,
                                                    &kOvnControllerBehind,
                                                    &kEgressIpRuleStale,
                                                    &kEgressIpOverlap,
                                                    &kEgressServiceNodeTrafficTranslated,
                                                    &kExternalGatewaySnatRemains,
                                                    &kGuardCannotMatch,
                                                    &kGatewayDefaultPastSnat,
                                                    &kGatewayMarkWithoutSnat,
                                                    &kTunnelMtu,
                                                    &kEgressRpFilter,
                                                    &kEgressStopped,
                                                    &kEgressIpPodNotTakenUp,
                                                    &kServiceWithoutEndpoints};
  return kChecks;
}

}  // namespace egt::assess
