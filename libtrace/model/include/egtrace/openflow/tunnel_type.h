// Types of interfaces that encapsulate (vport_classes[] of lib/netdev-vport.c).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace egt::openflow {

bool is_tunnel_type(std::string_view interface_type);
// The UDP port of the outer packets where no option dst_port sets another; none: the type has none, or none is known.
std::optional<std::uint16_t> default_tunnel_port(std::string_view interface_type);

}  // namespace egt::openflow
