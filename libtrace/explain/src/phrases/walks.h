// What the packets of a connection are called.
#pragma once

#include <string>

#include "egtrace/engine/journey.h"

namespace egt::explain {

std::string request_name(const std::string& sender);
// "the reply from 192.0.2.10 to 10.128.0.5", as the receiver sends it.
std::string reply_name(const engine::WalkedPath& reply);
// The packet after the handshake or, where there is none, after the reply; `is_answer`: what answers it.
std::string later_name(const engine::WalkedPath& next, bool is_answer);

}  // namespace egt::explain
