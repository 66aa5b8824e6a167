// What the way in which a snapshot was collected, or read, takes away from an explanation.
#pragma once

#include <string>
#include <vector>

#include "egtrace/cluster/collection.h"
#include "egtrace/explain/explanation.h"

namespace egt::explain {

// Where addresses were replaced, those in text are not those in registers: nothing that joins them is proven. Where
// databases are read as of a moment, everything else is of another one: nothing that joins them is.
void take_doubts(const cluster::Collection& collection, const SourceTable& sources, Explanation& explanation);

// Where addresses were replaced, what stops a packet may be nothing but a mask, a prefix or a MAC that no longer fits: those
// ways are inconclusive, and the gap says what would decide. To be called before the ways are summed up.
void leave_open_what_was_replaced(const cluster::Collection& collection, std::vector<WayReport>& ways);

// What reading databases as of a moment supposes of each, and of what is in no database. Empty where they are not read
// so. `nodes`: only of these; empty: of all.
std::vector<AssumptionReport> suppose_moment(const cluster::Collection& collection, const SourceTable& sources,
                                             const std::vector<std::string>& nodes = {});

}  // namespace egt::explain
