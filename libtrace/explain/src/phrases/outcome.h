// What the client of a connection sees, in one clause.
#pragma once

#include <string>

#include "egtrace/explain/explanation.h"

namespace egt::explain {

// The clause behind "NO ANSWER (proven): ".
std::string outcome_clause(const Explanation& e);

}  // namespace egt::explain
