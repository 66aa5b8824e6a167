// Actions that ask where an address is: MAC bindings of routers, ports that switches have learned.
#pragma once

#include "ovn/action_place.h"
#include "ovn/southbound_lookups.h"

namespace egt::engine::logical {

// Without an environment there are no bindings beside those of the database.
void get_binding(const ovn::GetBinding& a, const ActionPlace& at, FlowKey& packet, SouthboundLookups& southbound,
                 Environment* environment);
void lookup_binding(const ovn::LookupBinding& a, const ActionPlace& at, FlowKey& packet, SouthboundLookups& southbound,
                    Environment* environment);
void get_fdb(const ovn::GetFdb& a, const ActionPlace& at, FlowKey& packet, SouthboundLookups& southbound);
void lookup_fdb(const ovn::LookupFdb& a, const ActionPlace& at, FlowKey& packet, SouthboundLookups& southbound);
void check_evpn(const ovn::CheckEvpnArp& a, const ActionPlace& at, FlowKey& packet);

}  // namespace egt::engine::logical
