// Why a packet goes to the controller: enum ofp_packet_in_reason of OpenFlow 1.5 and OVS (include/openflow/openflow-common.h).
#pragma once

#include <cstdint>

namespace egt::engine::ofproto::reason {

constexpr std::uint16_t no_match = 0, action = 1, invalid_ttl = 2, action_set = 3, group = 4, explicit_miss = 6;

}  // namespace egt::engine::ofproto::reason
