// How many of OVN's logical flows there are, by what they were made for.
#pragma once

#include "egtrace/explain/flows.h"

namespace egt::explain {

// One that several nodes' databases have, or several datapaths share, counts once for a key. Largest sums first.
FlowListing count_logical_flows(const cluster::Cluster& cluster, const FlowQuery& query);

}  // namespace egt::explain
