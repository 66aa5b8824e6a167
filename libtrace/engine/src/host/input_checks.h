// What the kernel checks of a packet that it received: frame, addresses, sender, and whether it may be forwarded.
#pragma once

#include <string>

#include "host_end.h"
#include "host_record.h"
#include "host_routing.h"
#include "socket_buffer.h"

namespace egt::engine {

inline bool is_zero_net(const IpAddr& a) { return a.is_v4() && (a.value >> 24) == 0; }
inline bool is_limited_broadcast(const IpAddr& a) { return a == IpAddr::v4(0xffffffff); }

Ended check_device(const SocketBuffer& skb, HostRecord& record);
// What ip_rcv() throws away.
Ended check_frame(const SocketBuffer& skb, const host::Host& host);
Ended reassemble(SocketBuffer& skb, HostRecord& record);
// Addresses that IPv4 never accepts from a wire; as they are after PREROUTING (ip_route_input_slow()).
Ended check_addresses(const SocketBuffer& skb, HostRecord& record);
// `out_device`: where the packet would leave; empty: for this host itself.
Ended check_source(const std::string& out_device, bool to_everybody, const SocketBuffer& skb, const HostRouting& routing,
                   HostRecord& record);
// Of a packet that came back by lo and lost its route there.
Ended check_looped_source(const SocketBuffer& skb, HostRecord& record);
Ended check_forwarding(const SocketBuffer& skb, HostRecord& record);
Ended check_egress(const RouteAnswer& answer, const SocketBuffer& skb, HostRecord& record);

// Whether bridges ask iptables.
Setting bridge_calls(const host::Host& host, Family family);
bool asked_by_bridge(const SocketBuffer& skb, const host::Host& host);
Ended check_bridge(const TakenRoute& route, const SocketBuffer& skb, HostRecord& record);

}  // namespace egt::engine
