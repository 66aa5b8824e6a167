// Reads the objects of cluster/policy_objects.h from a snapshot that was read already: their text is still there.
#pragma once

#include "egtrace/cluster/cluster.h"
#include "egtrace/cluster/policy_objects.h"

namespace egt::parsers {

// Of two objects of one kind, namespace and name the first counts.
cluster::PolicyObjects policy_objects(const cluster::Cluster& cluster);

}  // namespace egt::parsers
