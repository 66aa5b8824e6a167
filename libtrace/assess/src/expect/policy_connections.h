// Connections of pods with which rules of policies are tried.
#pragma once

#include <cstddef>
#include <vector>

#include "common/pods.h"
#include "egtrace/cluster/policy_rules.h"
#include "egtrace/expect/expectation.h"
#include "expect/ground.h"

namespace egt::assess {

constexpr Family kBothFamilies[] = {Family::v4, Family::v6};
constexpr std::size_t kEachSide = 4;  // pods of either side that are tried for a rule of a policy

// Whether objects and dumps show what becomes of the pod's packets.
bool has_dumps(const cluster::Cluster& cluster, const KnownPod& pod);
// Some of those that a rule is about.
std::vector<const KnownPod*> peers(const cluster::Cluster& cluster, const std::vector<KnownPod>& pods,
                                   const cluster::PolicyRule& rule);
// That of a server outside the cluster, where the network has it; else the first one that a host can have.
IpAddr address_in(const cluster::Cluster& cluster, const Prefix& network);
bool is_outside_node(const cluster::Cluster& cluster, const IpAddr& address);

// `to`: null where it is no pod.
cluster::PolicyQuestion question(const KnownPod& from, const IpAddr& source, const cluster::Pod* to, const IpAddr& destination,
                                 const std::vector<cluster::RulePorts>& ports);
bool firewall_lets_through(const cluster::Cluster& cluster, const cluster::PolicyQuestion& q, const KnownPod& from);

// What is implied where something rules so on the connection.
expect::Expectation implied(Implication implication, const Terms& about, const KnownPod& from, const cluster::PolicyQuestion& q,
                            cluster::Ruling ruling, Provenance object);

}  // namespace egt::assess
