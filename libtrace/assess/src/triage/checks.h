// The checks of the catalogue, each in a file of its own. A new one: its file under checks/, its claims and their phrases, a line
// here, its place in catalogue.cpp, its page under docs/triage/, and a test.
#pragma once

#include "triage/check.h"

namespace egt::assess {

extern const Check kEgressIpNotAssigned;
extern const Check kEgressServiceNotHosted;
extern const Check kEgressWithoutEffect;
extern const Check kEgressIpAddressMissing;
extern const Check kEgressIpLinkDown;
extern const Check kEgressIpRerouteMissing;
extern const Check kEgressIpRerouteStale;
extern const Check kEgressIpRerouteDuplicate;
extern const Check kEgressIpAddressSetLacksPod;
extern const Check kRemoteChassisMissing;
extern const Check kTunnelPortMissing;
extern const Check kTransitPortMissing;
extern const Check kEgressIpNatRowMissing;
extern const Check kEgressIpMarkMissing;
extern const Check kEgressIpRuleMissing;
extern const Check kEgressIpTableStale;
extern const Check kEgressIpSnatMissing;
extern const Check kEgressIpSnatStale;
extern const Check kEgressIpTwoOwners;
extern const Check kEgressIpForwardingOff;
extern const Check kEgressIpUpstreamWrongNode;
extern const Check kEgressServiceRerouteMissing;
extern const Check kEgressServiceSnatMissing;
extern const Check kEgressServiceAnnouncedElsewhere;
extern const Check kExternalGatewayRouteMissing;
extern const Check kStaleMac;
extern const Check kServiceLocalWithoutEndpoint;
extern const Check kServiceLoadBalancerMissing;
extern const Check kEgressFirewallAcl;
extern const Check kAdminNetworkPolicyAcl;
extern const Check kNetworkPolicyAcl;
extern const Check kBridgeMacMismatch;
extern const Check kManagementAddressMissing;
extern const Check kBridgeNotSetUp;
extern const Check kLocalnetNotMapped;
extern const Check kPodPortUnclaimed;
extern const Check kPortFlag;
extern const Check kDumpIncomplete;
extern const Check kUplinkDown;
extern const Check kTunnelAddressWrong;
extern const Check kTunnelKeyMismatch;
extern const Check kGatewaySnatMissing;
extern const Check kNetworkMasquerade;
extern const Check kTransportNotAccepted;
extern const Check kObjectNotAccepted;
extern const Check kIpsecCertificate;
extern const Check kIpsecConnectionDown;
extern const Check kNetworkConnectRouteMissing;
extern const Check kGatewayRouteMissing;
extern const Check kNeighbourFailed;
extern const Check kNeighbourWrong;
extern const Check kDuplicateAddress;
extern const Check kConntrackFull;
extern const Check kControllerNotConnected;
extern const Check kDatabaseWithoutLeader;
extern const Check kNodeNotReady;
extern const Check kFlowsDiffer;
extern const Check kStagesDiffer;
extern const Check kAddressNotRouted;
extern const Check kEgressLeak;
extern const Check kOvnControllerBehind;
extern const Check kNextHopWithoutPath;
extern const Check kNorthdBehind;
extern const Check kEgressIpRuleStale;
extern const Check kEgressIpOverlap;
extern const Check kEgressServiceNodeTrafficTranslated;
extern const Check kExternalGatewaySnatRemains;
extern const Check kGuardCannotMatch;
extern const Check kGatewayDefaultPastSnat;
extern const Check kGatewayMarkWithoutSnat;
extern const Check kConnectionKeepsSource;
extern const Check kStaleConnection;
extern const Check kTranslationNeverCounted;
extern const Check kServiceDnatMissing;
extern const Check kTranslatedTwice;
extern const Check kDnatWithoutLoadBalancer;
extern const Check kFlowOverlap;
extern const Check kTunnelBlocked;
extern const Check kUnderlayMtu;
extern const Check kTunnelMtu;
extern const Check kEgressRpFilter;
extern const Check kEgressStopped;
extern const Check kConnectionLost;
extern const Check kBridgeDropsPods;
extern const Check kDropCountsUp;
extern const Check kEgressIpPodNotTakenUp;
extern const Check kPodNotRunning;
extern const Check kServiceWithoutEndpoints;

}  // namespace egt::assess
