// Dumps as they would be if OVN-Kubernetes had set a node up by these facts: for the standard cases, and read like any other.
#pragma once

#include <string>
#include <vector>

#include "egtrace/ovn_kubernetes/names.h"
#include "presumed/egress.h"
#include "presumed/facts.h"

namespace egt::parsers::presumed {

struct PresumedDump {
  std::string kind, command;  // as Format::kind and Dump::command
  std::string text;
};

// The management port; ports of the presumed bridge. Those of user-defined networks follow, in order of NodeFacts::other_networks.
inline const std::string kManagement(ovnk::kDefaultManagementDevice);
constexpr std::uint32_t kUplinkPort = 1, kPatchPort = 2;
// The address of the masquerade subnet to which packets go whose service asks for endpoints of this node; `own`: the host's.
IpAddr local_endpoints(const Prefix& own);
// The next hop of routes to services: the gateway router answers for it.
IpAddr dummy_next_hop(const Prefix& own);
// Masquerade subnets out of which user-defined networks leave the host, and their part that is no network's.
std::vector<Prefix> network_masquerade(const NodeFacts& facts, Family family);
Prefix masquerade_of_hosts(const Prefix& own);
std::string uplink_name(const NodeFacts& facts);
// Of a device that has an address outside the bridge's networks.
std::string name_of_device(const Prefix& address);

// `ovs-ofctl dump-flows` of the external bridge.
PresumedDump bridge_flows(const NodeFacts& facts, const cluster::Objects& objects);
// Devices, addresses, routes, policy rules, netfilter rules and settings of the host: those that no dump shows.
std::vector<PresumedDump> host_dumps(const NodeFacts& facts, const std::vector<HostEgress>& served,
                                     const cluster::Objects& objects, const host::Host& dumped);
// `iptables-save` or `ip6tables-save`.
std::string netfilter_rules(const NodeFacts& facts, const std::vector<HostEgress>& served, const cluster::Objects& objects,
                            Family family);

// `nft list ruleset` of a host without iptables.
std::string nft_rules(const NodeFacts& facts, const std::vector<HostEgress>& served, const cluster::Objects& objects);

}  // namespace egt::parsers::presumed
