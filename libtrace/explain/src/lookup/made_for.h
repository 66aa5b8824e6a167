// Rows of OVN that OVN-Kubernetes made because of an object that is asked for.
#pragma once

#include <cstdint>

#include "links.h"
#include "lookup/asked.h"

namespace egt::explain {

bool is_made_for(const ovn::Row& row, const AskedObject& object, const Links& links);
// Whether it is a load balancer with a VIP of this port.
bool has_vip_with_port(const ovn::Row& row, std::uint16_t port);

}  // namespace egt::explain
