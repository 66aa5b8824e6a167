// Who answers when a machine asks its link for an address: arp_process() of net/ipv4/arp.c, ndisc_recv_ns() of
// net/ipv6/ndisc.c.
#pragma once

#include <optional>
#include <vector>

#include "topology.h"

namespace egt::engine {

// Of the machine that has the address on `owner`. `asked`: the devices of other machines that share a subnet with the
// one that asks; empty where no dump tells any. Without an answer the machine keeps silent.
std::optional<MacAddr> owner_answer(const WireEnd& owner, const std::vector<WireEnd>& asked, Family family);

// Of a machine that answers by `end` for an address that is not its own (proxy_arp, "ip neigh show proxy").
std::optional<MacAddr> proxy_answer(const WireEnd& end, const IpAddr& address);

}  // namespace egt::engine
