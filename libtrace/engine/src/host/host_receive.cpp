// What arrives at the host: delivered to it, or forwarded.
#include "host_ipsec.h"
#include "host_walk.h"
#include "inconsistencies.h"
#include "input_checks.h"
#include "path_mtu.h"
#include "rule_selectors.h"

namespace egt::engine {
namespace {

using netfilter::Hook;
using Kind = RouteAnswer::Kind;

Ended check_ttl(SocketBuffer& skb, HostRefusal& refusal) {
  const std::uint32_t ttl = skb.packet.u32(FieldId::nw_ttl);
  if (ttl <= 1)
    return refusal.rejected("icmp-ttl-exceeded", {PlaceKind::forwarding}, {Reason::ttl_exceeded, {std::uint64_t{ttl}}}, {});
  skb.packet.set(FieldId::nw_ttl, ttl - 1);
  return std::nullopt;
}

// Of IPv6 what stays on its link goes back to it alone, and so does what has no source (ip6_forward()).
Ended check_scope(const TakenRoute& route, const SocketBuffer& skb, HostRefusal& refusal) {
  const IpAddr from = src_ip(skb.packet);
  if (skb.family() != Family::v6 || route.device == skb.in) return std::nullopt;
  const Place where{PlaceKind::forwarding};
  if (from.is_unspecified()) return dropped(where, {Reason::martian_source, {from}});
  if (!from.is_link_local()) return std::nullopt;
  return refusal.rejected("icmp6-beyond-scope", where, {Reason::link_local_source, {from}}, {});
}

}  // namespace

HostWalk::HostWalk(const cluster::Node& node, NetworkState& network_state, Record& record, Chooser& chooser,
                   const NeighbourOracle& neighbours, const FlowKey& packet, HostOptions options)
    : record_(node, record, chooser),
      skb_(packet, std::move(options)),
      conntrack_(node.name, network_state, tcp_loose(node.host)),
      routing_(record_, skb_, network_state),
      nat_(record_, skb_, network_state, conntrack_),
      refusal_(record_, skb_, conntrack_, nat_),
      output_(record_, skb_, routing_, refusal_),
      copies_(record_, skb_, network_state, neighbours),
      hooks_(record_, skb_, network_state, conntrack_, nat_, refusal_, output_, copies_),
      neighbours_(record_, skb_, neighbours, refusal_) {}

void HostWalk::begin() {
  clear_pipeline(skb_.packet);
  note_inconsistencies(record_.node(), cluster::Inconsistency::About::node, "", record_.walk());
  note_inconsistencies(record_.node(), cluster::Inconsistency::About::netfilter, "", record_.walk());
}

HostOutcome HostWalk::complete(HostOutcome o) const {
  o.packet = skb_.packet;
  o.packet_length = skb_.options.packet_length;
  o.esp = skb_.options.esp;
  if (skb_.reassembled != 0 && o.kind == HostOutcome::Kind::transmit) o.packet.set(FieldId::ip_frag, skb_.reassembled);
  o.copies = copies_.outcomes();
  o.passed_port = passed_port_;
  o.on_bridge = on_bridge_;
  if (!o.quoted) o.quoted = conntrack_.translate_quoted(skb_.options.quoted);
  if (o.stop) {
    o.stop->node = record_.node().name;
    o.stop->layer = record_.layer();
  }
  return o;
}

HostOutcome HostWalk::receive(const std::string& device) {
  skb_.in = device;
  begin();
  return complete(arrive());
}

HostOutcome HostWalk::arrive() {
  std::vector<Provenance> lines;
  const host::Link* link = record_.host().link(skb_.in);
  if (link != nullptr && link->from.known()) lines.push_back(link->from);
  record_.add(ReceiveFrame{skb_.in}, std::move(lines));
  if (Ended end = check_device(skb_, record_)) return *end;
  if (Ended end = hooks_.pass(Hook::ingress)) return *end;
  if (hooks_.uses_conntrack())
    if (Ended end = reassemble(skb_, record_)) return *end;
  const bool by_bridge = asked_by_bridge(skb_, record_.host());  // then the stack sees the packet after its rules
  passed_port_ = by_bridge;
  if (Ended end = by_bridge ? Ended{} : check_frame(skb_, record_.host())) return *end;
  if (Ended end = hooks_.pass(Hook::prerouting)) return *end;
  if (by_bridge) on_bridge_.emplace(skb_.packet, record_.walk().steps.size());
  if (Ended end = by_bridge ? check_frame(skb_, record_.host()) : Ended{}) return *end;
  if (Ended end = enter_vrf()) return *end;
  return route_input();
}

// A device of a VRF hands what it received to the VRF's: it passes PREROUTING once more, and has come by that device for all
// rules, routes and settings behind (vrf_ip_rcv(), vrf_ip6_rcv() of drivers/net/vrf.c). Not so what IPv6 keeps on a link.
Ended HostWalk::enter_vrf() {
  const host::Link* vrf = vrf_of(record_.host(), skb_.in);
  const IpAddr to = dst_ip(skb_.packet);
  if (vrf == nullptr || vrf->name == skb_.in || to.is_multicast() || (skb_.family() == Family::v6 && to.is_link_local()))
    return std::nullopt;
  skb_.in = vrf->name;
  return hooks_.pass(Hook::prerouting);
}

HostOutcome HostWalk::route_input() {
  if (Ended end = check_addresses(skb_, record_)) return *end;
  const IpAddr to = dst_ip(skb_.packet);
  const bool is_group = to.is_v4() && to.is_multicast();  // routes decide nothing then (ip_route_input_rcu())
  RouteAnswer answer = is_group ? RouteAnswer{} : routing_.look_up(routing_.as_rules_see(query_for(skb_.packet, skb_.in)));
  if (is_group) answer.kind = Kind::multicast;
  const bool limited =
      is_limited_broadcast(to) || (skb_.family() == Family::v4 && to.is_unspecified() && src_ip(skb_.packet).is_unspecified());
  if (limited) answer.kind = Kind::broadcast;
  if (answer.kind == Kind::multicast) {
    record_.gap(Input::multicast_listeners, {dst_ip(skb_.packet)});
    return inconclusive({PlaceKind::input_route}, {Reason::multicast_not_simulated}, answer.evidence());
  }
  if (answer.is_for_me()) {
    routing_.note_route({answer, 0, answer.device, std::nullopt}, std::nullopt);
    if (!is_zero_net(src_ip(skb_.packet)))
      if (Ended end = check_source("", answer.kind == Kind::broadcast, skb_, routing_, record_)) return *end;
    return deliver();
  }
  if (answer.kind != Kind::unicast) {
    routing_.note_failed_route(answer);
    return refusal_.failed_route(answer);
  }
  if (Ended end = check_forwarding(skb_, record_)) return *end;
  if (Ended end = check_egress(answer, skb_, record_)) return *end;
  const TakenRoute route = routing_.take_hop(std::move(answer));
  routing_.note_route(route, std::nullopt);
  if (Ended end = check_source(route.device, false, skb_, routing_, record_)) return *end;
  if (Ended end = check_bridge(route, skb_, record_)) return *end;
  return forward(route);
}

// What has a socket is not forwarded (ip_forward(), ip6_forward()).
HostOutcome HostWalk::forward(const TakenRoute& route) {
  if (hooks_.taken_by_proxy()) return dropped({PlaceKind::forwarding}, {Reason::taken_by_proxy}, route.answer.evidence());
  if (Ended end = check_ipsec(host::IpsecDirection::forward, skb_, record_)) return *end;
  if (dst_mac(skb_.packet).is_multicast()) return dropped({PlaceKind::forwarding}, {Reason::broadcast_frame});
  if (Ended end = check_ttl(skb_, refusal_)) return *end;
  if (Ended end = check_scope(route, skb_, refusal_)) return *end;
  if (Ended end = check_length(route, skb_, record_, refusal_)) return *end;
  skb_.out = route.device;
  skb_.next_hop = route.gateway.value_or(dst_ip(skb_.packet));
  if (Ended end = hooks_.pass(Hook::forward)) return *end;
  return leave(route);
}

HostOutcome HostWalk::deliver() {
  if (skb_.family() == Family::v4)
    if (Ended end = reassemble(skb_, record_)) return *end;
  if (Ended end = hooks_.pass(Hook::input)) return *end;
  if (Ended end = nat_.confirm()) return *end;
  if (Ended end = check_ipsec(host::IpsecDirection::in, skb_, record_)) return *end;
  HostOutcome o;
  o.kind = HostOutcome::Kind::delivered;
  o.device = skb_.in;
  return o;
}

}  // namespace egt::engine
