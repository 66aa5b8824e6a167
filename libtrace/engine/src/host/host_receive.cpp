#include <fmt/format.h>

#include <algorithm>

#include "contradictions.h"
#include "host_walk.h"
#include "rule_selectors.h"

namespace egt::engine {
namespace {

using netfilter::Hook;
using Kind = RouteAnswer::Kind;

bool is_zero_net(const IpAddr& a) { return a.is_v4() && (a.value >> 24) == 0; }
bool is_limited_broadcast(const IpAddr& a) { return a == IpAddr::v4(0xffffffff); }

}  // namespace

HostWalk::HostWalk(const cluster::Node& node, World& world, Record& record, Chooser& chooser,
                   const NeighbourOracle& neighbours, const FlowKey& packet, HostOptions options)
    : node_(node),
      host_(node.host),
      world_(world),
      record_(record),
      chooser_(chooser),
      neighbours_(neighbours),
      options_(std::move(options)),
      layer_(layer_of_host(node)),
      packet_(packet),
      entered_(tuple_of(packet)),
      to_(dst_ip(packet)),
      netfilter_(node.host, family_of(packet), node.name, world, record, chooser),
      conntrack_(node.name, world, tcp_loose(node.host)) {}

HostOutcome HostWalk::receive(const std::string& device) {
  in_ = device;
  clear_pipeline(packet_);
  note_contradictions(node_, cluster::Contradiction::About::machine, "", record_);
  note_contradictions(node_, cluster::Contradiction::About::netfilter, "", record_);
  std::vector<Provenance> lines;
  const host::Link* link = host_.link(device);
  if (link != nullptr && link->from.known()) lines.push_back(link->from);
  record_.add(node_.name, layer_, ReceiveFrame{device}, std::move(lines));
  if (Ended end = check_device()) return *end;
  if (Ended end = pass(Hook::ingress)) return *end;
  if (netfilter_.uses_conntrack())
    if (Ended end = reassemble()) return *end;
  const bool by_bridge = asked_by_bridge();  // then the stack sees the packet after its rules
  if (Ended end = by_bridge ? Ended{} : check_frame()) return *end;
  if (Ended end = pass(Hook::prerouting)) return *end;
  if (Ended end = by_bridge ? check_frame() : Ended{}) return *end;
  if (Ended end = enter_vrf()) return *end;
  return route_input();
}

// Rules of a host that tracks connections see packets whole (nf_defrag_ipv4, nf_defrag_ipv6); they leave as they came.
// Any other host puts together what it keeps.
HostWalk::Ended HostWalk::reassemble() {
  const std::uint32_t fragment = packet_.u32(FieldId::ip_frag);
  if (fragment == 0) return std::nullopt;
  if (fragment & ip_frag::later)
    return inconclusive("fragments", "the host puts fragments together first; what becomes of them is told of the first one");
  reassembled_ = fragment;
  packet_.set(FieldId::ip_frag, 0);
  assume(fmt::format("the other fragments arrive on {} too", node_.name), "the host puts the packet together from them all");
  return std::nullopt;
}

// A device of a VRF hands what it received to the VRF's: it passes PREROUTING once more, and has come by that device for all
// rules, routes and settings behind (vrf_ip_rcv(), vrf_ip6_rcv() of drivers/net/vrf.c). Not so what IPv6 keeps on a link.
HostWalk::Ended HostWalk::enter_vrf() {
  const host::Link* vrf = vrf_of(host_, in_);
  const IpAddr to = dst_ip(packet_);
  if (vrf == nullptr || vrf->name == in_ || to.is_multicast() || (family() == Family::v6 && to.is_link_local())) return std::nullopt;
  in_ = vrf->name;
  return pass(Hook::prerouting);
}

HostWalk::Ended HostWalk::check_device() {
  if (!is_ip(packet_)) return inconclusive(in_, "only IP packets are walked through a host");
  const host::Link* link = host_.link(in_);
  if (link != nullptr) return link->is_up() ? Ended{} : dropped(in_, "the device is down", {link->from});
  if (host_.links.present && !host_.links.partial) return dropped(in_, "the host has no such device");
  gap(fmt::format("device {}", in_), "ip -d addr");
  return std::nullopt;
}

// What ip_rcv() throws away.
HostWalk::Ended HostWalk::check_frame() {
  const host::Link* link = host_.link(in_);
  const MacAddr to = dst_mac(packet_);
  if (link != nullptr && link->mac && !link->mac->is_zero() && !to.is_zero() && !to.is_multicast() && to != *link->mac)
    return dropped(in_, fmt::format("the frame is for {}, not for the device's {}", to.to_string(), link->mac->to_string()),
                   {link->from});
  const IpAddr from = src_ip(packet_);
  if (family() == Family::v6 && in_ != "lo" && (from.is_loopback() || dst_ip(packet_).is_loopback()))
    return dropped(in_, "a loopback address comes from outside");
  if (family() == Family::v6 && from.is_multicast()) return dropped(in_, "the source is a multicast address");
  return std::nullopt;
}

// Addresses that IPv4 never accepts from a wire; as they are after PREROUTING (ip_route_input_slow()).
HostWalk::Ended HostWalk::check_addresses() {
  const IpAddr from = src_ip(packet_), to = dst_ip(packet_);
  if (family() != Family::v4 || in_ == "lo") return std::nullopt;
  if (from.is_unspecified() && to.is_unspecified()) return std::nullopt;   // an old form of the limited broadcast
  if (from.is_multicast() || is_limited_broadcast(from) || (is_zero_net(from) && !is_limited_broadcast(to)))
    return dropped("input route", fmt::format("{} is no source address (martian source)", from.to_string()));
  if (is_zero_net(to)) return dropped("input route", fmt::format("{} is no destination (martian)", to.to_string()));
  if (!from.is_loopback() && !to.is_loopback()) return std::nullopt;
  const Setting setting = either_setting(host_, in_, "route_localnet");
  if (know(setting, false, "a packet with a loopback address comes from outside")) return std::nullopt;
  return dropped("input route", fmt::format("{} from outside is dropped unless route_localnet is set (martian)",
                                            (to.is_loopback() ? to : from).to_string()),
                 setting.evidence);
}

HostOutcome HostWalk::route_input() {
  if (Ended end = check_addresses()) return *end;
  RouteAnswer answer = look_up(as_rules_see(query_for(packet_, in_)));
  const IpAddr to = dst_ip(packet_);
  const bool limited = is_limited_broadcast(to) || (family() == Family::v4 && to.is_unspecified() && src_ip(packet_).is_unspecified());
  if (limited) answer.kind = Kind::broadcast;
  if (answer.kind == Kind::multicast) {
    gap(fmt::format("who listens to the group {}", dst_ip(packet_).to_string()), "ip maddr");
    return inconclusive("input route", "multicast is not simulated", answer.evidence());
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
  const Taken route = take_hop(std::move(answer));
  note_route(route, std::nullopt);
  if (Ended end = check_source(route.device)) return *end;
  if (Ended end = check_bridge(route)) return *end;
  return forward(route);
}

Setting HostWalk::bridge_calls() const {
  Setting s = plain_setting(
      host_, family() == Family::v4 ? "net.bridge.bridge-nf-call-iptables" : "net.bridge.bridge-nf-call-ip6tables");
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
  if (!know(setting, false, "a packet with a new destination leaves by the bridge that it came from"))
    return std::nullopt;
  const auto ports = std::count_if(host_.links.value.begin(), host_.links.value.end(),
                                   [&](const host::Link& l) { return l.master == in_; });
  std::vector<Provenance> lines = setting.evidence;
  lines.push_back(link->from);
  const std::string what =
      fmt::format("bridge-nf-call lets the bridge {} itself send on what has a new destination behind it", in_);
  if (ports == 1) return dropped(in_, what + "; its only port is the one that the packet came by", std::move(lines));
  return inconclusive(in_, what + ", by a port that no dump tells", std::move(lines));
}

// Of a broadcast the way back is looked up as from nobody (ip_route_input_slow()).
HostWalk::Ended HostWalk::check_source(const std::string& out_device, bool to_everybody) {
  if (family() != Family::v4 || in_ == "lo") return std::nullopt;
  RouteQuery query = as_rules_see(query_for(packet_, in_));
  if (to_everybody) query.to = IpAddr::v4(0);
  const Validation v = validate_source(host_, {query, out_device});
  note(v.doubts, true);
  if (v.accepted) return std::nullopt;
  if (v.looked_up) {
    RouteLookup step;
    step.rule = v.reverse.rule;
    step.route = v.reverse.route;
    step.reverse_path = true;
    step.device = v.reverse.hops.empty() ? v.reverse.device : v.reverse.hops.front().get().device;
    record_.add(node_.name, layer_, step, v.reverse.evidence());
  }
  return dropped(v.martian ? "source check" : "rp_filter", v.why, v.evidence);
}

// IPv4 asks the in-device, IPv6 the whole host (and since 6.17 the in-device's force_forwarding).
HostWalk::Ended HostWalk::check_forwarding() {
  const bool v4 = family() == Family::v4;
  const Setting setting = device_setting(host_, family(), v4 ? std::string_view(in_) : "all", "forwarding");
  if (!v4 && device_setting(host_, Family::v6, in_, "force_forwarding").value.value_or(0) != 0) return std::nullopt;
  if (know(setting, true, "the packet is to be forwarded")) return std::nullopt;
  return dropped("forwarding",
                 v4 ? fmt::format("forwarding is off on {}", in_) : std::string("IPv6 forwarding is off on this host"),
                 setting.evidence);
}

HostWalk::Ended HostWalk::check_ttl() {
  const std::uint32_t ttl = packet_.u32(FieldId::nw_ttl);
  if (ttl <= 1) return rejected("icmp-ttl-exceeded", "forwarding", fmt::format("the TTL of {} is used up", ttl), {});
  packet_.set(FieldId::nw_ttl, ttl - 1);
  return std::nullopt;
}

// IPv4 fragments a packet that may be; IPv6 leaves that to the sender.
HostWalk::Ended HostWalk::check_length(const Taken& route) {
  const host::Link* link = host_.link(route.device);
  std::uint32_t mtu = link != nullptr ? link->mtu : 0;
  std::vector<Provenance> lines;
  if (link != nullptr) lines.push_back(link->from);
  if (route.answer.route != nullptr && route.answer.route->mtu) {
    mtu = *route.answer.route->mtu;
    lines = {route.answer.route->from};
  }
  if (mtu == 0 || options_.packet_length <= mtu) return std::nullopt;
  const bool v4 = family() == Family::v4;
  if (v4)
    assume("the sender forbids fragments", "a packet of this length fits only in fragments; Linux forbids them by default");
  HostOutcome o = rejected(v4 ? "icmp-frag-needed" : "icmp6-packet-too-big", "forwarding",
                           fmt::format("{} bytes are more than the {} that {} takes", options_.packet_length, mtu, route.device),
                           std::move(lines));
  o.answer_mtu = mtu;
  return o;
}

HostOutcome HostWalk::forward(const Taken& route) {
  if (dst_mac(packet_).is_multicast())
    return dropped("forwarding", "the frame was sent to all; only frames to this host are forwarded");
  if (Ended end = check_ttl()) return *end;
  if (Ended end = check_length(route)) return *end;
  const IpAddr from = src_ip(packet_);
  if (family() == Family::v6 && from.is_link_local() && route.device != in_)
    return dropped("forwarding", fmt::format("{} is valid on its own link only", from.to_string()));
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
  HostOutcome o = outcome(HostOutcome::Kind::delivered);
  o.device = in_;
  return o;
}

}  // namespace egt::engine
