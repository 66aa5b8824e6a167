// TTLs that actions decrement: a packet whose time is over goes to controllers instead.
#pragma once

#include "xlate_context.h"

namespace egt::engine::ofproto {

// Whether the time is over, which ends the actions.
bool dec_ttl(XlateContext& c, const openflow::DecTtl& a);
bool dec_mpls_ttl(XlateContext& c);
bool dec_nsh_ttl(XlateContext& c);

}  // namespace egt::engine::ofproto
