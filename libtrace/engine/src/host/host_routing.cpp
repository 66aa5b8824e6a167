#include "host_routing.h"

#include <algorithm>

#include "inconsistencies.h"

namespace egt::engine {
namespace {

Statement<Alternative> hop_label(const host::NextHop& hop) {
  if (!hop.via) return {Alternative::device, {hop.device.str()}};
  return {Alternative::next_hop, {*hop.via, hop.device.str()}};
}

// A lookup that is done again shows nothing new.
void note_misses(std::vector<RouteMiss> misses, const std::string& node, Record& record) {
  for (RouteMiss& m : misses) {
    const auto& shown = record.route_misses;
    const bool again = std::any_of(shown.begin(), shown.end(), [&](const RouteMiss& t) {
      return t.rule == m.rule && t.route == m.route && t.why == m.why && t.selector == m.selector && t.node == node;
    });
    if (again) continue;
    m.node = node;
    m.before_step = record.steps.size();
    record.route_misses.push_back(std::move(m));
  }
}

}  // namespace

// Of packets, unlike of sockets, rules see protocol and ports only where one of them asks and is not for lo
// (fib_rule_requires_fldissect()), and no ports of fragments (__skb_flow_dissect()).
RouteQuery HostRouting::as_rules_see(RouteQuery query) const {
  const auto& rules = (skb_.family() == Family::v4 ? record_.host().rules_v4 : record_.host().rules_v6).value;
  const bool seen = std::any_of(rules.begin(), rules.end(),
                                [](const host::PolicyRule& r) { return r.iif != "lo" && (r.ip_proto || r.sport || r.dport); });
  if (!seen) query.proto = 0;
  if (!seen || skb_.packet.u32(FieldId::ip_frag) != 0) query.sport = query.dport = 0;
  return query;
}

RouteAnswer HostRouting::look_up(const RouteQuery& query) {
  RouteAnswer answer = find_route(record_.host(), query);
  note_inconsistencies(record_.node(), cluster::Inconsistency::About::routes, query.to, record_.walk());
  record_.note(answer.assumptions, answer.kind != RouteAnswer::Kind::unknown);
  if (record_.walk().wants_misses) note_misses(near_misses(record_.host(), query, answer), record_.node().name, record_.walk());
  return answer;
}

// Next hops that share the load are all used; which one a packet takes is a hash with a secret. The next packet of the
// same flow takes the same one (fib_multipath_hash(), rt6_multipath_hash()).
std::size_t HostRouting::share_load(const RouteAnswer& answer, bool again) {
  Tuple flow = tuple_of(skb_.packet);
  const bool in_pieces = skb_.packet.u32(FieldId::ip_frag) != 0 && (skb_.family() == Family::v6 || hashes_ports());
  if (in_pieces) flow.sport = flow.dport = 0;
  for (const SharedHop& s : network_state_.hops)
    if (s.node == record_.node().name && s.route == answer.route->from && s.packet == flow && s.again == again &&
        s.in_pieces == in_pieces && s.hop < answer.hops.size())
      return s.hop;
  ChoicePoint point;
  point.what = Branch::ecmp_route;
  point.about = {answer.route->to, std::uint64_t{again}};
  point.evidence = answer.evidence();
  double total = 0;
  for (const RouteHop& h : answer.hops) total += h.get().weight;
  for (const RouteHop& h : answer.hops)
    point.options.push_back({hop_label(h.get()), total > 0 ? std::optional(h.get().weight / total) : std::nullopt});
  const std::size_t hop = record_.choose(point);
  if (skb_.origin.copy_depth > 0) return hop;  // goes to the gateway, not with the flow
  network_state_.hops.push_back({record_.node().name, answer.route->from, flow, again, hop, in_pieces});
  return hop;
}

// Whether routing a packet of this host anew hashes something else than its socket did. Of protocol and ports the second
// lookup knows nothing, and of IPv6 it hashes a protocol always (ip_route_me_harder(), ip6_route_me_harder()).
bool HostRouting::hashes_anew() const { return skb_.family() == Family::v6 || hashed_without_source_ || hashes_ports(); }

// Of IPv4, where no dump shows otherwise.
bool HostRouting::hashes_ports() const {
  return plain_setting(record_.host(), "net.ipv4.fib_multipath_hash_policy").value.value_or(1) != 0;
}

void HostRouting::keep_hop(const Tuple& unbound, bool hashed_without_source) {
  for (SharedHop& s : network_state_.hops)
    if (s.node == record_.node().name && s.packet == unbound && !s.again) s.packet = tuple_of(skb_.packet);
  hashed_without_source_ = hashed_without_source;
}

TakenRoute HostRouting::take_hop(RouteAnswer answer, bool again) {
  TakenRoute taken;
  if (answer.hops.size() > 1) taken.hop = share_load(answer, again);
  taken.device = answer.device;
  if (taken.hop < answer.hops.size()) {
    const RouteHop& hop = answer.hops[taken.hop];
    answer.route = hop.route;
    taken.device = hop.get().device;
    taken.gateway = gateway_of(hop);
  }
  taken.answer = std::move(answer);
  return taken;
}

// What goes to a group stays on the link, unless a route for groups has a gateway (__mkroute_output()).
std::optional<IpAddr> HostRouting::gateway_of(const RouteHop& hop) const {
  constexpr std::uint8_t kGroups = 4;  // 224.0.0.0/4
  const IpAddr to = dst_ip(skb_.packet);
  if (skb_.origin.copy_depth == 0 && to.is_v4() && to.is_multicast() && hop.route->to.length < kGroups) return std::nullopt;
  return hop.get().via;
}

void HostRouting::note_route(const TakenRoute& taken, std::optional<IpAddr> source) {
  RouteLookup step;
  step.rule = taken.answer.rule;
  step.route = taken.answer.route;
  if (taken.hop < taken.answer.hops.size()) step.next_hop = taken.answer.hops[taken.hop].next_hop;
  step.device = taken.device;
  step.gateway = taken.gateway;
  step.source = source;
  record_.add(step, taken.answer.evidence());
}

void HostRouting::note_failed_route(const RouteAnswer& answer) {
  if (answer.kind != RouteAnswer::Kind::unknown) note_route({answer, 0, "", std::nullopt}, std::nullopt);
}

bool same_hops(const RouteAnswer& a, const RouteAnswer& b) {
  return a.kind == b.kind && a.route == b.route && a.device == b.device;
}

}  // namespace egt::engine
