// What rules of EgressFirewalls, NetworkPolicies, AdminNetworkPolicies and the BaselineAdminNetworkPolicy imply, as expectations.
#pragma once

#include <vector>

#include "common/pods.h"
#include "egtrace/cluster/policy_rules.h"
#include "egtrace/expect/expectation.h"

namespace egt::assess {

// What a rule allows is expected to be answered only where its receiver has dumps and no other policy is known to decide.

// For each rule one connection a node and family, where objects show one that this rule decides.
std::vector<expect::Expectation> firewall_expectations(const cluster::Cluster& cluster, const std::vector<KnownPod>& pods);
// For each rule one such connection; for each direction that a policy with rules isolates one that no rule lets through.
std::vector<expect::Expectation> network_policy_expectations(const cluster::Cluster& cluster, const std::vector<KnownPod>& pods);
// For each rule one such connection.
std::vector<expect::Expectation> admin_policy_expectations(const cluster::Cluster& cluster, const std::vector<KnownPod>& pods);

}  // namespace egt::assess
