// Packets that nested actions make of the one at hand, as ovn-trace makes them: ARP and ND, ICMP errors, resets.
#pragma once

#include <optional>

#include "egtrace/engine/logical_trace.h"

namespace egt::engine::logical {

struct MadePacket {
  Transformed::Kind kind;
  FlowKey packet;  // as the nested actions begin with it
};

// Nothing where there is no answer to such a packet, and of a clone.
std::optional<MadePacket> packet_made_by(ovn::Nested::Kind kind, const FlowKey& packet);

}  // namespace egt::engine::logical
