// Several dumps of one node's routes, neighbours or netfilter rules: where two show the same table, they must show the same
// routes, of a neighbour the same MAC, and of a chain the same rules.
#pragma once

#include <vector>

#include "snapshot/examine.h"

namespace egt::parsers {

// Adds what differs to the node's inconsistencies. `dumps`: all of its node; the node holds what those that were read show.
// Returns the tables that another dump shows with the same routes.
host::ConfirmedTables compare_route_dumps(const std::vector<Candidate*>& dumps, cluster::Node& node);
// Likewise of neighbours that have another MAC in another dump.
void compare_neighbour_dumps(const std::vector<Candidate*>& dumps, cluster::Node& node);
// Likewise of chains whose rules are others in another dump of the same tool.
void compare_rule_dumps(const std::vector<Candidate*>& dumps, cluster::Node& node);

}  // namespace egt::parsers
