#include "output_routing.h"

#include "source_address.h"

namespace egt::engine {
namespace {

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

Ended OutputRouting::choose_route(const LocalSend& what, TakenRoute& route) {
  RouteQuery query = query_for(skb_.packet, "lo");
  query.out_device = what.bound_device;
  if (what.choose_source) query.from.reset();
  RouteAnswer answer = routing_.look_up(query);
  const bool source_chosen = what.choose_source && retry_with_source(query, answer);
  const bool to_all = skb_.to == IpAddr::v4(0xffffffff);
  if (to_all && (!what.choose_source || !what.bound_device.empty())) {  // the link is known without a route
    answer = {};
    answer.kind = Kind::broadcast;
    answer.device = what.bound_device;
  }
  if (what.answers && !what.choose_source && !to_all) take_unbound_source(query, answer);
  if (Ended end = check_own_source(what)) return end;
  if (Ended end = no_local_route(answer)) return end;
  if (Ended end = refused_by_tcp(answer)) return end;
  route = routing_.take_hop(std::move(answer));
  if (!what.choose_source || source_chosen) {
    if (to_all) stay_on_link(query, route);
    return std::nullopt;
  }
  const auto source = choose_source(record_.host(), route.answer, route.hop, skb_.to);
  if (!source) {
    const Place where{PlaceKind::source_selection};
    if (record_.host().links.present && !record_.host().links.partial)
      return dropped(where, {Reason::no_source}, route.answer.evidence());
    record_.gap(Input::addresses);
    return inconclusive(where, {Reason::source_unknown}, route.answer.evidence());
  }
  const Tuple unbound = tuple_of(skb_.packet);
  set_src_ip(skb_.packet, *source);
  if (to_all) stay_on_link(query, route);
  if (to_all) return std::nullopt;
  if (!follows_source_rules(what, route)) {
    routing_.keep_hop(unbound, skb_.family() == Family::v4 && !connects(skb_.packet));
    return std::nullopt;
  }
  RouteAnswer second = routing_.look_up([&] {
    RouteQuery q = query;
    q.from = *source;
    return q;
  }());
  if (Ended end = no_local_route(second)) return end;
  route = routing_.take_hop(std::move(second));
  return std::nullopt;
}

// A UDP socket that listens on all addresses sends from the one that the route gives, and rules on the source do not see any
// before, unless its process names the address that it was sent to (IP_PKTINFO).
void OutputRouting::take_unbound_source(const RouteQuery& query, RouteAnswer& answer) {
  if (skb_.packet.u32(FieldId::nw_proto) != ip_proto::udp) return;
  RouteQuery unbound = query;
  unbound.from.reset();
  RouteAnswer other = find_route(record_.host(), unbound);
  if (other.kind != Kind::unicast && !other.is_for_me()) return;
  const auto source = choose_source(record_.host(), other, 0, skb_.to);
  if (!source || (same_hops(other, answer) && *source == src_ip(skb_.packet))) return;
  ChoicePoint point;
  point.kind = ChoicePoint::Kind::unknown;
  point.what = Branch::udp_bound;
  point.about = {src_ip(skb_.packet)};
  point.options = {{{Alternative::yes}}, {{Alternative::no}}};
  point.evidence = other.evidence();
  if (record_.choose(point) == 0) return;
  set_src_ip(skb_.packet, *source);
  answer = std::move(other);
}

// IPv6 that finds no route for a socket without an address tries once more with one of the host's
// (ip6_dst_lookup_tail()). True when it did: the packet has that address then.
bool OutputRouting::retry_with_source(const RouteQuery& query, RouteAnswer& answer) {
  if (skb_.family() != Family::v6 || answer.kind == Kind::unicast || answer.is_for_me() || answer.kind == Kind::unknown)
    return false;
  const auto own = select_v6_address(record_.host(), "", query.to);
  if (!own) return false;
  RouteQuery sourced = query;
  sourced.from = own->address;
  answer = routing_.look_up(sourced);
  set_src_ip(skb_.packet, own->address);
  return true;
}

// connect() looks the route up a second time with the address that the first lookup chose, and keeps that address; a
// socket that is not connected does not (IPv4 only). Of several next hops it may take another one then, which since
// Linux 6.16 it does not where one has the address (fib_select_multipath()).
bool OutputRouting::follows_source_rules(const LocalSend& what, const TakenRoute& first) {
  RouteQuery query = query_for(skb_.packet, "lo");
  query.out_device = what.bound_device;
  const RouteAnswer second = find_route(record_.host(), query);
  if (skb_.family() != Family::v4) return false;
  if (same_hops(first.answer, second) && has_one_source(record_.host(), first.answer, skb_.to)) return false;
  if (connects(skb_.packet)) return true;
  if (skb_.packet.u32(FieldId::nw_proto) != ip_proto::udp) return false;
  ChoicePoint point;
  point.kind = ChoicePoint::Kind::unknown;
  point.what = Branch::udp_connected;
  point.options = {{{Alternative::connected}}, {{Alternative::not_connected}}};
  point.evidence = second.evidence();
  return record_.choose(point) == 0;
}

// The limited broadcast goes to the link of the socket's device or of its source address, else to that of the route,
// and never to a gateway (ip_route_output_key_hash_rcu(), __mkroute_output()).
void OutputRouting::stay_on_link(const RouteQuery& query, TakenRoute& route) const {
  std::string device = query.out_device;
  for (const host::Link& link : record_.host().links.value)
    for (const host::Address& own : link.addresses)
      if (device.empty() && query.from && own.prefix.address == *query.from) device = link.name;
  if (!device.empty()) route.device = route.answer.device = device;
  route.gateway.reset();
  route.answer.kind = Kind::broadcast;
}

// tcp_v4_connect(), tcp_v6_connect(): TCP has one receiver.
Ended OutputRouting::refused_by_tcp(const RouteAnswer& answer) const {
  const bool several = answer.kind == Kind::broadcast || answer.kind == Kind::multicast || skb_.to == IpAddr::v4(0xffffffff);
  if (!several || skb_.packet.u32(FieldId::nw_proto) != ip_proto::tcp) return std::nullopt;
  return failed_in_socket("ENETUNREACH", {PlaceKind::connect}, {Reason::tcp_to_many, {skb_.to}}, answer.evidence());
}

// A route of type local in another table than local lets the host take packets, not send from their destination, unless the
// socket is transparent (__ip_dev_find() in ip_route_output_key_hash_rcu()).
Ended OutputRouting::check_own_source(const LocalSend& what) {
  const IpAddr from = src_ip(skb_.packet);
  const bool shown = record_.host().links.present && !record_.host().links.partial && !record_.host().routes_v4.partial &&
                     !record_.node().host_presumed;
  if (!what.answers || what.choose_source || !from.is_v4() || !shown) return std::nullopt;
  if (local_type_of(record_.host(), from) == Kind::local) return std::nullopt;
  if (has_ports(skb_.packet)) {
    ChoicePoint point;
    point.kind = ChoicePoint::Kind::unknown;
    point.what = Branch::transparent;
    point.about = {from};
    point.options = {{{Alternative::yes}}, {{Alternative::no}}};
    if (record_.choose(point) == 0) return std::nullopt;
  }
  return dropped({PlaceKind::output_route}, {Reason::source_not_own, {from}});
}

// What the process gets to hear at once.
Ended OutputRouting::no_local_route(const RouteAnswer& answer) {
  if (answer.kind == Kind::unicast || answer.is_for_me()) return std::nullopt;
  routing_.note_failed_route(answer);
  HostOutcome o = refusal_.failed_route(answer);
  if (o.kind == HostOutcome::Kind::inconclusive) return o;
  o.kind = HostOutcome::Kind::rejected;
  o.answer.reset();
  o.reject_with = socket_error(answer);
  return o;
}

// ip_route_me_harder(): a mark or a translation in OUTPUT changed what routing looks at. The source stays.
Ended OutputRouting::reroute(TakenRoute& route) {
  RouteQuery query = routing_.as_rules_see(query_for(skb_.packet, "lo"));
  query.out_device = skb_.origin.bound_device;
  if (dst_ip(skb_.packet) == IpAddr::v4(0xffffffff)) return stay_on_link_again(query, route);
  RouteAnswer answer = routing_.look_up(query);
  if (answer.kind != Kind::unicast && !answer.is_for_me()) {
    routing_.note_failed_route(answer);
    HostOutcome o = refusal_.failed_route(answer);
    if (o.kind == HostOutcome::Kind::rejected) o.kind = HostOutcome::Kind::dropped;
    o.answer.reset();
    return o;
  }
  const bool same = same_hops(answer, route.answer);
  if (same && answer.hops.size() < 2) {
    route.answer = std::move(answer);
    if (route.hop < route.answer.hops.size())
      route.gateway = routing_.gateway_of(route.answer.hops[route.hop]);  // no longer a copy's
    return std::nullopt;
  }
  const std::size_t hop = route.hop;
  route = routing_.take_hop_anew(std::move(answer));
  if (same && route.hop == hop) return std::nullopt;
  routing_.note_route(route, std::nullopt);
  return check_loopback_source(route);
}

// No rule and no route is asked about the limited broadcast; a sender that is bound to no device must have its address.
Ended OutputRouting::stay_on_link_again(const RouteQuery& query, TakenRoute& route) {
  const IpAddr from = src_ip(skb_.packet);
  if (skb_.origin.bound_device.empty() && !from.is_unspecified() && local_type_of(record_.host(), from) == Kind::unicast)
    return dropped({PlaceKind::output_route}, {Reason::no_link_for_broadcast, {from, skb_.to}});
  const std::string before = route.device;
  stay_on_link(query, route);
  if (route.device == before) return std::nullopt;
  RouteAnswer answer;
  answer.kind = Kind::broadcast;
  answer.device = route.device;
  route.answer = std::move(answer);
  routing_.note_route(route, std::nullopt);
  return check_loopback_source(route);
}

// __mkroute_output(): loopback addresses leave the host only where route_localnet is set.
Ended OutputRouting::check_loopback_source(const TakenRoute& route) {
  const IpAddr from = src_ip(skb_.packet);
  if (!from.is_v4() || !from.is_loopback() || route.answer.kind == Kind::local || route.device == "lo") return std::nullopt;
  const Setting setting = either_setting(record_.host(), route.device, "route_localnet");
  if (record_.know(setting, false, Supposition::loopback_sent)) return std::nullopt;
  return failed_in_socket("EINVAL", {PlaceKind::output_route}, {Reason::loopback_not_sent, {from, route.device}},
                          setting.evidence);
}

}  // namespace egt::engine
