// "192.0.2.1:80", "[2001:db8::1]:80": an address and a port, as OVN's load balancers, options and users write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "egtrace/base/ip.h"

namespace egt {

using AddressPort = std::pair<IpAddr, std::uint16_t>;

// Brackets stand around addresses of IPv6, and around these alone. Nothing where it is anything else.
std::optional<AddressPort> parse_address_port(std::string_view text);

}  // namespace egt
