// Port security as ovn-trace checks it: what a port may send, and what may be sent to it. No port, and one without port security, may
// do everything.
#pragma once

#include "egtrace/engine/logical_datapath.h"
#include "egtrace/packet/flow_key.h"

namespace egt::engine::logical {

bool violates_ingress(const NetworkPort* port, const FlowKey& packet);
bool violates_egress(const NetworkPort* port, const FlowKey& packet);

}  // namespace egt::engine::logical
