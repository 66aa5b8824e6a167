// Reads the dumps of flows and packet filters that were not used beside others of the same kind: their text is still there.
#pragma once

#include <vector>

#include "egtrace/cluster/collection.h"
#include "egtrace/cluster/dump_copy.h"

namespace egt::parsers {

// In the order of the dumps. A dump with the very text of the one that was read is left out.
std::vector<cluster::DumpCopy> dump_copies(const cluster::Cluster& cluster, const cluster::Collection& collection);

}  // namespace egt::parsers
