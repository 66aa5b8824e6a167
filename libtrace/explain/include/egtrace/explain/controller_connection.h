// Whether a node's ovn-controller is connected to the southbound database, as its connection-status prints it
// (ovn-controller(8)). Without a connection the node's flows stay as they are.
#pragma once

#include <optional>

#include "egtrace/cluster/cluster.h"

namespace egt::explain {

struct ControllerConnection { bool connected = false; Provenance from; };

// Absent where no dump shows it.
std::optional<ControllerConnection> controller_connection(const cluster::Node& node);
// Likewise; where none shows it, false.
bool is_controller_disconnected(const cluster::Node& node);

}  // namespace egt::explain
