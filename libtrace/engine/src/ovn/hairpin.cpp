#include "ovn/hairpin.h"

#include "egtrace/packet/packet.h"

namespace egt::engine::logical {
namespace {

IpAddr original_destination(const FlowKey& packet) {
  return family_of(packet) == Family::v4 ? IpAddr::v4(packet.u32(FieldId::ct_nw_dst))
                                         : IpAddr::v6(packet.get(FieldId::ct_ipv6_dst));
}

// With connections at hand: a packet that its load balancer sends back to its sender, and the answer to one.
bool is_hairpin(const ovn::ResultAction& a, const ActionPlace& at, const FlowKey& packet, Environment& environment) {
  if (!is_ip(packet)) return false;
  if (a.kind == ovn::ResultAction::Kind::chk_lb_hairpin_reply) return environment.is_answer_to_hairpin(at.at(), packet);
  return is_balanced(packet) && src_ip(packet) == dst_ip(packet);
}

}  // namespace

void check_hairpin(const ovn::ResultAction& a, const ActionPlace& at, FlowKey& packet, SouthboundLookups& southbound,
                   Environment* environment) {
  if (environment) return packet.set(a.result.subfield(), is_hairpin(a, at, packet, *environment));
  const auto vip = southbound.vip(packet);
  const bool translated = is_ip(packet) && (packet.u32(FieldId::ct_state) & ct_state::dnat);
  if (!vip && translated) southbound.note({"Load_Balancer", {}, original_destination(packet), {}, nullptr});
  bool hairpin = false;
  if (vip && translated) {
    const bool same = src_ip(packet) == dst_ip(packet);
    const FieldId port = a.kind == ovn::ResultAction::Kind::chk_lb_hairpin ? FieldId::ct_tp_dst : FieldId::tp_dst;
    hairpin = same && vip->port == packet.u32(port);
  }
  packet.set(a.result.subfield(), hairpin);
  at.show(NodeType::modify, Became{a.result, hairpin, false});
}

void show_snat_to_vip(const ActionPlace& at, const FlowKey& packet, const SouthboundLookups& southbound) {
  const auto vip = southbound.vip(packet);
  if (vip && vip->port == packet.u32(FieldId::ct_tp_dst))
    at.show(NodeType::action, Remark{Remark::Kind::nat_to_vip, vip->host, {}, {}, 0, {}, nullptr});
}

}  // namespace egt::engine::logical
