// What is made on the host: packets of sockets, error messages, frames and copies.
#include "host_walk.h"
#include "input_checks.h"

namespace egt::engine {
namespace {

using netfilter::Hook;
using Kind = RouteAnswer::Kind;

constexpr int kMostCopies = 4;  // of copies that come back by lo and are copied again

// icmp_echo() and icmpv6_echo_reply() send none then.
Ended check_echo(const SocketBuffer& skb, HostRecord& record) {
  constexpr std::uint8_t kEchoReply = 0, kEchoReplyV6 = 129;
  const std::uint32_t proto = skb.packet.u32(FieldId::nw_proto);
  const bool v4 = proto == ip_proto::icmp, v6 = proto == ip_proto::icmp6;
  if ((!v4 && !v6) || tuple_of(skb.packet).icmp_type != (v4 ? kEchoReply : kEchoReplyV6)) return std::nullopt;
  const Setting off = plain_setting(record.host(), v4 ? "net.ipv4.icmp_echo_ignore_all" : "net.ipv6.icmp.echo_ignore_all");
  if (!off.value) record.assume({Supposition::echo_answered, {record.node().name, off.key}});
  if (off.value.value_or(0) == 0) return std::nullopt;
  return dropped({PlaceKind::node, {record.node().name}}, {Reason::echo_ignored, {record.node().name}}, off.evidence);
}

// Where no dump shows it, it is the one that kernels come with; to groups a socket sends with 1 (ip_select_ttl(),
// IPV6_DEFAULT_MCASTHOPS).
void set_own_ttl(const std::string& device, SocketBuffer& skb, const host::Host& host) {
  if (skb.to.is_multicast()) {
    skb.packet.set(FieldId::nw_ttl, 1);
    return;
  }
  const Setting s = skb.family() == Family::v4 ? plain_setting(host, "net.ipv4.ip_default_ttl")
                                               : device_setting(host, Family::v6, device, "hop_limit");
  if (s.value && *s.value > 0 && *s.value <= 255) skb.packet.set(FieldId::nw_ttl, static_cast<std::uint64_t>(*s.value));
}

}  // namespace

HostOutcome HostWalk::send(const LocalSend& what) {
  begin();
  return complete(what.as_frame ? send_as_frame(what) : send_packet(what));
}

HostOutcome HostWalk::send_packet(const LocalSend& what) {
  skb_.origin.bound_device = what.bound_device;
  skb_.origin.quoted = what.quoted;
  skb_.origin.answers = what.answers;
  skb_.origin.by_switch = what.by_switch;
  if (what.about) conntrack_.attach(*what.about, skb_.packet);
  if (Ended end = check_echo(skb_, record_)) return *end;
  TakenRoute route;
  if (Ended end = output_.choose_route(what, route)) return *end;
  skb_.entered = tuple_of(skb_.packet);
  if (what.own_ttl) set_own_ttl(route.answer.kind == Kind::local ? "lo" : route.device, skb_, record_.host());
  routing_.note_route(route, skb_.entered.src);
  const FlowKey sent = skb_.packet;
  if (Ended end = output_.check_loopback_source(route)) return *end;
  HostOutcome o = output(std::move(route));
  o.sent = sent;
  return o;
}

HostOutcome HostWalk::output(TakenRoute route) {
  skb_.out = route.answer.kind == Kind::local ? "lo" : route.device;
  skb_.next_hop = route.gateway.value_or(dst_ip(skb_.packet));
  if (Ended end = hooks_.pass(Hook::output, &route)) return *end;
  if (route.answer.kind == Kind::local) route.device = "lo";
  return leave(route);
}

// The kernel makes none where it has no route to the receiver.
HostOutcome HostWalk::send_as_frame(const LocalSend& what) {
  const RouteAnswer answer = routing_.look_up(query_for(skb_.packet, "lo"));
  if (answer.kind == Kind::unknown) return refusal_.failed_route(answer);
  if (answer.kind != Kind::unicast && !answer.is_for_me())
    return dropped({PlaceKind::output_route}, {Reason::no_route, {skb_.to}}, answer.evidence());
  HostOutcome o = transmitted(what.bound_device);
  o.sent = skb_.packet;
  return o;
}

HostOutcome HostWalk::send_copy(const PacketCopy& copy, PacketOrigin origin, int& copies_left) {
  skb_.origin = std::move(origin);
  copies_.count_with(copies_left);
  return complete(output_copy(copy));
}

// Routed to the gateway without a source, without mark and protocol; then as a packet of this host that is not tracked.
HostOutcome HostWalk::output_copy(const PacketCopy& copy) {
  conntrack_.skip();
  if (skb_.origin.copy_depth > kMostCopies) return inconclusive({PlaceKind::copies}, {Reason::copies_of_copies}, copy.evidence);
  if (!copy.gateway && copy.device.empty()) return inconclusive({PlaceKind::copy}, {Reason::copy_target_unknown}, copy.evidence);
  if (!copy.gateway) return transmitted(copy.device);
  RouteQuery query;
  query.to = *copy.gateway;
  query.out_device = copy.device;  // for this lookup alone; a rule in OUTPUT may have the copy routed anew
  const RouteQuery own = query_for(skb_.packet, {});
  query.tos = own.tos, query.dscp = own.dscp;
  RouteAnswer answer = routing_.look_up(query);
  if (answer.kind == Kind::unknown) return refusal_.failed_route(answer);
  if (answer.kind != Kind::unicast && !answer.is_for_me())
    return dropped({PlaceKind::gateway_route}, {Reason::no_route, {*copy.gateway}}, answer.evidence());
  TakenRoute route = routing_.take_hop(std::move(answer));
  // With the device alone, for lack of a route, the gateway is forgotten (rt_set_nexthop()).
  if (!route.gateway && route.answer.route != nullptr) route.gateway = copy.gateway;
  return output(std::move(route));
}

// To an address of this host: the packet comes back by lo with its route and connection attached.
HostOutcome HostWalk::loop_back() {
  skb_.in = "lo";
  skb_.looped = true;
  if (Ended end = hooks_.pass(Hook::prerouting)) return *end;
  if (!nat_.route_lost()) return deliver();
  if (Ended end = check_looped_source(skb_, record_)) return *end;
  return route_input();
}

}  // namespace egt::engine
