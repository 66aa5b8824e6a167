// Which of several dumps of the same thing are read.
#pragma once

#include <vector>

#include "snapshot/examine.h"

namespace egt::parsers {

// Skips dumps of Open vSwitch and OVN that lie only under names of other tools' output on a node that has nothing
// else of them: another node's, as a rule. They would make it a node of the cluster.
void leave_out_strays(const std::vector<Candidate*>& dumps);

// Of each topic the best dump of one node; of excerpts all, because each may hold what the others lack. Those that
// lose learn in whose favour (`superseded_by`); all learn whether they are partial. In the order in which to load them.
std::vector<Candidate*> choose_dumps(const std::vector<Candidate*>& dumps);

}  // namespace egt::parsers
