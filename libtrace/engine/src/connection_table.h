// Whether the kernel's table of connections (nf_conntrack) has room for one more.
#pragma once

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/record.h"

namespace egt::engine {

// Of a packet that opens a connection: where the table is full the kernel drops it, unless it finds a connection to evict
// (__nf_conntrack_alloc(), early_drop()).
void note_full_connection_table(const cluster::Node& node, Record& record);

}  // namespace egt::engine
