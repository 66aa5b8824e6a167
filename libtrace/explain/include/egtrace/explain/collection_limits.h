// How a snapshot was collected and read limits what its dumps prove.
#pragma once

#include <string>
#include <vector>

#include "egtrace/cluster/collection.h"
#include "egtrace/explain/explanation.h"

namespace egt::explain {

// Where addresses were replaced, those in text are not those in registers: nothing that joins them is proven. Where
// databases are read as of a moment, everything else is of another one: nothing that joins them is.
void assume_collection(const cluster::Collection& collection, const SourceTable& sources, Explanation& explanation);

// Where addresses were replaced, what stops a packet may be nothing but a mask, a prefix or a MAC that no longer fits: those
// paths are inconclusive, and the gap names what would decide. To be called before the paths are summed up.
void undecide_what_was_replaced(const cluster::Collection& collection, std::vector<PathReport>& paths);

// What reading databases as of a moment assumes of each, and of what is in no database. Empty where they are not read
// so. `nodes`: only of these; empty: of all.
std::vector<AssumptionReport> assumptions_of_moment(const cluster::Collection& collection, const SourceTable& sources,
                                                    const std::vector<std::string>& nodes = {});

}  // namespace egt::explain
