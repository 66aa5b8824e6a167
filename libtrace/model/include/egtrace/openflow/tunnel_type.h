// Types of interfaces that encapsulate (vport_classes[] of lib/netdev-vport.c).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "egtrace/base/ip.h"

namespace egt::openflow {

struct Interface;

bool is_tunnel_type(std::string_view interface_type);
// The UDP port of the outer packets where no option dst_port sets another; none: the type has none, or none is known.
std::optional<std::uint16_t> default_tunnel_port(std::string_view interface_type);
// That of an interface, by its options; 0 where the type has none.
std::uint16_t tunnel_port(const Interface& interface);
// Bytes of the outer IP packet beyond the inner one: the inner Ethernet header, the tunnel's own with the option that OVN puts
// into Geneve (RFC 8926; ovn-architecture(7)), UDP's, and the outer IP header.
std::uint32_t tunnel_overhead(std::string_view interface_type, Family outer);

}  // namespace egt::openflow
