// Devices that carry no frames, by what ip(8) shows of them.
#pragma once

#include <string_view>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/record.h"

namespace egt::engine {

// The node's link without carrier behind a port, or null: neither end sends or receives by it.
const host::Link* dead_link(const cluster::Node& node, std::string_view device);
Stop no_carrier(const cluster::Node& node, const host::Link& link);
// Of a port of a Linux bridge: not kept out by spanning tree.
bool forwards(const host::Link& port);
Stop blocked(const cluster::Node& node, const host::Link& port);

}  // namespace egt::engine
