// Whether the packet fits the way that its route leads, and what becomes of it where it does not.
#pragma once

#include "host_end.h"
#include "host_refusal.h"
#include "host_routing.h"

namespace egt::engine {

struct Mtu {
  std::uint32_t bytes = 0;  // 0: not known
  Provenance from;
  std::uint32_t may_pass = 0;  // larger where it is not known what encryption adds
};
Mtu mtu_of(const TakenRoute& route, const SocketBuffer& skb, const host::Host& host);

// Of a packet that is forwarded.
Ended check_length(const TakenRoute& route, SocketBuffer& skb, HostRecord& record, HostRefusal& refusal);
// Of a packet that is made here.
Ended check_own_length(const TakenRoute& route, SocketBuffer& skb, HostRecord& record);

}  // namespace egt::engine
