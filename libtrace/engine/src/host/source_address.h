// Which of its own addresses a host takes: inet_select_addr() of net/ipv4/devinet.c and, for IPv6, RFC 6724 as
// ipv6_dev_get_saddr() of net/ipv6/addrconf.c applies it.
#pragma once

#include <optional>
#include <string_view>

#include "egtrace/host/host.h"

namespace egt::engine {

struct OwnAddress {
  IpAddr address;
  const host::Address* entry = nullptr;  // the line that shows it
};

enum class AddressScope : std::uint8_t { global, link, host };

// IPv4: the address of `device` in the subnet of `near`, else its first; of another device when it has none. Only
// primary addresses, and none of a scope wider than `widest`: a route by a gateway asks for a global address.
std::optional<OwnAddress> select_v4_address(const host::Host& host, std::string_view device, const std::optional<IpAddr>& near,
                                            AddressScope widest);

// IPv6: the best address for packets to `to` that leave by `device`.
std::optional<OwnAddress> select_v6_address(const host::Host& host, std::string_view device, const IpAddr& to);

// What MASQUERADE writes: for IPv4 by the next hop, whatever "src" the route has; for IPv6 by the destination.
std::optional<OwnAddress> masquerade_address(const host::Host& host, std::string_view device, const IpAddr& next_hop,
                                             const IpAddr& to);

// What REDIRECT writes for packets to `to` that arrive on `device`: its first address, of IPv6 one of the same scope.
std::optional<OwnAddress> redirect_address(const host::Host& host, std::string_view device, const IpAddr& to);

}  // namespace egt::engine
