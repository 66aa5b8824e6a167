#include "input_checks.h"

#include <algorithm>

#include "egtrace/ovn_kubernetes/names.h"
#include "source_validation.h"

namespace egt::engine {

Ended check_device(const SocketBuffer& skb, HostRecord& record) {
  if (!is_ip(skb.packet)) return inconclusive({PlaceKind::device, {skb.in}}, {Reason::not_ip});
  const host::Link* link = record.host().link(skb.in);
  const Place where{PlaceKind::device, {skb.in}};
  if (skb.family() == Family::v6)  // ipv6_rcv()
    if (const Setting off = device_setting(record.host(), Family::v6, skb.in, "disable_ipv6"); off.value.value_or(0) != 0)
      return dropped(where, {Reason::ipv6_disabled, {skb.in}}, off.evidence);
  if (link != nullptr) return link->is_up() ? Ended{} : dropped(where, {Reason::device_down}, {link->from});
  if (record.node().host_presumed) {
    if (skb.in.starts_with(ovnk::kEvpnLogicalPort)) {
      record.gap(Input::vxlan_forwarding, {skb.in});
      return inconclusive(where, {Reason::evpn_not_followed, {skb.in}});
    }
    record.gap(Input::device, {skb.in});
    return inconclusive(where, {Reason::network_host_unknown, {skb.in}});
  }
  if (record.host().links.present && !record.host().links.partial)
    return dropped({PlaceKind::device, {skb.in}}, {Reason::device_missing});
  record.gap(Input::device, {skb.in});
  return std::nullopt;
}

Ended check_frame(const SocketBuffer& skb, const host::Host& host) {
  const host::Link* link = host.link(skb.in);
  const MacAddr to = dst_mac(skb.packet);
  if (link != nullptr && link->mac && !link->mac->is_zero() && !to.is_zero() && !to.is_multicast() && to != *link->mac)
    return dropped({PlaceKind::device, {skb.in}}, {Reason::mac_not_of_device, {to, *link->mac}}, {link->from});
  const IpAddr from = src_ip(skb.packet);
  if (skb.family() == Family::v6 && skb.in != "lo" && (from.is_loopback() || dst_ip(skb.packet).is_loopback()))
    return dropped({PlaceKind::device, {skb.in}}, {Reason::loopback_from_outside});
  if (skb.family() == Family::v6 && from.is_multicast())
    return dropped({PlaceKind::device, {skb.in}}, {Reason::multicast_source});
  return std::nullopt;
}

// Rules of a host that tracks connections see packets whole (nf_defrag_ipv4, nf_defrag_ipv6); they leave as they came.
// Any other host puts together what it keeps.
Ended reassemble(SocketBuffer& skb, HostRecord& record) {
  const std::uint32_t fragment = skb.packet.u32(FieldId::ip_frag);
  if (fragment == 0) return std::nullopt;
  if (fragment & ip_frag::later) return inconclusive({PlaceKind::fragments}, {Reason::later_fragment});
  skb.reassembled = fragment;
  skb.packet.set(FieldId::ip_frag, 0);
  record.assume({Supposition::fragments_arrive, {record.node().name}});
  return std::nullopt;
}

Ended check_addresses(const SocketBuffer& skb, HostRecord& record) {
  const IpAddr from = src_ip(skb.packet), to = dst_ip(skb.packet);
  if (skb.family() != Family::v4 || skb.in == "lo") return std::nullopt;
  if (from.is_unspecified() && to.is_unspecified()) return std::nullopt;  // an old form of the limited broadcast
  if (from.is_multicast() || is_limited_broadcast(from) || (is_zero_net(from) && !is_limited_broadcast(to)))
    return dropped({PlaceKind::input_route}, {Reason::martian_source, {from}});
  if (is_zero_net(to)) return dropped({PlaceKind::input_route}, {Reason::martian_destination, {to}});
  if (!from.is_loopback() && !to.is_loopback()) return std::nullopt;
  const Setting setting = either_setting(record.host(), skb.in, "route_localnet");
  if (record.know(setting, false, Supposition::loopback_accepted)) return std::nullopt;
  return dropped({PlaceKind::input_route}, {Reason::loopback_not_accepted, {to.is_loopback() ? to : from}}, setting.evidence);
}

// Of a broadcast the way back is looked up without a source (ip_route_input_slow()).
Ended check_source(const std::string& out_device, bool to_everybody, const SocketBuffer& skb, const HostRouting& routing,
                   HostRecord& record) {
  if (skb.family() != Family::v4 || skb.in == "lo") return std::nullopt;
  RouteQuery query = routing.as_rules_see(query_for(skb.packet, skb.in));
  if (to_everybody) query.to = IpAddr::v4(0);
  const Validation v = validate_source(record.host(), {query, out_device});
  record.note(v.assumptions, true);
  if (v.accepted) return std::nullopt;
  if (v.looked_up) {
    RouteLookup step;
    step.rule = v.reverse.rule;
    step.route = v.reverse.route;
    step.reverse_path = true;
    step.device = v.reverse.hops.empty() ? v.reverse.device : v.reverse.hops.front().get().device.str();
    record.add(step, v.reverse.evidence());
  }
  return dropped({v.martian ? PlaceKind::source_check : PlaceKind::rp_filter}, v.why, v.evidence);
}

// Where NAT has to undo on lo what a rule wrote over the destination, the packet loses its route and is one from
// outside: IPv4 then takes its own addresses for martians (nf_nat_ipv4_pre_routing(), ip_route_input_slow()).
Ended check_looped_source(const SocketBuffer& skb, HostRecord& record) {
  const IpAddr from = src_ip(skb.packet), to = dst_ip(skb.packet);
  if (!from.is_v4()) return std::nullopt;
  const bool loopback = from.is_loopback() || to.is_loopback();
  const Setting setting = either_setting(record.host(), skb.in, loopback ? "route_localnet" : "accept_local");
  if (!loopback && local_type_of(record.host(), from) != RouteAnswer::Kind::local) return std::nullopt;
  if (record.know(setting, false, Supposition::own_source_on_lo)) return std::nullopt;
  return dropped({PlaceKind::source_check}, {Reason::own_source_on_lo, {from}}, setting.evidence);
}

// IPv4 asks the in-device, IPv6 the whole host (and since 6.17 the in-device's force_forwarding).
Ended check_forwarding(const SocketBuffer& skb, HostRecord& record) {
  const bool v4 = skb.family() == Family::v4;
  const Setting setting = device_setting(record.host(), skb.family(), v4 ? std::string_view(skb.in) : "all", "forwarding");
  if (!v4 && device_setting(record.host(), Family::v6, skb.in, "force_forwarding").value.value_or(0) != 0) return std::nullopt;
  if (record.know(setting, true, Supposition::forwarding)) return std::nullopt;
  return dropped({PlaceKind::forwarding}, v4 ? Cause{Reason::forwarding_off, {skb.in}} : Cause{Reason::forwarding_off_v6},
                 setting.evidence);
}

// The routes of a presumed host are no evidence for packets of which it is not known how they leave.
Ended check_egress(const RouteAnswer& answer, const SocketBuffer& skb, HostRecord& record) {
  const IpAddr from = src_ip(skb.packet);
  const auto& open = record.node().open_egress;
  const auto found = std::find_if(open.begin(), open.end(), [&](const cluster::OpenEgress& o) { return o.source == from; });
  if (found == open.end() || answer.device == skb.in) return std::nullopt;
  record.gap(Input::node_dumps);
  return inconclusive({PlaceKind::device, {skb.in}}, {Reason::host_egress_unknown, {from, found->object}}, {found->from});
}

Setting bridge_calls(const host::Host& host, Family family) {
  Setting s =
      plain_setting(host, family == Family::v4 ? "net.bridge.bridge-nf-call-iptables" : "net.bridge.bridge-nf-call-ip6tables");
  if (!s.value && host.sysctl.present) s.value = 0;  // the module is not there
  return s;
}

bool asked_by_bridge(const SocketBuffer& skb, const host::Host& host) {
  const host::Link* link = host.link(skb.in);
  return link != nullptr && link->kind == "bridge" && bridge_calls(host, skb.family()).value.value_or(0) != 0;
}

// Where bridges ask iptables, a packet with a new destination that is to leave by the bridge it came from never becomes
// the host's: the bridge sends it on to the new next hop (br_nf_pre_routing_finish(), net/bridge/br_netfilter_hooks.c).
Ended check_bridge(const TakenRoute& route, const SocketBuffer& skb, HostRecord& record) {
  const host::Link* link = record.host().link(skb.in);
  if (link == nullptr || link->kind != "bridge" || route.device != skb.in || dst_ip(skb.packet) == skb.to) return std::nullopt;
  const Setting setting = bridge_calls(record.host(), skb.family());
  if (!record.know(setting, false, Supposition::bridge_calls_on_new_destination)) return std::nullopt;
  const auto ports = std::count_if(record.host().links.value.begin(), record.host().links.value.end(),
                                   [&](const host::Link& l) { return l.master == skb.in; });
  std::vector<Provenance> lines = setting.evidence;
  lines.push_back(link->from);
  if (ports == 1) return dropped({PlaceKind::device, {skb.in}}, {Reason::bridge_has_no_other_port, {skb.in}}, std::move(lines));
  return inconclusive({PlaceKind::device, {skb.in}}, {Reason::bridge_port_unknown, {skb.in}}, std::move(lines));
}

}  // namespace egt::engine
