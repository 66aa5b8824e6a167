// What the way in which a snapshot was collected takes away from an explanation.
#pragma once

#include "egtrace/cluster/collection.h"
#include "egtrace/explain/explanation.h"

namespace egt::explain {

// Where addresses were replaced, those in text are not those in registers: nothing that joins them is proven.
void take_doubts(const cluster::Collection& collection, Explanation& explanation);

}  // namespace egt::explain
