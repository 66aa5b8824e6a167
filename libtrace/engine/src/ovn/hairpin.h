// Packets that a load balancer sends back to their sender.
#pragma once

#include "ovn/action_place.h"
#include "ovn/southbound_lookups.h"

namespace egt::engine::logical {

// chk_lb_hairpin and chk_lb_hairpin_reply; without an environment by the load balancers' rows.
void check_hairpin(const ovn::ResultAction& a, const ActionPlace& at, FlowKey& packet, SouthboundLookups& southbound,
                   Environment* environment);
// What ovn-trace shows of ct_snat_to_vip.
void show_snat_to_vip(const ActionPlace& at, const FlowKey& packet, const SouthboundLookups& southbound);

}  // namespace egt::engine::logical
