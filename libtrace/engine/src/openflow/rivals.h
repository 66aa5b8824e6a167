// Flows of one priority that match the same packet.
#pragma once

#include <vector>

#include "egtrace/openflow/flow_lookup.h"
#include "egtrace/openflow/flow_table.h"

namespace egt::engine {

// Those that do something else than the one that was found: only then it matters which one a switch executes, and
// OpenFlow leaves that open.
std::vector<openflow::FlowIndex> rivals_of(const openflow::FlowTables& flows, const openflow::Lookup& found);

}  // namespace egt::engine
