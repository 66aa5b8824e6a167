// How the userspace datapath follows TCP: tcp_conn_update() of lib/conntrack-tcp.c, which keeps a state of each end. Sequence numbers and
// windows are not looked at.
#pragma once

#include <cstdint>
#include <string_view>

#include "egtrace/engine/datapath/conntrack.h"

namespace egt::engine {

enum class UserspaceTcpStep : std::uint8_t { established, new_, invalid, reopens };

// What the connection makes of a packet, and `ends` afterwards. `flags`: as in the header; none at all are a packet of which only the
// addresses are given, which goes on with the connection.
UserspaceTcpStep follow_in_userspace(TcpEnds& ends, bool reply_direction, std::uint32_t flags);

// Whether a packet with these flags opens a connection, be it in its midst (tcp_valid_new()). None at all: see above.
bool opens_in_userspace(std::uint32_t flags);

// By the one state that ovs-appctl dpctl/dump-conntrack prints of both ends, the later one (ct_dpif_format_protoinfo_tcp()).
TcpEnds tcp_ends_named(std::string_view state);

}  // namespace egt::engine
