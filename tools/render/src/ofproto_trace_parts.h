// Parts of the text of ofproto/trace.
#pragma once

#include "egtrace/engine/openflow/trace.h"

namespace egt::render {

// What flow_format() shows of a packet: all of its headers, and of its metadata what is not zero.
FlowKey mask_of_packet(const FlowKey& k);
const char* error_text(engine::ofproto::XlateError e);

}  // namespace egt::render
