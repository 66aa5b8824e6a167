// How the kernel's conntrack follows TCP: tcp_conntracks[] and nf_conntrack_tcp_packet() of
// net/netfilter/nf_conntrack_proto_tcp.c. Sequence numbers and windows are not looked at.
#pragma once

#include <cstdint>
#include <optional>

#include "egtrace/engine/datapath/conntrack.h"

namespace egt::engine {

struct TcpStep {
  // follows: the connection is in `next` now. ignored: the packet belongs to it and changes nothing. invalid: the packet
  // belongs to no connection. reopens: it opens a new connection in the place of the finished one.
  enum class Kind : std::uint8_t { follows, ignored, invalid, reopens };
  Kind kind = Kind::follows;
  TcpState next = TcpState::unknown;
};

// `flags`: as in the header. None at all are a packet of which only the addresses are given: it is taken for the one that
// opens a connection, answers it, or goes on with it.
TcpStep follow_tcp(TcpState state, bool reply_direction, std::uint32_t flags);

// State of a connection that a packet with these flags opens; empty: none can. `loose`: net.netfilter.nf_conntrack_tcp_loose,
// whether connections are picked up in their midst.
std::optional<TcpState> open_tcp(std::uint32_t flags, bool loose);

}  // namespace egt::engine
