// What a verb about the whole cluster prints of the nodes that the snapshot has no dumps of.
#pragma once

#include "command.h"
#include "egtrace/cluster/cluster.h"

namespace egt::cli {

// On standard error, unless --quiet: how many they are, and of how many pods the result therefore does not show.
void warn_of_coverage(const cluster::Cluster& cluster, const CommonOptions& common);
// CommandError where the snapshot has objects of nodes, and dumps of none of them.
void require_coverage(const cluster::Cluster& cluster, const char* verb);

}  // namespace egt::cli
