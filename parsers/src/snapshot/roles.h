// What a node is, shown by what its dumps hold.
#pragma once

#include <string_view>
#include <vector>

#include "egtrace/cluster/cluster.h"

namespace egt::parsers {

// Whether a text that is no dump of ours comes from a routing daemon (FRR's vtysh).
bool is_routing_daemon_text(std::string_view text);

// cluster_node with OVS bridges or OVN tables; router where a routing daemon runs or packets are forwarded; otherwise
// server.
std::vector<cluster::Role> roles_by_content(const cluster::Node& node, bool routing_daemon);

// The node's name by its dumps: hostname of its Open_vSwitch row, or of the only chassis that is its own.
std::string name_by_content(const cluster::Node& node);

}  // namespace egt::parsers
