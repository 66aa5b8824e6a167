// The next hop that a flow of a logical router writes.
#pragma once

#include <optional>

#include "egtrace/base/ip.h"
#include "egtrace/openflow/action.h"

namespace egt::explain {

// What goes into reg0 for IPv4 or, in one piece or several, into xxreg0 for IPv6 (ovn-northd's REG_NEXT_HOP_IPV4 and
// REG_NEXT_HOP_IPV6), where the MAC of the way out is written too. None where the flow copies the packet's destination.
std::optional<IpAddr> next_hop(const openflow::ActionList& actions);

}  // namespace egt::explain
