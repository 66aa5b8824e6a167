// What rules of EgressFirewalls, NetworkPolicies, AdminNetworkPolicies and the BaselineAdminNetworkPolicy imply, as expectations.
#pragma once

#include <vector>

#include "common/pods.h"
#include "egtrace/cluster/policy_rules.h"
#include "egtrace/expect/expectation.h"

namespace egt::assess {

// For each rule of an EgressFirewall one connection a node and family, for each rule of the others one: where objects show a
// connection that this rule decides. For each direction that a NetworkPolicy with rules isolates one that no rule lets through. What a rule allows is expected to be answered only where its receiver has dumps and
// no other policy is known to decide.
std::vector<expect::Expectation> policy_expectations(const cluster::Cluster& cluster, const std::vector<KnownPod>& pods);

}  // namespace egt::assess
