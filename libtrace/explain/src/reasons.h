// Why a packet ends where it does, beyond the rule that ends it: what led it to a machine that cannot take it, and who
// could have. Clauses for summaries; empty where the dumps tell no more.
#pragma once

#include <string>

#include "egtrace/engine/journey.h"
#include "egtrace/explain/explanation.h"

namespace egt::explain {

// What the logical flow says that dropped the packet: "GR_worker has no route to 10.0.0.1".
std::string logical_drop(const engine::Course& course, const WayReport& way);
// The ACL or policy that asks for the drop, and the object that it was made for.
std::string deciding_rule(const WayReport& way);
// A service that asks for local endpoints, on a machine that has none.
std::string no_local_endpoint(const engine::Course& course, const cluster::Cluster& cluster);
// An answer that was sent to another machine than the one that translated its request.
std::string wrong_machine(const engine::Course& request, const engine::Course& answer, const cluster::Cluster& cluster);
// What becomes of the answer and of the packet behind it, where that is not what the sender hopes for.
std::string afterwards(const std::vector<WayReport>& ways);

}  // namespace egt::explain
