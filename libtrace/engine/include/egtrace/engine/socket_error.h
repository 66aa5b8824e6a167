// What a process learns of a packet that its own stack cannot send.
#pragma once

#include "egtrace/packet/packet.h"

namespace egt::engine {

// Whether no answer about the next hop (EHOSTUNREACH) ends its connection: UDP sockets ignore it (icmp_err_convert[] of
// net/ipv4/icmp.c), and TCP that is established goes on trying (RFC 5461).
bool ends_without_neighbour(const FlowKey& sent);

}  // namespace egt::engine
