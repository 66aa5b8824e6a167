#include "host_hooks.h"

#include <algorithm>

#include "connection_table.h"

namespace egt::engine {
namespace {

using netfilter::AddressType;
using netfilter::Hook;

// Where conntrack looks packets up, and where NAT changes destinations.
bool is_first_hook(Hook hook) { return hook == Hook::prerouting || hook == Hook::output; }
bool translates(Hook hook) { return hook != Hook::forward && hook != Hook::ingress && hook != Hook::egress; }

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

// __nft_fib6_eval_type(), match_lookup_rt6() of xt_addrtype.c: IPv4 asks the local table alone, IPv6 all rules and
// tables.
AddressType address_type_v6(const host::Host& host, const FlowKey& packet, const IpAddr& a, std::string_view device,
                            bool of_flow) {
  RouteQuery q = query_for(packet, "lo");
  q.to = a;
  if (of_flow)
    q.from = a == src_ip(packet) ? dst_ip(packet) : src_ip(packet);
  else
    q.from.reset(), q.proto = 0;
  q.mark = 0;
  q.sport = q.dport = 0;
  const RouteAnswer answer = find_route(host, q);
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
                         : local_type_of(host, a, device) == RouteAnswer::Kind::local;
  if (local) return AddressType::local;
  return a.is_multicast() ? AddressType::multicast : AddressType::unicast;
}

bool shows_rules(const host::Host& host, Family family) {
  const bool v4 = family == Family::v4;
  const auto& own = v4 ? host.iptables_v4 : host.iptables_v6;
  const auto& legacy = v4 ? host.iptables_legacy_v4 : host.iptables_legacy_v6;
  return own.present || legacy.present || host.nft.present;
}

// No node of a cluster is without rules that translate the sources of what it forwards: without a dump of them, no line can
// show as whom the packet leaves.
bool source_is_open(const cluster::Node& node, const SocketBuffer& skb) {
  const auto& roles = node.roles;
  const bool in_cluster = std::find(roles.begin(), roles.end(), cluster::Role::cluster_node) != roles.end();
  return in_cluster && !skb.made_here() && !shows_rules(node.host, skb.family());
}

}  // namespace

HostHooks::HostHooks(HostRecord& record, SocketBuffer& skb, NetworkState& network_state, KernelConntrack& conntrack, HostNat& nat,
                     HostRefusal& refusal, OutputRouting& output, PacketCopies& copies)
    : record_(record),
      skb_(skb),
      conntrack_(conntrack),
      nat_(nat),
      refusal_(refusal),
      output_(output),
      copies_(copies),
      netfilter_(record.host(), skb.family(), record.node().name, network_state, record.walk(), record.chooser()) {}

NetfilterContext HostHooks::context(Hook hook) {
  NetfilterContext c{.packet = skb_.packet, .length = skb_.options.packet_length};
  if (hook == Hook::ingress || hook == Hook::prerouting || hook == Hook::input || hook == Hook::forward) c.iif = skb_.in;
  if (hook == Hook::postrouting && !skb_.made_here() && !skb_.looped) c.iif = skb_.in;
  if (hook == Hook::output || hook == Hook::postrouting || hook == Hook::forward || hook == Hook::egress) c.oif = skb_.out;
  c.state = conntrack_.state();
  c.connection = conntrack_.connection();
  c.reply_direction = conntrack_.reply_direction();
  c.confirmed = conntrack_.confirmed();
  c.zone = conntrack_.zone();
  c.presumed = conntrack_.presumed();
  if (has_ports(skb_.packet)) {
    c.sport_open = nat_.is_port_open(true);
    c.dport_open = nat_.is_port_open(false);
  }
  c.local_socket = (skb_.made_here() && !skb_.origin.passing_copy) || hook == Hook::input;
  // Neither TEE nor dup copies what it sends (current->in_nf_duplicate), until that has come back by lo.
  if (skb_.origin.copy_depth == 0 || skb_.looped)
    c.duplicate = [this, hook](PacketCopy copy) { copies_.duplicate(std::move(copy), hook); };
  c.address_type = [this](const IpAddr& a, std::string_view device, bool of_flow) {
    return a.is_v4() ? address_type(local_type_of(record_.host(), a, device))
                     : address_type_v6(record_.host(), skb_.packet, a, device, of_flow);
  };
  c.route_devices = [this](const IpAddr& to, const IpAddr& from, std::uint32_t mark, std::uint8_t proto) {
    RouteQuery q = query_for(skb_.packet, "lo");
    q.to = to;
    q.from = from;
    q.mark = mark;
    q.proto = proto;
    q.sport = q.dport = 0;
    return devices_of_route(find_route(record_.host(), q));
  };
  return c;
}

void HostHooks::assume_no_rules() {
  if (shows_rules(record_.host(), skb_.family())) return;
  const bool v4 = skb_.family() == Family::v4;
  record_.assume({Supposition::no_netfilter_rules, {record_.node().name}});
  record_.gap(Input::netfilter_rules, {std::uint64_t{!v4}});
}

Ended HostHooks::pass(Hook hook, TakenRoute* output) {
  if (skb_.origin.by_switch) return std::nullopt;
  if (is_first_hook(hook)) {
    assume_no_rules();
    if (Ended end = run(hook, NetfilterStage::before_conntrack, output)) return end;
  }
  if (Ended end = run(hook, NetfilterStage::before_nat, output)) return end;
  if (translates(hook))
    if (Ended end = translate(hook, output)) return end;
  return run(hook, NetfilterStage::after_nat, output);
}

Ended HostHooks::run(Hook hook, NetfilterStage stage, TakenRoute* output) {
  NetfilterContext c = context(hook);
  const HookResult result = netfilter_.run(hook, stage, c);
  if (result.asked_presumed) nat_.assume_pick_up();
  taken_by_proxy_ = taken_by_proxy_ || result.tproxy.has_value();
  switch (result.outcome) {
    case HookResult::Outcome::accepted: break;
    case HookResult::Outcome::dropped:
      return is_loss_shown(hook) ? failed_in_socket("EPERM", result.where, result.why, result.evidence)
                                 : dropped(result.where, result.why, result.evidence);
    case HookResult::Outcome::rejected: return refusal_.rejected(result.reject_with, result.where, result.why, result.evidence);
    case HookResult::Outcome::inconclusive: return inconclusive(result.where, result.why, result.evidence);
    case HookResult::Outcome::sent: return send_frame(result);
  }
  if (stage == NetfilterStage::before_conntrack) track(result, hook);
  if (stage == NetfilterStage::nat && result.nat)
    if (Ended end = nat_.bind(*result.nat, hook)) return end;
  if (result.mark_changed_in_route_chain && output != nullptr) return output_.reroute(*output);
  return std::nullopt;
}

void HostHooks::track(const HookResult& raw, Hook hook) {
  if (conntrack_.done()) return;  // came back by lo: still attached
  if (raw.untracked) return conntrack_.skip();
  conntrack_.look_up(skb_.packet, raw.zone.value_or(0), hook == Hook::output,
                     skb_.made_here() ? skb_.origin.quoted : skb_.options.quoted);
  if (conntrack_.state() == PacketState::new_ && !conntrack_.confirmed())
    note_full_connection_table(record_.node(), record_.walk());
  if (!is_icmp_error(skb_.packet) || hook == Hook::output || skb_.options.quoted) return;
  const Connection* about = conntrack_.connection();
  // In a walk the error is about the packet that was just sent; a connection of a dump may be another one.
  if (about == nullptr || about->from.known())
    record_.assume({Supposition::icmp_error_about, {record_.node().name, std::uint64_t{about != nullptr}}});
}

// Rules decide for the first packet of a connection only; then the entry says what happens to either direction.
Ended HostHooks::translate(Hook hook, TakenRoute* output) {
  const bool source = translates_source(hook);
  const Tuple before = tuple_of(skb_.packet);
  if (!conntrack_.undecided(source)) {
    if (hook == Hook::postrouting)
      if (Ended end = nat_.check_masquerade(netfilter_)) return end;
    nat_.translate_by_connection(hook);
    if (output != nullptr && conntrack_.changes_destination()) return output_.reroute(*output);
    return std::nullopt;
  }
  if (hook == Hook::postrouting && source_is_open(record_.node(), skb_))
    return inconclusive({PlaceKind::postrouting}, {Reason::translation_rules_missing});
  if (Ended end = run(hook, NetfilterStage::nat, output)) return end;
  if (conntrack_.undecided(source))
    nat_.keep_addresses(source);
  else if (output != nullptr && tuple_of(skb_.packet).dst != before.dst)
    return output_.reroute(*output);
  return std::nullopt;
}

// To the socket that opens a connection by the packet.
bool HostHooks::is_loss_shown(Hook hook) const {
  const PacketOrigin& origin = skb_.origin;
  return (hook == Hook::output || hook == Hook::postrouting) && skb_.made_here() && !origin.answers && !origin.quoted &&
         origin.copy_depth == 0 && !sends_again(skb_.packet);
}

// nft's fwd: past everything that is still to come, but for what the other device asks of what leaves by it.
Ended HostHooks::send_frame(const HookResult& by) {
  const host::Link* link = record_.host().link(by.device);
  if (link != nullptr && !link->is_up()) return dropped({PlaceKind::device, {by.device}}, {Reason::device_down}, {link->from});
  skb_.out = by.device;
  if (Ended end = pass(Hook::egress)) return end;
  return transmitted(by.device);
}

}  // namespace egt::engine
