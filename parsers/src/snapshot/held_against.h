// What the dumps that were not read tell otherwise than those that were: where both show routes of one table, they must
// be the same ones.
#pragma once

#include <vector>

#include "snapshot/examine.h"

namespace egt::parsers {

// Adds what differs to the node's contradictions. `dumps`: of its machine, chosen from; the node holds what they told.
void hold_routes_against(const std::vector<Candidate*>& dumps, cluster::Node& node);

}  // namespace egt::parsers
