// Counters of a node, read from its dumps when they are asked for: of nstat, netstat -s, /proc/net/netstat, ethtool -S,
// ip -s link and node_exporter.
#pragma once

#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/host/counter.h"

namespace egt::parsers {

// In the order of the dumps; where several dumps show a counter, each of them.
std::vector<host::Counter> read_counters(const cluster::Cluster& cluster, const cluster::Node& node);

}  // namespace egt::parsers
