#include "host_walk.h"
#include "inconsistencies.h"
#include "refusal.h"
#include "source_address.h"

namespace egt::engine {
namespace {

using netfilter::Hook;
using Kind = RouteAnswer::Kind;

// Protocols whose sockets cannot send without connect().
bool connects(const FlowKey& packet) {
  const std::uint32_t proto = packet.u32(FieldId::nw_proto);
  return proto == ip_proto::tcp || proto == ip_proto::sctp;
}

// Whichever of the next hops is taken.
bool has_one_source(const host::Host& host, const RouteAnswer& answer, const IpAddr& to) {
  const auto first = choose_source(host, answer, 0, to);
  for (std::size_t hop = 1; hop < answer.hops.size(); ++hop)
    if (choose_source(host, answer, hop, to) != first) return false;
  return true;
}

}  // namespace

bool same_hops(const RouteAnswer& a, const RouteAnswer& b) {
  return a.kind == b.kind && a.route == b.route && a.device == b.device;
}

HostOutcome HostWalk::send(const LocalSend& what) {
  clear_pipeline(packet_);
  note_inconsistencies(node_, cluster::Inconsistency::About::node, "", record_);
  note_inconsistencies(node_, cluster::Inconsistency::About::netfilter, "", record_);
  if (what.as_frame) return send_as_frame(what);
  bound_device_ = what.bound_device;
  refused_ = what.quoted;
  by_switch_ = what.by_switch;
  if (what.about) conntrack_.attach(*what.about, packet_);
  if (Ended end = check_echo()) return *end;
  Taken route;
  if (Ended end = choose_local_source(what, route)) return *end;
  entered_ = tuple_of(packet_);
  if (what.own_ttl) set_own_ttl(route.answer.kind == Kind::local ? "lo" : route.device);
  note_route(route, entered_.src);
  const FlowKey sent = packet_;
  out_ = route.answer.kind == Kind::local ? "lo" : route.device;
  if (Ended end = check_loopback_source(route)) return *end;
  next_hop_ = route.gateway.value_or(dst_ip(packet_));
  HostOutcome o;
  if (Ended end = pass(Hook::output, &route)) {
    o = *end;
  } else {
    if (route.answer.kind == Kind::local) route.device = "lo";
    o = leave(route);
  }
  o.sent = sent;
  return o;
}

// The kernel makes none where it has no route to the receiver.
HostOutcome HostWalk::send_as_frame(const LocalSend& what) {
  const RouteAnswer answer = look_up(query_for(packet_, "lo"));
  if (answer.kind == Kind::unknown) return failed_route(answer);
  if (answer.kind != Kind::unicast && !answer.is_for_me())
    return dropped({PlaceKind::output_route}, {Reason::no_route, {to_}}, answer.evidence());
  HostOutcome o = outcome(HostOutcome::Kind::transmit);
  o.device = what.bound_device;
  o.sent = packet_;
  return o;
}

// The route of the socket, and with it the source address of an unbound one.
HostWalk::Ended HostWalk::choose_local_source(const LocalSend& what, Taken& route) {
  RouteQuery query = query_for(packet_, "lo");
  query.out_device = what.bound_device;
  if (what.choose_source) query.from.reset();
  RouteAnswer answer = look_up(query);
  const bool source_chosen = what.choose_source && retry_with_source(query, answer);
  const bool to_all = to_ == IpAddr::v4(0xffffffff);
  if (to_all && (!what.choose_source || !what.bound_device.empty())) {  // the link is known without a route
    answer = {};
    answer.kind = Kind::broadcast;
    answer.device = what.bound_device;
  }
  if (what.answers && !what.choose_source && !to_all) take_unbound_source(query, answer);
  if (Ended end = check_own_source(what)) return end;
  if (Ended end = no_local_route(answer)) return end;
  if (Ended end = refused_by_tcp(answer)) return end;
  route = take_hop(std::move(answer));
  if (!what.choose_source || source_chosen) {
    if (to_all) stay_on_link(query, route);
    return std::nullopt;
  }
  const auto source = choose_source(host_, route.answer, route.hop, to_);
  if (!source) {
    const Place where{PlaceKind::source_selection};
    if (host_.links.present && !host_.links.partial) return dropped(where, {Reason::no_source}, route.answer.evidence());
    gap(Input::addresses);
    return inconclusive(where, {Reason::source_unknown}, route.answer.evidence());
  }
  const Tuple unbound = tuple_of(packet_);
  set_src_ip(packet_, *source);
  if (to_all) stay_on_link(query, route);
  if (to_all) return std::nullopt;
  if (!follows_source_rules(what, route)) {
    keep_hop(unbound);
    hashed_without_source_ = family() == Family::v4 && !connects(packet_);
    return std::nullopt;
  }
  RouteAnswer second = look_up([&] {
    RouteQuery q = query;
    q.from = *source;
    return q;
  }());
  if (Ended end = no_local_route(second)) return end;
  route = take_hop(std::move(second));
  return std::nullopt;
}

// A UDP socket that listens on all addresses sends from the one that the route gives, and rules on the source do not see any
// before, unless its process names the address that it was sent to (IP_PKTINFO).
void HostWalk::take_unbound_source(const RouteQuery& query, RouteAnswer& answer) {
  if (packet_.u32(FieldId::nw_proto) != ip_proto::udp) return;
  RouteQuery unbound = query;
  unbound.from.reset();
  RouteAnswer other = find_route(host_, unbound);
  if (other.kind != Kind::unicast) return;
  const auto source = choose_source(host_, other, 0, to_);
  if (!source || (same_hops(other, answer) && *source == src_ip(packet_))) return;
  ChoicePoint point;
  point.kind = ChoicePoint::Kind::unknown;
  point.node = node_.name;
  point.what = Branch::udp_bound;
  point.about = {src_ip(packet_)};
  point.options = {{{Alternative::yes}}, {{Alternative::no}}};
  point.evidence = other.evidence();
  if (chooser_.choose(point) == 0) return;
  set_src_ip(packet_, *source);
  answer = std::move(other);
}

// icmp_echo() and icmpv6_echo_reply() send none then.
HostWalk::Ended HostWalk::check_echo() {
  constexpr std::uint8_t kEchoReply = 0, kEchoReplyV6 = 129;
  const std::uint32_t proto = packet_.u32(FieldId::nw_proto);
  const bool v4 = proto == ip_proto::icmp, v6 = proto == ip_proto::icmp6;
  if ((!v4 && !v6) || tuple_of(packet_).icmp_type != (v4 ? kEchoReply : kEchoReplyV6)) return std::nullopt;
  const Setting off = plain_setting(host_, v4 ? "net.ipv4.icmp_echo_ignore_all" : "net.ipv6.icmp.echo_ignore_all");
  if (!off.value) assume({Supposition::echo_answered, {node_.name, off.key}});
  if (off.value.value_or(0) == 0) return std::nullopt;
  return dropped({PlaceKind::node, {node_.name}}, {Reason::echo_ignored, {node_.name}}, off.evidence);
}

// Where no dump shows it, it is the one that kernels come with; to groups a socket sends with 1 (ip_select_ttl(),
// IPV6_DEFAULT_MCASTHOPS).
void HostWalk::set_own_ttl(const std::string& device) {
  if (to_.is_multicast()) {
    packet_.set(FieldId::nw_ttl, 1);
    return;
  }
  const Setting s = family() == Family::v4 ? plain_setting(host_, "net.ipv4.ip_default_ttl")
                                           : device_setting(host_, Family::v6, device, "hop_limit");
  if (s.value && *s.value > 0 && *s.value <= 255) packet_.set(FieldId::nw_ttl, static_cast<std::uint64_t>(*s.value));
}

// IPv6 that finds no route for a socket without an address tries once more with one of the host's
// (ip6_dst_lookup_tail()). True when it did: the packet has that address then.
bool HostWalk::retry_with_source(const RouteQuery& query, RouteAnswer& answer) {
  if (family() != Family::v6 || answer.kind == Kind::unicast || answer.is_for_me() || answer.kind == Kind::unknown) return false;
  const auto own = select_v6_address(host_, "", query.to);
  if (!own) return false;
  RouteQuery sourced = query;
  sourced.from = own->address;
  answer = look_up(sourced);
  set_src_ip(packet_, own->address);
  return true;
}

// connect() looks the route up a second time with the address that the first lookup chose, and keeps that address; a
// socket that is not connected does not (IPv4 only). Of several next hops it may take another one then, which since
// Linux 6.16 it does not where one has the address (fib_select_multipath()).
bool HostWalk::follows_source_rules(const LocalSend& what, const Taken& first) {
  RouteQuery query = query_for(packet_, "lo");
  query.out_device = what.bound_device;
  const RouteAnswer second = find_route(host_, query);
  if (family() != Family::v4) return false;
  if (same_hops(first.answer, second) && has_one_source(host_, first.answer, to_)) return false;
  if (connects(packet_)) return true;
  if (packet_.u32(FieldId::nw_proto) != ip_proto::udp) return false;
  ChoicePoint point;
  point.kind = ChoicePoint::Kind::unknown;
  point.node = node_.name;
  point.what = Branch::udp_connected;
  point.options = {{{Alternative::connected}}, {{Alternative::not_connected}}};
  point.evidence = second.evidence();
  return chooser_.choose(point) == 0;
}

// The limited broadcast goes to the link of the socket's device or of its source address, else to that of the route,
// and never to a gateway (ip_route_output_key_hash_rcu(), __mkroute_output()).
void HostWalk::stay_on_link(const RouteQuery& query, Taken& route) const {
  std::string device = query.out_device;
  for (const host::Link& link : host_.links.value)
    for (const host::Address& own : link.addresses)
      if (device.empty() && query.from && own.prefix.address == *query.from) device = link.name;
  if (!device.empty()) route.device = route.answer.device = device;
  route.gateway.reset();
  route.answer.kind = Kind::broadcast;
}

// tcp_v4_connect(), tcp_v6_connect(): TCP has one receiver.
HostWalk::Ended HostWalk::refused_by_tcp(const RouteAnswer& answer) {
  const bool several = answer.kind == Kind::broadcast || answer.kind == Kind::multicast || to_ == IpAddr::v4(0xffffffff);
  if (!several || packet_.u32(FieldId::nw_proto) != ip_proto::tcp) return std::nullopt;
  HostOutcome o = stopped(HostOutcome::Kind::rejected, {PlaceKind::connect}, {Reason::tcp_to_many, {to_}}, answer.evidence());
  o.reject_with = "ENETUNREACH";
  return o;
}

// A route of type local in another table than local lets the host take packets, not send from their destination, unless the
// socket is transparent (__ip_dev_find() in ip_route_output_key_hash_rcu()).
HostWalk::Ended HostWalk::check_own_source(const LocalSend& what) {
  const IpAddr from = src_ip(packet_);
  const bool shown = host_.links.present && !host_.links.partial && !host_.routes_v4.partial && !node_.host_presumed;
  if (!what.answers || what.choose_source || !from.is_v4() || !shown) return std::nullopt;
  if (local_type_of(host_, from) == Kind::local) return std::nullopt;
  if (has_ports(packet_)) {
    ChoicePoint point;
    point.kind = ChoicePoint::Kind::unknown;
    point.node = node_.name;
    point.what = Branch::transparent;
    point.about = {from};
    point.options = {{{Alternative::yes}}, {{Alternative::no}}};
    if (chooser_.choose(point) == 0) return std::nullopt;
  }
  return dropped({PlaceKind::output_route}, {Reason::source_not_own, {from}});
}

// What the process gets to hear at once.
HostWalk::Ended HostWalk::no_local_route(const RouteAnswer& answer) {
  if (answer.kind == Kind::unicast || answer.is_for_me()) return std::nullopt;
  if (answer.kind != Kind::unknown) note_route({answer, 0, "", std::nullopt}, std::nullopt);
  HostOutcome o = failed_route(answer);
  if (o.kind == HostOutcome::Kind::inconclusive) return o;
  o.kind = HostOutcome::Kind::rejected;
  o.answer.reset();
  o.reject_with = socket_error(answer);
  return o;
}

// ip_route_me_harder(): a mark or a translation in OUTPUT changed what routing looks at. The source stays.
HostWalk::Ended HostWalk::reroute(Taken& route) {
  RouteQuery query = as_rules_see(query_for(packet_, "lo"));
  query.out_device = bound_device_;
  if (dst_ip(packet_) == IpAddr::v4(0xffffffff)) return stay_on_link_again(query, route);
  RouteAnswer answer = look_up(query);
  if (answer.kind != Kind::unicast && !answer.is_for_me()) {
    if (answer.kind != Kind::unknown) note_route({answer, 0, "", std::nullopt}, std::nullopt);
    HostOutcome o = failed_route(answer);
    if (o.kind == HostOutcome::Kind::rejected) o.kind = HostOutcome::Kind::dropped;
    o.answer.reset();
    return o;
  }
  const bool same = same_hops(answer, route.answer);
  if (same && answer.hops.size() < 2) {
    route.answer = std::move(answer);
    if (route.hop < route.answer.hops.size()) route.gateway = gateway_of(route.answer.hops[route.hop]);  // no longer a copy's
    return std::nullopt;
  }
  const std::size_t hop = route.hop;
  route = take_hop(std::move(answer), hashes_anew());
  if (same && route.hop == hop) return std::nullopt;
  note_route(route, std::nullopt);
  return check_loopback_source(route);
}

// No rule and no route is asked about the limited broadcast; a sender that is bound to no device must have its address.
HostWalk::Ended HostWalk::stay_on_link_again(const RouteQuery& query, Taken& route) {
  const IpAddr from = src_ip(packet_);
  if (bound_device_.empty() && !from.is_unspecified() && local_type_of(host_, from) == Kind::unicast)
    return dropped({PlaceKind::output_route}, {Reason::no_link_for_broadcast, {from, to_}});
  const std::string before = route.device;
  stay_on_link(query, route);
  if (route.device == before) return std::nullopt;
  RouteAnswer answer;
  answer.kind = Kind::broadcast;
  answer.device = route.device;
  route.answer = std::move(answer);
  note_route(route, std::nullopt);
  return check_loopback_source(route);
}

// __mkroute_output(): loopback addresses leave the host only where route_localnet is set.
HostWalk::Ended HostWalk::check_loopback_source(const Taken& route) {
  const IpAddr from = src_ip(packet_);
  if (!from.is_v4() || !from.is_loopback() || route.answer.kind == Kind::local || route.device == "lo") return std::nullopt;
  const Setting setting = either_setting(host_, route.device, "route_localnet");
  if (know(setting, false, Supposition::loopback_sent)) return std::nullopt;
  HostOutcome o = stopped(HostOutcome::Kind::rejected, {PlaceKind::output_route},
                          {Reason::loopback_not_sent, {from, route.device}}, setting.evidence);
  o.reject_with = "EINVAL";
  return o;
}

// To an address of this host: the packet comes back by lo with its route and connection attached.
HostOutcome HostWalk::loop_back() {
  in_ = "lo";
  looped_ = true;
  if (Ended end = pass(Hook::prerouting)) return *end;
  if (!route_lost_) return deliver();
  if (Ended end = check_looped_source()) return *end;
  return route_input();
}

// Where NAT has to undo on lo what a rule wrote over the destination, the packet loses its route and is one from
// outside: IPv4 then takes its own addresses for martians (nf_nat_ipv4_pre_routing(), ip_route_input_slow()).
HostWalk::Ended HostWalk::check_looped_source() {
  const IpAddr from = src_ip(packet_), to = dst_ip(packet_);
  if (!from.is_v4()) return std::nullopt;
  const bool loopback = from.is_loopback() || to.is_loopback();
  const Setting setting = either_setting(host_, in_, loopback ? "route_localnet" : "accept_local");
  if (!loopback && local_type_of(host_, from) != Kind::local) return std::nullopt;
  if (know(setting, false, Supposition::own_source_on_lo)) return std::nullopt;
  return dropped({PlaceKind::source_check}, {Reason::own_source_on_lo, {from}}, setting.evidence);
}

}  // namespace egt::engine
