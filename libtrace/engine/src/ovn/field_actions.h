// Actions that write fields of the packet from constants, other fields and a stack.
#pragma once

#include <vector>

#include "ovn/action_place.h"
#include "ovn/southbound_lookups.h"

namespace egt::engine::logical {

using Stack = std::vector<U128>;

void load(const ovn::Load& a, const ovn::Action& action, const ActionPlace& at, FlowKey& packet, SouthboundLookups& southbound);
void move(const ovn::Move& a, const ActionPlace& at, FlowKey& packet);
void exchange(const ovn::Exchange& a, const ActionPlace& at, FlowKey& packet);
void push(const ovn::Push& a, const ActionPlace& at, const FlowKey& packet, Stack& stack);
void pop(const ovn::Pop& a, const ActionPlace& at, FlowKey& packet, Stack& stack);
void decrement_ttl(const ActionPlace& at, FlowKey& packet);
void put_options(const ovn::PutOptions& a, const ovn::Action& action, const ActionPlace& at, FlowKey& packet);
void dhcp_relay(const ovn::DhcpRelayCheck& a, const ActionPlace& at, FlowKey& packet);
void save_ct_state(const ovn::FieldRef& to, const ActionPlace& at, FlowKey& packet);

}  // namespace egt::engine::logical
