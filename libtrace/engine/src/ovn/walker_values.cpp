// Actions that write fields: constants, moves, the results of lookups.
#include "egtrace/openflow/prerequisites.h"
#include "egtrace/packet/packet.h"
#include "ovn/walker.h"

namespace egt::engine::logical {
namespace {

using F = FieldId;
using Kind = Remark::Kind;
using ovn::ResultAction;

// Tables of the southbound database (ovn-sb(5)).
constexpr std::string_view kPortBinding = "Port_Binding", kMulticastGroup = "Multicast_Group", kMacBinding = "MAC_Binding",
                           kFdb = "FDB";

// Northd's multicast groups, "_MC_flood" and the like.
bool is_group_name(std::string_view name) { return name.starts_with("_MC_"); }

Remark about_mac(Kind kind, std::uint64_t mac) { return {kind, {}, {}, {}, mac, {}, nullptr}; }

IpAddr address_in(const ovn::FieldRef& field, const FlowKey& packet) {
  const Subfield s = field.subfield();
  const U128 value = packet.get(s);
  return s.bits == 32 ? IpAddr::v4(static_cast<std::uint32_t>(value)) : IpAddr::v6(value);
}

}  // namespace

bool is_register(FieldId id) { return id >= F::reg0 && id <= F::xxreg7; }

void Walker::became(const ovn::FieldRef& field, std::uint64_t value, const Place& at) {
  at.nodes.push_back({NodeType::modify, false, Became{field, value, false}, {}});
}

void Walker::load(const ovn::Load& a, const ovn::Action& action, const Place& at, FlowKey& packet) {
  if (a.to.symbol->is_ovn_field) return remark(at.nodes, NodeType::modify, {Kind::ovn_field, {}, {}, {}, 0, {}, &action});
  const Subfield to = a.to.subfield();
  U128 value = a.value.value;
  if (a.to.symbol->is_string()) {
    const auto key = network_.port_key(at.datapath, a.value.text);
    value = key.value_or(0);
    if (!key) unanswered({is_group_name(a.value.text) ? kMulticastGroup : kPortBinding, a.value.text, {}, {}, nullptr});
  }
  if (!is_register(to.field)) at.nodes.push_back({NodeType::modify, false, Assigned{&action}, {}});
  if (!openflow::prerequisites_met(to.field, packet)) return;  // what is set without them is ignored, as by Open vSwitch
  if (a.value.masked && !a.to.symbol->is_string()) value = (packet.get(to) & ~a.value.mask) | (value & a.value.mask);
  packet.set(to, value);
}

void Walker::move(const ovn::Move& a, const Place& at, FlowKey& packet) {
  const Subfield to = a.to.subfield(), from = a.from.subfield();
  if (!is_register(to.field)) at.nodes.push_back({NodeType::modify, false, Moved{a.to, from, packet.get(from)}, {}});
  packet.set(to, packet.get(from));
}

void Walker::exchange(const ovn::Exchange& a, const Place& at, FlowKey& packet) {
  const Subfield x = a.a.subfield(), y = a.b.subfield();
  const U128 in_x = packet.get(x), in_y = packet.get(y);
  if (!is_register(x.field)) at.nodes.push_back({NodeType::modify, false, Moved{a.a, y, in_y}, {}});
  if (!is_register(y.field)) at.nodes.push_back({NodeType::modify, false, Moved{a.b, x, in_x}, {}});
  packet.set(x, in_y);
  packet.set(y, in_x);
}

void Walker::push(const ovn::Push& a, const Place& at, const FlowKey& packet, Stack& stack) {
  const U128 value = packet.get(a.field.subfield());
  at.nodes.push_back({NodeType::modify, false, Stacked{a.field, true, value}, {}});
  stack.push_back(value);
}

void Walker::pop(const ovn::Pop& a, const Place& at, FlowKey& packet, Stack& stack) {
  Stacked popped{a.field, false, {}};
  if (!stack.empty()) {
    popped.value = stack.back();
    stack.pop_back();
    packet.set(a.field.subfield(), *popped.value);
  }
  at.nodes.push_back({NodeType::modify, false, std::move(popped), {}});
}

void Walker::decrement_ttl(const Place& at, FlowKey& packet) {
  if (!is_ip(packet)) return remark(at.nodes, NodeType::error, remark_of(Kind::ttl_not_ip));
  const auto ttl = packet.u32(F::nw_ttl);
  if (ttl == 0) return remark(at.nodes, NodeType::error, remark_of(Kind::ttl_underflow));
  packet.set(F::nw_ttl, ttl - 1);
  remark(at.nodes, NodeType::modify, remark_of(Kind::ttl_decremented));
}

// With the flows that ovn-controller makes of Static_MAC_Binding (consider_neighbor_flow() of controller/lflow.c), of which
// ovn-trace knows nothing.
std::optional<MacAddr> Walker::binding(const Place& at, std::uint32_t port, const IpAddr& address) {
  const NetworkPort* of = environment_ ? at.datapath.port(port) : nullptr;
  if (environment_)
    if (const auto mac = environment_->static_binding(of, address, true)) return mac;
  if (const auto mac = network_.binding(at.datapath, port, address)) return mac;
  return environment_ ? environment_->static_binding(of, address, false) : std::nullopt;
}

void Walker::get_binding(const ovn::GetBinding& a, const Place& at, FlowKey& packet) {
  const auto port = static_cast<std::uint32_t>(packet.get(a.port.subfield())) & 0xffff;
  const auto mac = binding(at, port, address_in(a.ip, packet));
  const auto resolved =
      mac || !environment_ ? mac : environment_->resolve(at.at(), at.datapath.port(port), address_in(a.ip, packet));
  const std::uint64_t value = resolved ? resolved->value : 0;
  if (!mac) unanswered({kMacBinding, port_name(at.datapath, port), address_in(a.ip, packet), {}, nullptr});
  packet.set(F::eth_dst, value);
  remark(at.nodes, NodeType::action, about_mac(mac ? Kind::binding : Kind::no_binding, value));
  remark(at.nodes, NodeType::modify, about_mac(Kind::eth_dst, value));
}

void Walker::lookup_binding(const ovn::LookupBinding& a, const Place& at, FlowKey& packet) {
  const auto port = static_cast<std::uint32_t>(packet.get(a.port.subfield())) & 0xffff;
  const auto mac = binding(at, port, address_in(a.ip, packet));
  if (!mac) unanswered({kMacBinding, port_name(at.datapath, port), address_in(a.ip, packet), {}, nullptr});
  const bool found = mac && (!a.mac || U128{mac->value} == packet.get(a.mac->subfield()));
  if (!found)
    remark(at.nodes, NodeType::action, remark_of(Kind::binding_missing));
  else if (a.mac)
    remark(at.nodes, NodeType::action, about_mac(Kind::binding_found, packet.u64(F::eth_dst)));
  else
    remark(at.nodes, NodeType::action, remark_of(Kind::binding_found_ip));
  packet.set(a.result.subfield(), found);
}

std::optional<std::uint32_t> Walker::learned_port(const ovn::FieldRef& field, const Place& at, const FlowKey& packet) {
  const MacAddr mac{low64(packet.get(field.subfield()))};
  const auto port = network_.learned_port(at.datapath, mac);
  if (!port) unanswered({kFdb, at.datapath.friendly, {}, mac, nullptr});
  return port;
}

void Walker::get_fdb(const ovn::GetFdb& a, const Place& at, FlowKey& packet) {
  if (a.remote) return remark(at.nodes, NodeType::output, remark_of(Kind::remote_fdb));
  const auto port = learned_port(a.mac, at, packet);
  packet.set(a.result.subfield(), port.value_or(0));
}

void Walker::lookup_fdb(const ovn::LookupFdb& a, const Place& at, FlowKey& packet) {
  const auto port = learned_port(a.mac, at, packet);
  const bool found = port && U128{*port} == packet.get(a.port.subfield());
  remark(at.nodes, NodeType::action, about_mac(found ? Kind::fdb_found : Kind::fdb_missing, packet.u64(F::eth_dst)));
  packet.set(a.result.subfield(), found);
}

void Walker::put_options(const ovn::PutOptions& a, const ovn::Action& action, const Place& at, FlowKey& packet) {
  if (a.kind != ovn::PutOptions::Kind::nd_ra) remark(at.nodes, NodeType::error, remark_of(Kind::dhcp_request));
  remark(at.nodes, NodeType::modify, {Kind::put_options, {}, {}, {}, 0, {}, &action});
  const Subfield to = a.result.subfield();
  if (!is_register(to.field)) became(a.result, 1, at);
  packet.set(to, 1);
}

void Walker::dhcp_relay(const ovn::DhcpRelayCheck& a, const Place& at, FlowKey& packet) {
  remark(at.nodes, NodeType::error, remark_of(a.response ? Kind::dhcp_relay_response : Kind::dhcp_request));
  if (a.response) {
    packet.set(F::ip_dst, 0xffffffff);
    packet.set(F::eth_dst, 0xffffffffffffULL);
  }
  const Subfield to = a.result.subfield();
  if (!is_register(to.field)) became(a.result, 1, at);
  packet.set(to, 1);
}

void Walker::check_evpn(const ovn::CheckEvpnArp& a, const Place& at, FlowKey& packet) {
  remark(at.nodes, NodeType::action, {Kind::evpn_unavailable, {}, {}, {}, 0, address_in(a.ip, packet), nullptr});
  packet.set(a.result.subfield(), 0);
}

void Walker::result(const ResultAction& a, const Place& at, FlowKey& packet) {
  using K = ResultAction::Kind;
  const Subfield to = a.result.subfield();
  switch (a.kind) {
    case K::dns_lookup: packet.set(to, 0); return remark(at.nodes, NodeType::error, remark_of(Kind::dns_lookup));
    case K::chk_lb_hairpin:
    case K::chk_lb_hairpin_reply: return check_hairpin(a, at, packet);
    case K::check_in_port_sec: return packet.set(to, violates_ingress(at, packet));
    case K::check_out_port_sec: return packet.set(to, violates_egress(at, packet));
    // What OVN cannot know of the tracked tuple is taken from the packet, where its own trace does so.
    case K::ct_tp_dst:
      if (!options_.keeps_original_tuple) return;
      packet.set(to, packet.get(F::tp_dst));
      return became(a.result, packet.u64(F::tp_dst), at);
    case K::ct_proto: packet.set(to, packet.get(F::nw_proto)); return became(a.result, packet.u64(F::nw_proto), at);
    case K::ct_state_save: {
      const auto state = packet.u32(F::ct_state);
      const std::uint32_t saved = (state & ct_state::trk) ? state & 0xff : 0;
      packet.set(to, saved);
      at.nodes.push_back({NodeType::action, false, Became{a.result, saved, true}, {}});
      return;
    }
    case K::chk_ecmp_nh_mac:
    case K::chk_ecmp_nh:
    case K::chk_lb_aff:
    case K::ct_nw_dst:
    case K::ct_ip6_dst: return;
  }
}

}  // namespace egt::engine::logical
