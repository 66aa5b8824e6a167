// Dumps as they would be if OVN-Kubernetes had set a node up by these facts: for the standard cases, and read like any other.
#pragma once

#include <string>
#include <vector>

#include "presumed/facts.h"

namespace egt::parsers::presumed {

struct PresumedDump {
  std::string kind, command;             // as Format::kind and Dump::command
  std::string text;
};

// Ports of the presumed bridge; those of user-defined networks follow, in order of NodeFacts::other_networks.
constexpr std::uint32_t kUplinkPort = 1, kPatchPort = 2;
std::string uplink_name(const NodeFacts& facts);

// `ovs-ofctl dump-flows` of the external bridge.
PresumedDump bridge_flows(const NodeFacts& facts, const cluster::Objects& objects);
// Devices, addresses, routes, policy rules, netfilter rules and settings of the host.
std::vector<PresumedDump> host_dumps(const NodeFacts& facts, const std::vector<ServedEgressIp>& served);

}  // namespace egt::parsers::presumed
