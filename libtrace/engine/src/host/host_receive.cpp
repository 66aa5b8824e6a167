#include <algorithm>

#include "egtrace/ovn_kubernetes/names.h"
#include "host_walk.h"
#include "inconsistencies.h"
#include "rule_selectors.h"

namespace egt::engine {
namespace {

using netfilter::Hook;
using Kind = RouteAnswer::Kind;

bool is_zero_net(const IpAddr& a) { return a.is_v4() && (a.value >> 24) == 0; }
bool is_limited_broadcast(const IpAddr& a) { return a == IpAddr::v4(0xffffffff); }

}  // namespace

HostWalk::HostWalk(const cluster::Node& node, NetworkState& network_state, Record& record, Chooser& chooser,
                   const NeighbourOracle& neighbours, const FlowKey& packet, HostOptions options)
    : node_(node),
      host_(node.host),
      network_state_(network_state),
      record_(record),
      chooser_(chooser),
      neighbours_(neighbours),
      options_(std::move(options)),
      layer_(layer_of_host(node)),
      packet_(packet),
      entered_(tuple_of(packet)),
      to_(dst_ip(packet)),
      netfilter_(node.host, family_of(packet), node.name, network_state, record, chooser),
      conntrack_(node.name, network_state, tcp_loose(node.host)) {}

HostOutcome HostWalk::receive(const std::string& device) {
  in_ = device;
  clear_pipeline(packet_);
  note_inconsistencies(node_, cluster::Inconsistency::About::node, "", record_);
  note_inconsistencies(node_, cluster::Inconsistency::About::netfilter, "", record_);
  std::vector<Provenance> lines;
  const host::Link* link = host_.link(device);
  if (link != nullptr && link->from.known()) lines.push_back(link->from);
  record_.add(node_.name, layer_, ReceiveFrame{device}, std::move(lines));
  if (Ended end = check_device()) return *end;
  if (Ended end = pass(Hook::ingress)) return *end;
  if (netfilter_.uses_conntrack())
    if (Ended end = reassemble()) return *end;
  const bool by_bridge = asked_by_bridge();  // then the stack sees the packet after its rules
  passed_port_ = by_bridge;
  if (Ended end = by_bridge ? Ended{} : check_frame()) return *end;
  if (Ended end = pass(Hook::prerouting)) return *end;
  if (by_bridge) on_bridge_.emplace(packet_, record_.steps.size());
  if (Ended end = by_bridge ? check_frame() : Ended{}) return *end;
  if (Ended end = enter_vrf()) return *end;
  return route_input();
}

// Rules of a host that tracks connections see packets whole (nf_defrag_ipv4, nf_defrag_ipv6); they leave as they came.
// Any other host puts together what it keeps.
HostWalk::Ended HostWalk::reassemble() {
  const std::uint32_t fragment = packet_.u32(FieldId::ip_frag);
  if (fragment == 0) return std::nullopt;
  if (fragment & ip_frag::later) return inconclusive({PlaceKind::fragments}, {Reason::later_fragment});
  reassembled_ = fragment;
  packet_.set(FieldId::ip_frag, 0);
  assume({Supposition::fragments_arrive, {node_.name}});
  return std::nullopt;
}

// A device of a VRF hands what it received to the VRF's: it passes PREROUTING once more, and has come by that device for all
// rules, routes and settings behind (vrf_ip_rcv(), vrf_ip6_rcv() of drivers/net/vrf.c). Not so what IPv6 keeps on a link.
HostWalk::Ended HostWalk::enter_vrf() {
  const host::Link* vrf = vrf_of(host_, in_);
  const IpAddr to = dst_ip(packet_);
  if (vrf == nullptr || vrf->name == in_ || to.is_multicast() || (family() == Family::v6 && to.is_link_local()))
    return std::nullopt;
  in_ = vrf->name;
  return pass(Hook::prerouting);
}

HostWalk::Ended HostWalk::check_device() {
  if (!is_ip(packet_)) return inconclusive({PlaceKind::device, {in_}}, {Reason::not_ip});
  const host::Link* link = host_.link(in_);
  const Place where{PlaceKind::device, {in_}};
  if (family() == Family::v6)  // ipv6_rcv()
    if (const Setting off = device_setting(host_, Family::v6, in_, "disable_ipv6"); off.value.value_or(0) != 0)
      return dropped(where, {Reason::ipv6_disabled, {in_}}, off.evidence);
  if (link != nullptr) return link->is_up() ? Ended{} : dropped(where, {Reason::device_down}, {link->from});
  if (node_.host_presumed) {
    if (in_.starts_with(ovnk::kEvpnLogicalPort)) {
      gap(Input::vxlan_forwarding, {in_});
      return inconclusive(where, {Reason::evpn_not_followed, {in_}});
    }
    gap(Input::device, {in_});
    return inconclusive(where, {Reason::network_host_unknown, {in_}});
  }
  if (host_.links.present && !host_.links.partial) return dropped({PlaceKind::device, {in_}}, {Reason::device_missing});
  gap(Input::device, {in_});
  return std::nullopt;
}

// What ip_rcv() throws away.
HostWalk::Ended HostWalk::check_frame() {
  const host::Link* link = host_.link(in_);
  const MacAddr to = dst_mac(packet_);
  if (link != nullptr && link->mac && !link->mac->is_zero() && !to.is_zero() && !to.is_multicast() && to != *link->mac)
    return dropped({PlaceKind::device, {in_}}, {Reason::mac_not_of_device, {to, *link->mac}}, {link->from});
  const IpAddr from = src_ip(packet_);
  if (family() == Family::v6 && in_ != "lo" && (from.is_loopback() || dst_ip(packet_).is_loopback()))
    return dropped({PlaceKind::device, {in_}}, {Reason::loopback_from_outside});
  if (family() == Family::v6 && from.is_multicast()) return dropped({PlaceKind::device, {in_}}, {Reason::multicast_source});
  return std::nullopt;
}

// Addresses that IPv4 never accepts from a wire; as they are after PREROUTING (ip_route_input_slow()).
HostWalk::Ended HostWalk::check_addresses() {
  const IpAddr from = src_ip(packet_), to = dst_ip(packet_);
  if (family() != Family::v4 || in_ == "lo") return std::nullopt;
  if (from.is_unspecified() && to.is_unspecified()) return std::nullopt;  // an old form of the limited broadcast
  if (from.is_multicast() || is_limited_broadcast(from) || (is_zero_net(from) && !is_limited_broadcast(to)))
    return dropped({PlaceKind::input_route}, {Reason::martian_source, {from}});
  if (is_zero_net(to)) return dropped({PlaceKind::input_route}, {Reason::martian_destination, {to}});
  if (!from.is_loopback() && !to.is_loopback()) return std::nullopt;
  const Setting setting = either_setting(host_, in_, "route_localnet");
  if (know(setting, false, Supposition::loopback_accepted)) return std::nullopt;
  return dropped({PlaceKind::input_route}, {Reason::loopback_not_accepted, {to.is_loopback() ? to : from}}, setting.evidence);
}

HostOutcome HostWalk::route_input() {
  if (Ended end = check_addresses()) return *end;
  const IpAddr to = dst_ip(packet_);
  const bool is_group = to.is_v4() && to.is_multicast();  // routes decide nothing then (ip_route_input_rcu())
  RouteAnswer answer = is_group ? RouteAnswer{} : look_up(as_rules_see(query_for(packet_, in_)));
  if (is_group) answer.kind = Kind::multicast;
  const bool limited =
      is_limited_broadcast(to) || (family() == Family::v4 && to.is_unspecified() && src_ip(packet_).is_unspecified());
  if (limited) answer.kind = Kind::broadcast;
  if (answer.kind == Kind::multicast) {
    gap(Input::multicast_listeners, {dst_ip(packet_)});
    return inconclusive({PlaceKind::input_route}, {Reason::multicast_not_simulated}, answer.evidence());
  }
  if (answer.is_for_me()) {
    note_route({answer, 0, answer.device, std::nullopt}, std::nullopt);
    if (!is_zero_net(src_ip(packet_)))
      if (Ended end = check_source("", answer.kind == Kind::broadcast)) return *end;
    return deliver();
  }
  if (answer.kind != Kind::unicast) {
    if (answer.kind != Kind::unknown) note_route({answer, 0, "", std::nullopt}, std::nullopt);
    return failed_route(answer);
  }
  if (Ended end = check_forwarding()) return *end;
  if (Ended end = check_egress(answer)) return *end;
  const Taken route = take_hop(std::move(answer));
  note_route(route, std::nullopt);
  if (Ended end = check_source(route.device)) return *end;
  if (Ended end = check_bridge(route)) return *end;
  return forward(route);
}

Setting HostWalk::bridge_calls() const {
  Setting s =
      plain_setting(host_, family() == Family::v4 ? "net.bridge.bridge-nf-call-iptables" : "net.bridge.bridge-nf-call-ip6tables");
  if (!s.value && host_.sysctl.present) s.value = 0;  // the module is not there
  return s;
}

bool HostWalk::asked_by_bridge() const {
  const host::Link* link = host_.link(in_);
  return link != nullptr && link->kind == "bridge" && bridge_calls().value.value_or(0) != 0;
}

// Where bridges ask iptables, a packet with a new destination that is to leave by the bridge it came from never becomes
// the host's: the bridge sends it on to the new next hop (br_nf_pre_routing_finish(), net/bridge/br_netfilter_hooks.c).
HostWalk::Ended HostWalk::check_bridge(const Taken& route) {
  const host::Link* link = host_.link(in_);
  if (link == nullptr || link->kind != "bridge" || route.device != in_ || dst_ip(packet_) == to_) return std::nullopt;
  const Setting setting = bridge_calls();
  if (!know(setting, false, Supposition::bridge_calls_on_new_destination)) return std::nullopt;
  const auto ports =
      std::count_if(host_.links.value.begin(), host_.links.value.end(), [&](const host::Link& l) { return l.master == in_; });
  std::vector<Provenance> lines = setting.evidence;
  lines.push_back(link->from);
  if (ports == 1) return dropped({PlaceKind::device, {in_}}, {Reason::bridge_has_no_other_port, {in_}}, std::move(lines));
  return inconclusive({PlaceKind::device, {in_}}, {Reason::bridge_port_unknown, {in_}}, std::move(lines));
}

// Of a broadcast the way back is looked up as from nobody (ip_route_input_slow()).
HostWalk::Ended HostWalk::check_source(const std::string& out_device, bool to_everybody) {
  if (family() != Family::v4 || in_ == "lo") return std::nullopt;
  RouteQuery query = as_rules_see(query_for(packet_, in_));
  if (to_everybody) query.to = IpAddr::v4(0);
  const Validation v = validate_source(host_, {query, out_device});
  note(v.assumptions, true);
  if (v.accepted) return std::nullopt;
  if (v.looked_up) {
    RouteLookup step;
    step.rule = v.reverse.rule;
    step.route = v.reverse.route;
    step.reverse_path = true;
    step.device = v.reverse.hops.empty() ? v.reverse.device : v.reverse.hops.front().get().device.str();
    record_.add(node_.name, layer_, step, v.reverse.evidence());
  }
  return dropped({v.martian ? PlaceKind::source_check : PlaceKind::rp_filter}, v.why, v.evidence);
}

// IPv4 asks the in-device, IPv6 the whole host (and since 6.17 the in-device's force_forwarding).
HostWalk::Ended HostWalk::check_forwarding() {
  const bool v4 = family() == Family::v4;
  const Setting setting = device_setting(host_, family(), v4 ? std::string_view(in_) : "all", "forwarding");
  if (!v4 && device_setting(host_, Family::v6, in_, "force_forwarding").value.value_or(0) != 0) return std::nullopt;
  if (know(setting, true, Supposition::forwarding)) return std::nullopt;
  return dropped({PlaceKind::forwarding}, v4 ? Cause{Reason::forwarding_off, {in_}} : Cause{Reason::forwarding_off_v6},
                 setting.evidence);
}

// The routes of a presumed host are no evidence for packets of which it is not known how they leave.
HostWalk::Ended HostWalk::check_egress(const RouteAnswer& answer) {
  const IpAddr from = src_ip(packet_);
  const auto& open = node_.open_egress;
  const auto found = std::find_if(open.begin(), open.end(), [&](const cluster::OpenEgress& o) { return o.source == from; });
  if (found == open.end() || answer.device == in_) return std::nullopt;
  gap(Input::node_dumps);
  return inconclusive({PlaceKind::device, {in_}}, {Reason::host_egress_unknown, {from, found->object}}, {found->from});
}

HostWalk::Ended HostWalk::check_ttl() {
  const std::uint32_t ttl = packet_.u32(FieldId::nw_ttl);
  if (ttl <= 1) return rejected("icmp-ttl-exceeded", {PlaceKind::forwarding}, {Reason::ttl_exceeded, {std::uint64_t{ttl}}}, {});
  packet_.set(FieldId::nw_ttl, ttl - 1);
  return std::nullopt;
}

// Of IPv6 what stays on its link goes back to it alone, and so does what has no source (ip6_forward()).
HostWalk::Ended HostWalk::check_scope(const Taken& route) {
  const IpAddr from = src_ip(packet_);
  if (family() != Family::v6 || route.device == in_) return std::nullopt;
  const Place where{PlaceKind::forwarding};
  if (from.is_unspecified()) return dropped(where, {Reason::martian_source, {from}});
  if (!from.is_link_local()) return std::nullopt;
  return rejected("icmp6-beyond-scope", where, {Reason::link_local_source, {from}}, {});
}

// IPv4 fragments a packet that may be; IPv6 leaves that to the sender.
HostWalk::Ended HostWalk::check_length(const Taken& route) {
  const Mtu mtu = mtu_of(route);
  if (!is_too_long(route, mtu)) return std::nullopt;
  if (family() == Family::v4 && options_.may_fragment) {
    fragment(route, mtu);
    return std::nullopt;
  }
  HostOutcome o = rejected(
      family() == Family::v4 ? "icmp-frag-needed" : "icmp6-packet-too-big", {PlaceKind::forwarding},
      {Reason::mtu_exceeded, {std::uint64_t{options_.packet_length}, std::uint64_t{mtu.bytes}, route.device}}, {mtu.from});
  o.answer_mtu = mtu.bytes;
  return o;
}

// What has a socket is not forwarded (ip_forward(), ip6_forward()).
HostOutcome HostWalk::forward(const Taken& route) {
  if (taken_by_proxy_) return dropped({PlaceKind::forwarding}, {Reason::taken_by_proxy}, route.answer.evidence());
  if (Ended end = check_ipsec(host::IpsecDirection::forward)) return *end;
  if (dst_mac(packet_).is_multicast()) return dropped({PlaceKind::forwarding}, {Reason::broadcast_frame});
  if (Ended end = check_ttl()) return *end;
  if (Ended end = check_scope(route)) return *end;
  if (Ended end = check_length(route)) return *end;
  out_ = route.device;
  next_hop_ = route.gateway.value_or(dst_ip(packet_));
  if (Ended end = pass(Hook::forward)) return *end;
  return leave(route);
}

HostOutcome HostWalk::deliver() {
  if (family() == Family::v4)
    if (Ended end = reassemble()) return *end;
  if (Ended end = pass(Hook::input)) return *end;
  if (Ended end = confirm()) return *end;
  if (Ended end = check_ipsec(host::IpsecDirection::in)) return *end;
  HostOutcome o = outcome(HostOutcome::Kind::delivered);
  o.device = in_;
  return o;
}

}  // namespace egt::engine
