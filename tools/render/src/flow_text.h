// A packet as Open vSwitch prints flows of packets (flow_format() in lib/flow.c, match_format() in lib/match.c).
#pragma once

#include <string>

#include "egtrace/packet/flow_key.h"

namespace egt::render {

// Fields of the packet's protocol, and metadata that is not zero: "tcp,reg14=0x5,vlan_tci=0x0000,dl_src=…".
std::string flow_text(const FlowKey& packet);
// "new|trk", "0" for none.
std::string ct_state_text(std::uint32_t state);
// The value of a whole field as Open vSwitch prints it.
std::string field_text(FieldId field, U128 value);

}  // namespace egt::render
