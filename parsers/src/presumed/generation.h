// OVN-Kubernetes writes a host's rules with iptables until August 2026, since then with nft alone.
#pragma once

#include <cstdint>

#include "egtrace/cluster/cluster.h"

namespace egt::parsers::presumed {

enum class HostRules : std::uint8_t { iptables, nft };

// What the dumped hosts of the cluster have; empty: none shows its rules, or some have the one and some the other.
std::optional<HostRules> rules_of_others(const cluster::Cluster& cluster);
// Else by the release of OVN that has compiled the node's southbound database: of those before 26.03, no release of OVN-Kubernetes
// without iptables bundles any.
HostRules rules_by_release(const cluster::Node& node);

}  // namespace egt::parsers::presumed
