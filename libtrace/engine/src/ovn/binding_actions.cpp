#include "ovn/binding_actions.h"

namespace egt::engine::logical {
namespace {

using F = FieldId;
using Kind = Remark::Kind;

Remark about_mac(Kind kind, std::uint64_t mac) { return {kind, {}, {}, {}, mac, {}, nullptr}; }

IpAddr address_in(const ovn::FieldRef& field, const FlowKey& packet) {
  const Subfield s = field.subfield();
  const U128 value = packet.get(s);
  return s.bits == 32 ? IpAddr::v4(static_cast<std::uint32_t>(value)) : IpAddr::v6(value);
}

std::uint32_t port_in(const ovn::FieldRef& field, const FlowKey& packet) {
  return static_cast<std::uint32_t>(packet.get(field.subfield())) & 0xffff;
}

std::optional<std::uint32_t> learned_port(const ovn::FieldRef& mac, const ActionPlace& at, const FlowKey& packet,
                                          SouthboundLookups& southbound) {
  return southbound.learned_port(at.datapath, MacAddr{low64(packet.get(mac.subfield()))});
}

// With the flows that ovn-controller makes of Static_MAC_Binding (consider_neighbor_flow() of controller/lflow.c), of which
// ovn-trace knows nothing.
std::optional<MacAddr> binding(const ActionPlace& at, std::uint32_t port, const IpAddr& address, Environment* environment) {
  const NetworkPort* of = environment ? at.datapath.port(port) : nullptr;
  if (environment)
    if (const auto mac = environment->static_binding(of, address, true)) return mac;
  if (const auto mac = at.datapath.learned.binding(port, address)) return mac;
  return environment ? environment->static_binding(of, address, false) : std::nullopt;
}

void note_no_binding(const ActionPlace& at, std::uint32_t port, const IpAddr& address, SouthboundLookups& southbound) {
  southbound.note({"MAC_Binding", port_name(at.datapath, port), address, {}, nullptr});
}

}  // namespace

void get_binding(const ovn::GetBinding& a, const ActionPlace& at, FlowKey& packet, SouthboundLookups& southbound,
                 Environment* environment) {
  const auto port = port_in(a.port, packet);
  const IpAddr address = address_in(a.ip, packet);
  const auto mac = binding(at, port, address, environment);
  const auto resolved = mac || !environment ? mac : environment->resolve(at.at(), at.datapath.port(port), address);
  const std::uint64_t value = resolved ? resolved->value : 0;
  if (!mac) note_no_binding(at, port, address, southbound);
  packet.set(F::eth_dst, value);
  at.show(NodeType::action, about_mac(mac ? Kind::binding : Kind::no_binding, value));
  at.show(NodeType::modify, about_mac(Kind::eth_dst, value));
}

void lookup_binding(const ovn::LookupBinding& a, const ActionPlace& at, FlowKey& packet, SouthboundLookups& southbound,
                    Environment* environment) {
  const auto port = port_in(a.port, packet);
  const IpAddr address = address_in(a.ip, packet);
  const auto mac = binding(at, port, address, environment);
  if (!mac) note_no_binding(at, port, address, southbound);
  const bool found = mac && (!a.mac || U128{mac->value} == packet.get(a.mac->subfield()));
  if (!found)
    at.show(NodeType::action, remark_of(Kind::binding_missing));
  else if (a.mac)
    at.show(NodeType::action, about_mac(Kind::binding_found, packet.u64(F::eth_dst)));
  else
    at.show(NodeType::action, remark_of(Kind::binding_found_ip));
  packet.set(a.result.subfield(), found);
}

void get_fdb(const ovn::GetFdb& a, const ActionPlace& at, FlowKey& packet, SouthboundLookups& southbound) {
  if (a.remote) return at.show(NodeType::output, remark_of(Kind::remote_fdb));
  const auto port = learned_port(a.mac, at, packet, southbound);
  packet.set(a.result.subfield(), port.value_or(0));
}

void lookup_fdb(const ovn::LookupFdb& a, const ActionPlace& at, FlowKey& packet, SouthboundLookups& southbound) {
  const auto port = learned_port(a.mac, at, packet, southbound);
  const bool found = port && U128{*port} == packet.get(a.port.subfield());
  at.show(NodeType::action, about_mac(found ? Kind::fdb_found : Kind::fdb_missing, packet.u64(F::eth_dst)));
  packet.set(a.result.subfield(), found);
}

void check_evpn(const ovn::CheckEvpnArp& a, const ActionPlace& at, FlowKey& packet) {
  at.show(NodeType::action, Remark{Kind::evpn_unavailable, {}, {}, {}, 0, address_in(a.ip, packet), nullptr});
  packet.set(a.result.subfield(), 0);
}

}  // namespace egt::engine::logical
