#include "host_refusal.h"

#include "input_checks.h"
#include "source_address.h"

namespace egt::engine {
namespace {

using Kind = RouteAnswer::Kind;

Place table_of(const RouteAnswer& answer) {
  if (answer.route == nullptr) return {PlaceKind::policy_routing};
  return {PlaceKind::routing_table, {answer.route->table}};
}

}  // namespace

// A reset turns round the addresses that the packet has now (nf_send_reset()); an error message goes to whom the packet came
// from. Both have the connection of the packet, and so are translated on the way out like its answers.
HostOutcome HostRefusal::rejected(const std::string& with, Place where, Cause why, std::vector<Provenance> evidence) {
  // A copy has the route to its gateway.
  const bool to_all = skb_.family() == Family::v4 && skb_.origin.copy_depth == 0 &&
                      local_type_of(record_.host(), dst_ip(skb_.packet)) == Kind::broadcast;
  if (to_all || !may_be_answered(skb_.packet)) {
    why.then.push_back({Reason::never_answered});
    return dropped(std::move(where), std::move(why), std::move(evidence));
  }
  HostOutcome o = stopped(HostOutcome::Kind::rejected, std::move(where), std::move(why), std::move(evidence));
  o.reject_with = with;
  if (is_tcp_reset(with)) {
    o.answer = by_bridge() ? reset_frame() : LocalSend{make_tcp_reset(skb_.packet), false, {}, its_connection()};
    return o;
  }
  const auto error = icmp_error_named(with, skb_.family());
  if (!error) {
    record_.gap(Input::refusal_name, {with});
    o.kind = HostOutcome::Kind::inconclusive;
    return o;
  }
  if (const auto from = error_source(*error)) {
    o.answer = LocalSend{make_icmp_error(skb_.packet, from->address, sender(), *error), from->by_route, link_of_sender(),
                         its_connection(), tuple_of(skb_.packet)};
    o.quoted = nat_.has_translated(true) || nat_.has_translated(false) ? skb_.entered : tuple_of(skb_.packet);
    return o;
  }
  o.kind = HostOutcome::Kind::dropped;
  o.stop->why.then.push_back({Reason::no_address_for_error});
  return o;
}

bool HostRefusal::by_bridge() {
  const host::Link* link = skb_.made_here() ? nullptr : record_.host().link(skb_.in);
  return link != nullptr && link->kind == "bridge" &&
         record_.know(bridge_calls(record_.host(), skb_.family()), false, Supposition::bridge_calls_on_reset);
}

// Where bridges ask iptables, a reset goes back by the port as it is, with the addresses that the packet has now
// (nf_bridge_info_exists() in nf_send_reset(), nf_send_reset6()).
LocalSend HostRefusal::reset_frame() const {
  LocalSend reset{make_tcp_reset(skb_.packet), false, skb_.in, {}};
  reset.as_frame = true;
  reset.packet.set(FieldId::eth_src, dst_mac(skb_.packet).value);
  reset.packet.set(FieldId::eth_dst, src_mac(skb_.packet).value);
  return reset;
}

// What conntrack translates is undone on the error's way; what a rule wrote into the header is not.
IpAddr HostRefusal::sender() const { return nat_.has_translated(true) ? skb_.entered.src : src_ip(skb_.packet); }

// Who has a link-local address is answered on the link of the packet (icmp6_iif()).
std::string HostRefusal::link_of_sender() const {
  return sender().is_v4() || !sender().is_link_local() ? std::string() : skb_.in;
}

// The connection as it is now, confirmed or not.
std::optional<Attached> HostRefusal::its_connection() const {
  const Connection* c = conntrack_.connection();
  if (c == nullptr) return std::nullopt;
  return Attached{*c, conntrack_.zone(), !conntrack_.reply_direction()};
}

// icmp_send(): the address that the packet was sent to where it is for this host, else by route to the sender. Policy rules
// do not see it then.
std::optional<HostRefusal::ErrorSource> HostRefusal::error_source(IcmpError error) {
  const bool to_itself = skb_.made_here() && local_type_of(record_.host(), sender()) == Kind::local;
  if (to_itself && skb_.family() == Family::v6) return ErrorSource{sender(), false};
  // Of a packet of this host its route counts: a socket that is bound to a device sends to own addresses by that.
  const bool to_host = skb_.made_here() ? skb_.out == "lo" : local_type_of(record_.host(), dst_ip(skb_.packet)) == Kind::local;
  if (to_host) return ErrorSource{dst_ip(skb_.packet), false};
  RouteQuery query = query_for(make_icmp_error(skb_.packet, {skb_.family(), 0}, sender(), error), "lo");
  query.from.reset();
  query.out_device = link_of_sender();
  const RouteAnswer answer = find_route(record_.host(), query);
  const bool found = answer.kind == Kind::unicast || answer.is_for_me();
  if (skb_.family() == Family::v6) return error_source_v6(query, answer, found);
  const auto by_route = found ? choose_source(record_.host(), answer, 0, query.to) : std::nullopt;
  if (!by_route) return std::nullopt;
  return ErrorSource{*by_route, true};
}

// icmp6_send() takes an address of the device by which the packet came, unless the route back names a source; until 4.20
// it went by the route back alone. No dump shows the release.
std::optional<HostRefusal::ErrorSource> HostRefusal::error_source_v6(const RouteQuery& query, const RouteAnswer& back,
                                                                     bool found) {
  std::optional<ErrorSource> by_route;
  if (const auto a = found ? choose_source(record_.host(), back, 0, query.to) : std::nullopt) by_route = ErrorSource{*a, true};
  // Without a route for an unset source, that of any device is tried (ip6_dst_lookup_tail()).
  if (const auto any = select_v6_address(record_.host(), "", query.to); !found && any)
    by_route = ErrorSource{any->address, false};
  const bool hinted = found && back.route != nullptr && back.route->source_hint;
  const auto own = hinted ? std::nullopt : select_v6_address(record_.host(), skb_.in, query.to);
  if (!own) return by_route;
  const ErrorSource inbound{own->address, false};
  if (!by_route) return inbound;
  RouteQuery sourced = query;
  sourced.from = own->address;
  const bool same_route = !by_route->by_route || (back.hops.size() < 2 && same_hops(find_route(record_.host(), sourced), back));
  if (by_route->address == inbound.address && same_route) return inbound;
  ChoicePoint point;
  point.kind = ChoicePoint::Kind::unknown;
  point.what = Branch::icmpv6_source;
  point.options = {{{Alternative::address_of_device, {inbound.address, skb_.in}}},
                   {{Alternative::address_by_route, {by_route->address}}}};
  return record_.choose(point) == 0 ? inbound : *by_route;
}

// A forwarded packet without a route. IPv4 sends no error when forwarding is off on the in-device.
HostOutcome HostRefusal::failed_route(const RouteAnswer& answer) {
  const IpAddr to = dst_ip(skb_.packet);
  const auto lines = answer.evidence();
  const bool v4 = skb_.family() == Family::v4;
  const Place policy{PlaceKind::policy_routing};
  if (answer.kind == Kind::unknown && answer.assumptions.empty()) return inconclusive(policy, {Reason::route_unknown}, lines);
  if (answer.kind == Kind::unknown)
    return inconclusive(policy, {Reason::route_undecided, answer.assumptions.back().as_details()}, lines);
  Cause why = why_no_route(answer, to);
  if (answer.kind == Kind::blackhole) return dropped(table_of(answer), std::move(why), lines);
  if (v4 && !skb_.made_here())
    if (Ended off = check_forwarding(skb_, record_)) return *off;
  if (answer.kind == Kind::prohibit)
    return rejected(v4 ? "icmp-admin-prohibited" : "icmp6-adm-prohibited", table_of(answer), std::move(why), lines);
  if (answer.kind == Kind::unreachable)
    return rejected(!v4                       ? "icmp6-no-route"
                    : answer.route != nullptr ? "icmp-host-unreachable"
                                              : "icmp-net-unreachable",
                    table_of(answer), std::move(why), lines);
  return rejected(v4 ? "icmp-net-unreachable" : "icmp6-no-route", policy, std::move(why), lines);
}

}  // namespace egt::engine
