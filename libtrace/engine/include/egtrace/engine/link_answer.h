// Whether a host answers when one of its links is asked for an address: arp_process() of net/ipv4/arp.c, ndisc_recv_ns()
// of net/ipv6/ndisc.c; and in whose name a host asks (arp_solicit()).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "egtrace/host/host.h"

namespace egt::engine {

struct LinkQuestion {
  IpAddr address;
  std::optional<IpAddr> asker;  // in whose name ARP asks, empty for 0.0.0.0; nothing hangs on it for IPv6
};

// By the device `asked`, for an address of its own that `owner` has. As kernels come where no dump shows a setting.
bool answers_for_own(const host::Host& host, const std::string& asked, const std::string& owner, const LinkQuestion& q);

// By the device `asked`, for an address that is not its own (proxy_arp, proxy_arp_pvlan, "ip neigh show proxy").
bool answers_for_others(const host::Host& host, const std::string& asked, const LinkQuestion& q);

// The address that an ARP request on `device` names as its sender, for a packet from `source`.
std::optional<IpAddr> arp_asker(const host::Host& host, std::string_view device, const IpAddr& address, const IpAddr& source);

// Whether it is the broadcast address of a prefix of the link (RFC 919: the last one; /31 and /32 have none).
bool is_broadcast_of(const host::Link& link, const IpAddr& address);

}  // namespace egt::engine
