// Nodes of which a snapshot has databases and objects but not the dumps of switch or host: what is missing is presumed as
// OVN-Kubernetes would have made it. What is presumed is marked, so that every answer that rests on it shows that.
#pragma once

#include "egtrace/cluster/cluster.h"

namespace egt::parsers {

// `as_intended`: SnapshotRequest::as_intended.
void presume_nodes(cluster::Cluster& cluster, bool as_intended, unsigned jobs);

}  // namespace egt::parsers
