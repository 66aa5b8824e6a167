#include <algorithm>

#include "host_walk.h"
#include "inconsistencies.h"

namespace egt::engine {
namespace {

Statement<Alternative> hop_label(const host::NextHop& hop) {
  if (!hop.via) return {Alternative::device, {hop.device.str()}};
  return {Alternative::next_hop, {*hop.via, hop.device.str()}};
}

}  // namespace

// What an answer rests on beside its evidence. Of an answer that could not be given, only the gaps are of interest.
void HostWalk::note(const std::vector<Assumption>& assumptions, bool decided) {
  for (const Assumption& d : assumptions) {
    if (decided) {
      Assumption here = d;
      here.node = node_.name;
      if (d.what == Supposition::neighbour_stays_silent) here.about.insert(here.about.begin() + 1, node_.name);
      assume(std::move(here));
    }
    if (!can_be_dumped(d.what)) continue;
    Details about = d.about;
    about.insert(about.end(), d.because.begin(), d.because.end());
    record_.gap({node_.name, d.what, std::move(about)});
  }
}

// Of packets, unlike of sockets, rules see protocol and ports only where one of them asks and is not for lo
// (fib_rule_requires_fldissect()), and no ports of fragments (__skb_flow_dissect()).
RouteQuery HostWalk::as_rules_see(RouteQuery query) const {
  const auto& rules = (family() == Family::v4 ? host_.rules_v4 : host_.rules_v6).value;
  const bool seen = std::any_of(rules.begin(), rules.end(),
                                [](const host::PolicyRule& r) { return r.iif != "lo" && (r.ip_proto || r.sport || r.dport); });
  if (!seen) query.proto = 0;
  if (!seen || packet_.u32(FieldId::ip_frag) != 0) query.sport = query.dport = 0;
  return query;
}

// A lookup that is done again shows nothing new.
void HostWalk::note_misses(std::vector<RouteMiss> misses) {
  for (RouteMiss& m : misses) {
    const auto& shown = record_.route_misses;
    const bool again = std::any_of(shown.begin(), shown.end(), [&](const RouteMiss& t) {
      return t.rule == m.rule && t.route == m.route && t.why == m.why && t.selector == m.selector && t.node == node_.name;
    });
    if (again) continue;
    m.node = node_.name;
    m.before_step = record_.steps.size();
    record_.route_misses.push_back(std::move(m));
  }
}

RouteAnswer HostWalk::look_up(const RouteQuery& query) {
  RouteAnswer answer = find_route(host_, query);
  note_inconsistencies(node_, cluster::Inconsistency::About::routes, query.to, record_);
  note(answer.assumptions, answer.kind != RouteAnswer::Kind::unknown);
  if (record_.wants_misses) note_misses(near_misses(host_, query, answer));
  return answer;
}

// Next hops that share the load are all used; which one a packet takes is a hash with a secret. The next packet of the
// same flow takes the same one (fib_multipath_hash(), rt6_multipath_hash()).
std::size_t HostWalk::share_load(const RouteAnswer& answer, bool again) {
  Tuple flow = tuple_of(packet_);
  const bool in_pieces = packet_.u32(FieldId::ip_frag) != 0 && (family() == Family::v6 || hashes_ports());
  if (in_pieces) flow.sport = flow.dport = 0;
  for (const SharedHop& s : network_state_.hops)
    if (s.node == node_.name && s.route == answer.route->from && s.packet == flow && s.again == again &&
        s.in_pieces == in_pieces && s.hop < answer.hops.size())
      return s.hop;
  ChoicePoint point;
  point.node = node_.name;
  point.what = Branch::ecmp_route;
  point.about = {answer.route->to, std::uint64_t{again}};
  point.evidence = answer.evidence();
  double total = 0;
  for (const RouteHop& h : answer.hops) total += h.get().weight;
  for (const RouteHop& h : answer.hops)
    point.options.push_back({hop_label(h.get()), total > 0 ? std::optional(h.get().weight / total) : std::nullopt});
  const std::size_t hop = chooser_.choose(point);
  if (copy_depth_ > 0) return hop;  // goes to the gateway, not with the flow
  network_state_.hops.push_back({node_.name, answer.route->from, flow, again, hop, in_pieces});
  return hop;
}

// Whether routing a packet of this host anew hashes something else than its socket did. Of protocol and ports the second
// lookup knows nothing, and of IPv6 it hashes a protocol always (ip_route_me_harder(), ip6_route_me_harder()).
bool HostWalk::hashes_anew() const { return family() == Family::v6 || hashed_without_source_ || hashes_ports(); }

// Of IPv4, where no dump shows otherwise.
bool HostWalk::hashes_ports() const { return plain_setting(host_, "net.ipv4.fib_multipath_hash_policy").value.value_or(1) != 0; }

// The source that a socket got by one of several next hops changes nothing for its next packets.
void HostWalk::keep_hop(const Tuple& unbound) {
  for (SharedHop& s : network_state_.hops)
    if (s.node == node_.name && s.packet == unbound && !s.again) s.packet = tuple_of(packet_);
}

HostWalk::Taken HostWalk::take_hop(RouteAnswer answer, bool again) {
  Taken taken;
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
std::optional<IpAddr> HostWalk::gateway_of(const RouteHop& hop) const {
  constexpr std::uint8_t kGroups = 4;  // 224.0.0.0/4
  const IpAddr to = dst_ip(packet_);
  if (copy_depth_ == 0 && to.is_v4() && to.is_multicast() && hop.route->to.length < kGroups) return std::nullopt;
  return hop.get().via;
}

void HostWalk::note_route(const Taken& taken, std::optional<IpAddr> source) {
  RouteLookup step;
  step.rule = taken.answer.rule;
  step.route = taken.answer.route;
  if (taken.hop < taken.answer.hops.size()) step.next_hop = taken.answer.hops[taken.hop].next_hop;
  step.device = taken.device;
  step.gateway = taken.gateway;
  step.source = source;
  record_.add(node_.name, layer_, step, taken.answer.evidence());
}

// A setting as a yes or no. What is not dumped is assumed to be `otherwise`.
bool HostWalk::know(const Setting& setting, bool otherwise, Supposition needed) {
  if (setting.value) return *setting.value != 0;
  assume({needed, {node_.name, setting.key, std::uint64_t{otherwise}}});
  gap(Input::setting, {setting.key});
  return otherwise;
}

}  // namespace egt::engine
