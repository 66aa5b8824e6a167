// What differs between the pipeline's packet and the datapath's becomes datapath actions (commit_odp_actions() of lib/odp-util.c).
#pragma once

#include "datapath_output.h"
#include "xlate_packet.h"

namespace egt::engine::ofproto {

void commit(XlatePacket& packet, DatapathOutput& out);

}  // namespace egt::engine::ofproto
