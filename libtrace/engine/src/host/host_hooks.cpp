#include <algorithm>

#include "connection_table.h"
#include "host_walk.h"
#include "source_address.h"

namespace egt::engine {
namespace {

using netfilter::AddressType;
using netfilter::Hook;
using netfilter::NatTarget;

// Where conntrack looks packets up, and where NAT changes destinations.
bool is_first_hook(Hook hook) { return hook == Hook::prerouting || hook == Hook::output; }
bool translates(Hook hook) { return hook != Hook::forward && hook != Hook::ingress && hook != Hook::egress; }
bool translates_source(Hook hook) { return hook == Hook::postrouting || hook == Hook::input; }

AddressType address_type(RouteAnswer::Kind kind) {
  switch (kind) {
    case RouteAnswer::Kind::local: return AddressType::local;
    case RouteAnswer::Kind::broadcast: return AddressType::broadcast;
    case RouteAnswer::Kind::multicast: return AddressType::multicast;
    default: return AddressType::unicast;
  }
}

std::optional<std::vector<std::string>> devices_of_route(const RouteAnswer& answer) {
  using Answer = RouteAnswer::Kind;
  std::vector<std::string> devices;
  if (answer.kind == Answer::unknown) return std::nullopt;
  if (answer.kind != Answer::unicast && answer.kind != Answer::broadcast && answer.kind != Answer::multicast) return devices;
  for (const RouteHop& h : answer.hops) devices.push_back(h.get().device);
  if (devices.empty() && !answer.device.empty()) devices.push_back(answer.device);
  return devices;
}

std::string by_name(const NatDecision& d) { return d.front_end == "nft" ? "nft" : "iptables"; }

}  // namespace

NetfilterContext HostWalk::context(Hook hook) {
  NetfilterContext c{.packet = packet_, .length = options_.packet_length};
  if (hook == Hook::ingress || hook == Hook::prerouting || hook == Hook::input || hook == Hook::forward) c.iif = in_;
  if (hook == Hook::postrouting && !made_here() && !looped_) c.iif = in_;
  if (hook == Hook::output || hook == Hook::postrouting || hook == Hook::forward || hook == Hook::egress) c.oif = out_;
  c.state = conntrack_.state();
  c.connection = conntrack_.connection();
  c.reply_direction = conntrack_.reply_direction();
  c.confirmed = conntrack_.confirmed();
  c.zone = conntrack_.zone();
  c.presumed = conntrack_.presumed();
  if (has_ports(packet_)) {
    c.sport_open = network_state_.is_port_open(tuple_of(packet_), true);
    c.dport_open = network_state_.is_port_open(tuple_of(packet_), false);
  }
  c.local_socket = (made_here() && !passing_copy_) || hook == Hook::input;
  // Neither TEE nor dup copies what it sends (current->in_nf_duplicate), until that has come back by lo.
  if (copy_depth_ == 0 || looped_) c.duplicate = [this, hook](PacketCopy copy) { duplicate(std::move(copy), hook); };
  c.address_type = [this](const IpAddr& a, std::string_view device, bool of_flow) {
    return a.is_v4() ? address_type(local_type_of(host_, a, device)) : address_type_v6(a, device, of_flow);
  };
  c.route_devices = [this](const IpAddr& to, const IpAddr& from, std::uint32_t mark, std::uint8_t proto) {
    RouteQuery q = query_for(packet_, "lo");
    q.to = to;
    q.from = from;
    q.mark = mark;
    q.proto = proto;
    q.sport = q.dport = 0;
    return devices_of_route(find_route(host_, q));
  };
  return c;
}

// __nft_fib6_eval_type(), match_lookup_rt6() of xt_addrtype.c: IPv4 asks the local table alone, IPv6 all rules and
// tables.
AddressType HostWalk::address_type_v6(const IpAddr& a, std::string_view device, bool of_flow) const {
  RouteQuery q = query_for(packet_, "lo");
  q.to = a;
  if (of_flow)
    q.from = a == src_ip(packet_) ? dst_ip(packet_) : src_ip(packet_);
  else
    q.from.reset(), q.proto = 0;
  q.mark = 0;
  q.sport = q.dport = 0;
  const RouteAnswer answer = find_route(host_, q);
  switch (answer.kind) {
    // xt_addrtype.c takes every route that refuses for one type (RTF_REJECT).
    case RouteAnswer::Kind::blackhole: return of_flow ? AddressType::blackhole : AddressType::unreachable;
    case RouteAnswer::Kind::prohibit: return of_flow ? AddressType::prohibit : AddressType::unreachable;
    case RouteAnswer::Kind::unreachable:
    case RouteAnswer::Kind::no_route: return AddressType::unreachable;
    default: break;
  }
  if (answer.route != nullptr && answer.route->type == host::RouteType::anycast) return AddressType::anycast;
  const bool local = device.empty() && answer.kind != RouteAnswer::Kind::unknown
                         ? answer.kind == RouteAnswer::Kind::local
                         : local_type_of(host_, a, device) == RouteAnswer::Kind::local;
  if (local) return AddressType::local;
  return a.is_multicast() ? AddressType::multicast : AddressType::unicast;
}

bool HostWalk::shows_rules() const {
  const bool v4 = family() == Family::v4;
  const auto& own = v4 ? host_.iptables_v4 : host_.iptables_v6;
  const auto& legacy = v4 ? host_.iptables_legacy_v4 : host_.iptables_legacy_v6;
  return own.present || legacy.present || host_.nft.present;
}

void HostWalk::assume_no_rules() {
  if (shows_rules()) return;
  const bool v4 = family() == Family::v4;
  assume({Supposition::no_netfilter_rules, {node_.name}});
  gap(Input::netfilter_rules, {std::uint64_t{!v4}});
}

// All chains of a hook, with conntrack and NAT at their places. `output`: the route, where a chain may change it.
HostWalk::Ended HostWalk::pass(Hook hook, Taken* output) {
  if (by_switch_) return std::nullopt;
  if (is_first_hook(hook)) {
    assume_no_rules();
    if (Ended end = run(hook, NetfilterStage::before_conntrack, output)) return end;
  }
  if (Ended end = run(hook, NetfilterStage::before_nat, output)) return end;
  if (translates(hook))
    if (Ended end = translate(hook, output)) return end;
  return run(hook, NetfilterStage::after_nat, output);
}

HostWalk::Ended HostWalk::run(Hook hook, NetfilterStage stage, Taken* output) {
  NetfilterContext c = context(hook);
  const HookResult result = netfilter_.run(hook, stage, c);
  if (result.asked_presumed) assume_pick_up();
  taken_by_proxy_ = taken_by_proxy_ || result.tproxy.has_value();
  switch (result.outcome) {
    case HookResult::Outcome::accepted: break;
    case HookResult::Outcome::dropped: return dropped(result.where, result.why, result.evidence);
    case HookResult::Outcome::rejected: return rejected(result.reject_with, result.where, result.why, result.evidence);
    case HookResult::Outcome::inconclusive: return inconclusive(result.where, result.why, result.evidence);
    case HookResult::Outcome::sent: return send_frame(result);
  }
  if (stage == NetfilterStage::before_conntrack) track(result, hook);
  if (stage == NetfilterStage::nat && result.nat)
    if (Ended end = bind(*result.nat, hook)) return end;
  if (result.mark_changed_in_route_chain && output != nullptr) return reroute(*output);
  return std::nullopt;
}

void HostWalk::track(const HookResult& raw, Hook hook) {
  if (conntrack_.done()) return;  // came back by lo: still attached
  if (raw.untracked) return conntrack_.skip();
  conntrack_.look_up(packet_, raw.zone.value_or(0), hook == Hook::output, made_here() ? refused_ : options_.quoted);
  if (conntrack_.state() == PacketState::new_ && !conntrack_.confirmed()) note_full_connection_table(node_, record_);
  if (!is_icmp_error(packet_) || hook == Hook::output || options_.quoted) return;
  const Connection* about = conntrack_.connection();
  // In a walk the error is about the packet that was just sent; a connection of a dump may be another one.
  if (about == nullptr || about->from.known())
    assume({Supposition::icmp_error_about, {node_.name, std::uint64_t{about != nullptr}}});
}

// No node of a cluster is without rules that translate the sources of what it forwards: without a dump of them, nobody can
// show as whom the packet leaves.
bool HostWalk::source_is_open() const {
  const auto& roles = node_.roles;
  const bool in_cluster = std::find(roles.begin(), roles.end(), cluster::Role::cluster_node) != roles.end();
  return in_cluster && !made_here() && !shows_rules();
}

// Rules decide for the first packet of a connection only; then the entry says what happens to either direction.
HostWalk::Ended HostWalk::translate(Hook hook, Taken* output) {
  const bool source = translates_source(hook);
  const bool by_connection = !conntrack_.undecided(source);
  const Tuple before = tuple_of(packet_);
  if (!by_connection) {
    if (hook == Hook::postrouting && source_is_open())
      return inconclusive({PlaceKind::postrouting}, {Reason::translation_rules_missing});
    if (Ended end = run(hook, NetfilterStage::nat, output)) return end;
    if (conntrack_.undecided(source))
      keep_addresses(source);
    else if (output != nullptr && tuple_of(packet_).dst != before.dst)
      return reroute(*output);
    return std::nullopt;
  }
  if (hook == Hook::postrouting)
    if (Ended end = check_masquerade()) return end;
  const auto applied = conntrack_.translate(source, packet_);
  if (!applied) return conntrack_.changes_destination() && output != nullptr ? reroute(*output) : std::nullopt;
  const Connection* c = conntrack_.connection();
  const bool by_source_rule = source != conntrack_.reply_direction();
  const std::string& by = by_source_rule ? c->snat_by : c->dnat_by;
  std::vector<Provenance> lines;
  if (c->from.known()) lines.push_back(c->from);
  note_translation(*applied, by.empty() ? "conntrack" : by, true, std::move(lines));
  route_lost_ = looped_ && hook == Hook::prerouting && tuple_of(packet_).dst != before.dst;
  if (output != nullptr && conntrack_.changes_destination()) return reroute(*output);
  return std::nullopt;
}

// The kernel forgets a connection that MASQUERADE translated for one device when a packet of it is to leave by another
// one, and drops the packet (nf_nat_oif_changed()). A translation by SNAT stays.
HostWalk::Ended HostWalk::check_masquerade() {
  const Connection* c = conntrack_.connection();
  if (c == nullptr || conntrack_.reply_direction() || is_icmp_error(packet_)) return std::nullopt;
  const std::string device = c->masqueraded_on.empty() ? device_of_masquerade(*c) : c->masqueraded_on;
  if (device.empty() || device == out_) return std::nullopt;
  std::vector<Provenance> lines;
  if (c->from.known()) lines.push_back(c->from);
  conntrack_.forget();
  return dropped({PlaceKind::conntrack}, {Reason::masquerade_moved, {device, out_}}, std::move(lines));
}

// Of a connection that a dump mentions. That dump does not say what translated it: where the new source is an address of
// another device than the packet's, that makes the difference.
std::string HostWalk::device_of_masquerade(const Connection& c) {
  if (!c.from.known() || !c.has_snat() || !netfilter_.may_masquerade()) return {};
  const auto has_it = [&](const host::Link& link) {
    return std::any_of(link.addresses.begin(), link.addresses.end(),
                       [&](const host::Address& a) { return a.prefix.address == c.reply.dst; });
  };
  const host::Link* out = host_.link(out_);
  const host::Link* owner = host_.owner_of(c.reply.dst);
  if (owner == nullptr || (out != nullptr && has_it(*out))) return {};
  ChoicePoint point;
  point.kind = ChoicePoint::Kind::unknown;
  point.node = node_.name;
  point.what = Branch::masquerade;
  point.about = {c.reply.dst, owner->name, out_};
  point.options = {{{Alternative::snat}}, {{Alternative::masquerade}}};
  point.evidence = {c.from};
  return chooser_.choose(point) == 0 ? std::string() : owner->name;
}

// Said only where it decides something: what the rules do with a packet, or what it is translated to.
void HostWalk::assume_pick_up() {
  if (conntrack_.presumed()) know(tcp_loose_setting(host_), true, Supposition::tcp_loose);
}

void HostWalk::assume_another_port(const std::vector<Provenance>& evidence) {
  assume({Supposition::other_source_port, {node_.name}, {}, evidence});
}

// __nf_conntrack_confirm(): of two connections whose answers would look the same the second is lost.
HostWalk::Ended HostWalk::confirm() {
  if (conntrack_.confirm()) return std::nullopt;
  assume_pick_up();
  const Tuple& reply = conntrack_.connection()->reply;
  return dropped({PlaceKind::conntrack}, {Reason::reply_tuple_taken, {reply.src, reply.dst, std::uint64_t{reply.dport}}});
}

// No rule translates; two connections of which the answers would look the same still get different ports.
void HostWalk::keep_addresses(bool source) {
  if (conntrack_.bind_nothing(source)) return;
  assume_another_port({});
  const auto applied = conntrack_.translate(source, packet_);
  network_state_.leave_port_open(tuple_of(packet_), source);
  if (applied) note_translation(*applied, "conntrack", false, {});
}

HostWalk::Ended HostWalk::bind(const NatDecision& decision, Hook hook) {
  std::vector<Provenance> lines = decision.evidence;
  const auto address = translation_address(decision, hook, lines);
  if (!address) {
    const Place where{PlaceKind::chain, {decision.front_end, decision.table, decision.chain}};
    if (host_.links.present && !host_.links.partial) return dropped(where, {Reason::no_translation_address}, lines);
    gap(Input::addresses);
    return inconclusive(where, {Reason::translation_address_unknown}, lines);
  }
  const std::uint16_t own = decision.source ? tuple_of(packet_).sport : tuple_of(packet_).dport;
  if (decision.port_uncertain)
    assume({Supposition::random_port, {node_.name, std::uint64_t{decision.port.value_or(own)}}, {}, decision.evidence});
  const bool keeps_port = conntrack_.bind(decision.source, *address, decision.port, decision.only_port);
  if (!keeps_port) assume_another_port(decision.evidence);
  if (Connection* c = conntrack_.connection()) {
    (decision.source ? c->snat_by : c->dnat_by) = by_name(decision);
    if (decision.kind == NatTarget::Kind::masquerade) c->masqueraded_on = out_;
    if (decision.source && decision.port_uncertain) c->random_sport = true;
  }
  const auto applied = conntrack_.translate(decision.source, packet_);
  if (decision.port_uncertain || !keeps_port) network_state_.leave_port_open(tuple_of(packet_), decision.source);
  if (applied) note_translation(*applied, by_name(decision), false, std::move(lines));
  return std::nullopt;
}

std::optional<IpAddr> HostWalk::translation_address(const NatDecision& decision, Hook hook, std::vector<Provenance>& evidence) {
  if (decision.address) return decision.address;
  std::optional<OwnAddress> own;
  if (decision.kind == NatTarget::Kind::masquerade) {
    own = masquerade_address(host_, out_, next_hop_, dst_ip(packet_));
  } else if (decision.kind == NatTarget::Kind::redirect && hook == Hook::output) {
    return family() == Family::v4 ? IpAddr::v4(0x7f000001) : IpAddr::v6(1);
  } else if (decision.kind == NatTarget::Kind::redirect) {
    own = redirect_address(host_, in_, dst_ip(packet_));
  } else {
    return decision.source ? src_ip(packet_) : dst_ip(packet_);  // only the port changes
  }
  if (!own) return std::nullopt;
  if (own->entry != nullptr) evidence.push_back(own->entry->from);
  return own->address;
}

void HostWalk::note_translation(const Applied& applied, const std::string& by, bool by_connection,
                                std::vector<Provenance> evidence) {
  if (!looped_) (applied.source ? source_ : destination_) = applied;
  assume_pick_up();
  const bool open = network_state_.is_port_open(applied.after, applied.source);
  record_.nat.push_back({node_.name, by, applied.source, applied.before, applied.after, evidence, open});
  record_.add(node_.name, layer_, Translate{applied.source, by, applied.before, applied.after, by_connection, open},
              std::move(evidence));
}

}  // namespace egt::engine
