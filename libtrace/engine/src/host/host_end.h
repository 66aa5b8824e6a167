// How a packet ends on a host: what the parts of its walk say of that. HostWalk adds the packet as it is then, and the name of
// the node.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egtrace/engine/host.h"

namespace egt::engine {

using Ended = std::optional<HostOutcome>;  // empty: the packet goes on

HostOutcome stopped(HostOutcome::Kind kind, Place where, Cause why, std::vector<Provenance> evidence = {});
HostOutcome dropped(Place where, Cause why, std::vector<Provenance> evidence = {});
HostOutcome inconclusive(Place where, Cause why, std::vector<Provenance> evidence = {});
// The process that sends the packet gets this error.
HostOutcome failed_in_socket(const char* error, Place where, Cause why, std::vector<Provenance> evidence);
HostOutcome transmitted(std::string device);

// Whether the sender's transport sends again what netfilter dropped on its way out (TCP, SCTP). Other sockets get EPERM at once
// (nf_hook_slow() of net/netfilter/core.c).
bool sends_again(const FlowKey& packet);

}  // namespace egt::engine
