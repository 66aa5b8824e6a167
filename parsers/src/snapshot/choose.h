// Which of several dumps of the same thing are read.
#pragma once

#include <vector>

#include "snapshot/examine.h"

namespace egt::parsers {

// Of each topic the best dump of one machine; of excerpts all, because each may hold what the others lack. Those that
// lose learn in whose favour (`superseded_by`); all learn whether they are partial. In the order in which to load them.
std::vector<Candidate*> choose_dumps(const std::vector<Candidate*>& dumps);

}  // namespace egt::parsers
