// Devices that carry no frames, by what ip(8) shows of them.
#pragma once

#include <optional>
#include <string_view>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/ovs.h"
#include "egtrace/engine/record.h"

namespace egt::engine {

// The node's link without carrier behind a port, or null: neither end sends or receives by it.
const host::Link* dead_link(const cluster::Node& node, std::string_view device);
Stop no_carrier(const cluster::Node& node, const host::Link& link);
// Where and why what the switch sends does not come to the other end of the port: it has no link, or sends only part of the frame.
std::optional<Stop> lost_at_port(const cluster::Node& node, const OvsEmission& e);
// Of a port of a Linux bridge: not kept out by spanning tree.
bool forwards(const host::Link& port);
Stop blocked(const cluster::Node& node, const host::Link& port);

}  // namespace egt::engine
