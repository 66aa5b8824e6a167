// Types of interfaces that encapsulate (vport_classes[] of lib/netdev-vport.c).
#pragma once

#include <string_view>

namespace egt::openflow {

bool is_tunnel_type(std::string_view interface_type);

}  // namespace egt::openflow
