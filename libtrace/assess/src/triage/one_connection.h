// One connection that was explained, as checks see connections.
#pragma once

#include <vector>

#include "triage/check.h"

namespace egt::assess {

// A row for each of its paths, as audit has them.
std::vector<AuditRow> rows_of(const Facts& facts, const explain::Explanation& connection);
// Where it is one between pods of two nodes that is lost.
std::vector<LostBetweenNodes> lost_of(const Facts& facts, const explain::Explanation& connection);

}  // namespace egt::assess
