// Whether a host answers when one of its links is asked for an address: arp_process() of net/ipv4/arp.c, ndisc_recv_ns()
// of net/ipv6/ndisc.c.
#pragma once

#include <string>

#include "egtrace/host/host.h"

namespace egt::engine {

// By the device `asked`, for an address of its own that `owner` has. As kernels come where no dump tells arp_ignore.
bool answers_for_own(const host::Host& host, const std::string& asked, const std::string& owner, Family family);

// By the device `asked`, for an address that is not its own (proxy_arp, "ip neigh show proxy").
bool answers_for_others(const host::Host& host, const std::string& asked, const IpAddr& address);

}  // namespace egt::engine
