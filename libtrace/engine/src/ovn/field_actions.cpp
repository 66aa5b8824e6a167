#include "ovn/field_actions.h"

#include "egtrace/openflow/prerequisites.h"
#include "egtrace/packet/packet.h"

namespace egt::engine::logical {
namespace {

using F = FieldId;
using Kind = Remark::Kind;

// Fields of registers change without being mentioned.
bool is_register(FieldId id) { return id >= F::reg0 && id <= F::xxreg7; }

// An answer of ovn-controller's is supposed to succeed.
void succeed(const ovn::FieldRef& result, const ActionPlace& at, FlowKey& packet) {
  const Subfield to = result.subfield();
  if (!is_register(to.field)) at.show(NodeType::modify, Became{result, 1, false});
  packet.set(to, 1);
}

}  // namespace

void load(const ovn::Load& a, const ovn::Action& action, const ActionPlace& at, FlowKey& packet, SouthboundLookups& southbound) {
  if (a.to.symbol->is_ovn_field) return at.show(NodeType::modify, Remark{Kind::ovn_field, {}, {}, {}, 0, {}, &action});
  const Subfield to = a.to.subfield();
  U128 value = a.value.value;
  if (a.to.symbol->is_string()) value = southbound.port_key(at.datapath, a.value.text);
  if (!is_register(to.field)) at.show(NodeType::modify, Assigned{&action});
  if (!openflow::prerequisites_met(to.field, packet)) return;  // what is set without them is ignored, as by Open vSwitch
  if (a.value.masked && !a.to.symbol->is_string()) value = (packet.get(to) & ~a.value.mask) | (value & a.value.mask);
  packet.set(to, value);
}

void move(const ovn::Move& a, const ActionPlace& at, FlowKey& packet) {
  const Subfield to = a.to.subfield(), from = a.from.subfield();
  if (!is_register(to.field)) at.show(NodeType::modify, Moved{a.to, from, packet.get(from)});
  packet.set(to, packet.get(from));
}

void exchange(const ovn::Exchange& a, const ActionPlace& at, FlowKey& packet) {
  const Subfield x = a.a.subfield(), y = a.b.subfield();
  const U128 in_x = packet.get(x), in_y = packet.get(y);
  if (!is_register(x.field)) at.show(NodeType::modify, Moved{a.a, y, in_y});
  if (!is_register(y.field)) at.show(NodeType::modify, Moved{a.b, x, in_x});
  packet.set(x, in_y);
  packet.set(y, in_x);
}

void push(const ovn::Push& a, const ActionPlace& at, const FlowKey& packet, Stack& stack) {
  const U128 value = packet.get(a.field.subfield());
  at.show(NodeType::modify, Stacked{a.field, true, value});
  stack.push_back(value);
}

void pop(const ovn::Pop& a, const ActionPlace& at, FlowKey& packet, Stack& stack) {
  Stacked popped{a.field, false, {}};
  if (!stack.empty()) {
    popped.value = stack.back();
    stack.pop_back();
    packet.set(a.field.subfield(), *popped.value);
  }
  at.show(NodeType::modify, std::move(popped));
}

void decrement_ttl(const ActionPlace& at, FlowKey& packet) {
  if (!is_ip(packet)) return at.show(NodeType::error, remark_of(Kind::ttl_not_ip));
  const auto ttl = packet.u32(F::nw_ttl);
  if (ttl == 0) return at.show(NodeType::error, remark_of(Kind::ttl_underflow));
  packet.set(F::nw_ttl, ttl - 1);
  at.show(NodeType::modify, remark_of(Kind::ttl_decremented));
}

void put_options(const ovn::PutOptions& a, const ovn::Action& action, const ActionPlace& at, FlowKey& packet) {
  if (a.kind != ovn::PutOptions::Kind::nd_ra) at.show(NodeType::error, remark_of(Kind::dhcp_request));
  at.show(NodeType::modify, Remark{Kind::put_options, {}, {}, {}, 0, {}, &action});
  succeed(a.result, at, packet);
}

void dhcp_relay(const ovn::DhcpRelayCheck& a, const ActionPlace& at, FlowKey& packet) {
  at.show(NodeType::error, remark_of(a.response ? Kind::dhcp_relay_response : Kind::dhcp_request));
  if (a.response) {
    packet.set(F::ip_dst, 0xffffffff);
    packet.set(F::eth_dst, 0xffffffffffffULL);
  }
  succeed(a.result, at, packet);
}

void save_ct_state(const ovn::FieldRef& to, const ActionPlace& at, FlowKey& packet) {
  const auto state = packet.u32(F::ct_state);
  const std::uint32_t saved = (state & ct_state::trk) ? state & 0xff : 0;
  packet.set(to.subfield(), saved);
  at.show(NodeType::action, Became{to, saved, true});
}

}  // namespace egt::engine::logical
