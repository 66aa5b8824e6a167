// What IPsec makes of a packet: xfrm_lookup() on its way out, __xfrm_policy_check() where it is taken or forwarded.
#pragma once

#include <optional>
#include <string>

#include "host_end.h"
#include "host_record.h"
#include "socket_buffer.h"

namespace egt::engine {

Ended check_ipsec(host::IpsecDirection direction, SocketBuffer& skb, HostRecord& record);

// What encryption adds to the packet where it leaves by that device.
std::optional<EspOverhead> esp_towards(const std::string& device, const SocketBuffer& skb, const host::Host& host);

}  // namespace egt::engine
