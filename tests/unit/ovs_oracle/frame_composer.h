// Frames with the headers of a FlowKey, as flow_compose() of Open vSwitch's lib/flow.c makes them: `ovs-ofctl compose-packet` without a
// process for each. Other than that one it makes fragments of IPv6 and right checksums of SCTP.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "egtrace/packet/flow_key.h"

namespace egt::testing {

// In hexadecimal; none for NSH.
std::optional<std::string> compose_frame(const FlowKey& key);

// The type that the switch reads of the frame's options of neighbour discovery (parse_icmpv6() of lib/flow.c).
std::uint64_t first_option(const FlowKey& key);

}  // namespace egt::testing
