// Why a packet ends where it does, beyond the rule that ends it: what led it to a node that cannot take it, and who
// could have. Clauses for summaries; empty where the dumps show no more.
#pragma once

#include <string>

#include "egtrace/engine/journey.h"
#include "egtrace/explain/explanation.h"

namespace egt::explain {

// What a packet follows: nothing, a request (then it is the answer), or a request and its answer.
struct Before {
  const engine::WalkedPath* request = nullptr;
  const engine::WalkedPath* answer = nullptr;
  const PathReport* answered = nullptr;  // the report of `answer`
};

// What the logical flow that dropped the packet shows: "GR_worker has no route to 10.0.0.1".
std::string logical_drop(const engine::WalkedPath& walked, const PathReport& path);
// The ACL or policy that asks for the drop, and the object that it was made for.
std::string deciding_rule(const PathReport& path);
// A service that asks for local endpoints, on a node that has none.
std::string no_local_endpoint(const engine::WalkedPath& walked, const cluster::Cluster& cluster);
// An answer that was sent to another node than the one that translated its request.
std::string wrong_node(const engine::WalkedPath& request, const engine::WalkedPath& answer, const cluster::Cluster& cluster);
// A packet behind the handshake that goes to another MAC than the first one, because the answer came from there: who
// remembers it, by which device the packet enters instead, and which mark it misses there.
std::string remembered_frame(const Before& before, const engine::WalkedPath& next, const cluster::Cluster& cluster);
// The rule of a host that ends the packet, as its dump prints it; empty where no rule does.
std::string ending_rule(const StopReport& stop);

}  // namespace egt::explain
