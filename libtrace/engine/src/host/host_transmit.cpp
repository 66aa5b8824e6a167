#include "host_walk.h"
#include "inconsistencies.h"
#include "neighbour.h"

namespace egt::engine {
namespace {

using netfilter::Hook;
}  // namespace

HostOutcome HostWalk::leave(const Taken& route) {
  out_ = route.device;
  next_hop_ = route.gateway.value_or(dst_ip(packet_));
  if (Ended end = check_ipsec(host::IpsecDirection::out)) return *end;
  const IpAddr from = src_ip(packet_);
  if (Ended end = pass(Hook::postrouting)) return *end;
  // A translated packet is looked up once more (nf_xfrm_me_harder()).
  if (src_ip(packet_) != from)
    if (Ended end = check_ipsec(host::IpsecDirection::out)) return *end;
  if (Ended end = by_switch_ ? Ended{} : confirm()) return *end;
  if (route.answer.kind == RouteAnswer::Kind::local) return loop_back();
  return transmit(route);
}

// What leaves encrypted has to fit with what encryption adds (xfrm_bundle_create()).
HostWalk::Mtu HostWalk::mtu_of(const Taken& route) const {
  const Mtu mtu = plain_mtu_of(route);
  const FittingSizes fitting = fitting_sizes(mtu.bytes, esp_towards(route.device));
  return {fitting.surely, mtu.from, fitting.perhaps};
}

bool HostWalk::is_too_long(const Taken& route, const Mtu& mtu) {
  if (mtu.bytes == 0 || options_.packet_length <= mtu.bytes) return false;
  if (options_.packet_length > mtu.may_pass) return true;
  assume({Supposition::encrypted_fits, {std::uint64_t{options_.packet_length}, route.device, node_.name}, {}, {mtu.from}});
  return false;
}

// The route's where it has one: an exception that path MTU discovery made, or one that somebody set (ip-route(8)).
HostWalk::Mtu HostWalk::plain_mtu_of(const Taken& route) const {
  const IpAddr to = dst_ip(packet_);
  for (const host::PathMtu& known : host_.path_mtus)
    if (known.to == to && known.device == route.device) return {known.mtu, known.from};
  if (route.answer.route != nullptr && route.answer.route->mtu != 0) return {route.answer.route->mtu, route.answer.route->from};
  const host::Link* link = host_.link(route.device);
  return link != nullptr ? Mtu{link->mtu, link->from} : Mtu{};
}

// What follows meets the fragments.
void HostWalk::fragment(const Taken& route, const Mtu& mtu) {
  assume({Supposition::fragmented, {node_.name, route.device, std::uint64_t{mtu.bytes}}, {}, {mtu.from}});
  options_.packet_length = mtu.bytes;
}

// TCP sends segments that fit. Others get EMSGSIZE where the packet must not be fragmented (ip_append_data()).
HostWalk::Ended HostWalk::check_own_length(const Taken& route) {
  if (by_switch_ || packet_.u64(FieldId::nw_proto) == ip_proto::tcp) return std::nullopt;
  const Mtu mtu = mtu_of(route);
  if (!is_too_long(route, mtu)) return std::nullopt;
  if (options_.may_fragment) {
    fragment(route, mtu);
    return std::nullopt;
  }
  HostOutcome o = stopped(HostOutcome::Kind::rejected, {PlaceKind::output_route},
                          {Reason::mtu_exceeded, {std::uint64_t{options_.packet_length}, std::uint64_t{mtu.bytes}, route.device}},
                          {mtu.from});
  o.reject_with = "EMSGSIZE";
  return o;
}

HostOutcome HostWalk::transmit(const Taken& route) {
  const host::Link* link = host_.link(route.device);
  const Place where{PlaceKind::device, {route.device}};
  if (link == nullptr && host_.links.present && !host_.links.partial) return dropped(where, {Reason::device_missing});
  if (link != nullptr && !link->is_up()) return dropped(where, {Reason::device_down}, {link->from});
  if (link != nullptr && !link->has_carrier()) return without_carrier(route, *link);
  if (link == nullptr) gap(Input::device_mac, {route.device});
  packet_.set(FieldId::eth_src, link != nullptr && link->mac ? link->mac->value : 0);
  packet_.set(FieldId::eth_dst, 0);
  const IpAddr next = route.gateway.value_or(dst_ip(packet_));
  if (Ended end = made_here() ? check_own_length(route) : Ended{}) return *end;
  if (const Mtu mtu = mtu_of(route); mtu.bytes != 0) record_.limit({mtu.bytes, node_.name, route.device, mtu.from});
  if (Ended end = find_mac(route, next)) return *end;
  if (Ended end = pass(Hook::egress)) return *end;
  HostOutcome o = outcome(HostOutcome::Kind::transmit);
  o.device = route.device;
  o.next_hop = next;
  return o;
}

// Who loses the carrier forgets its neighbours but for the permanent ones (neigh_carrier_down()), and resolves them in vain.
HostOutcome HostWalk::without_carrier(const Taken& route, const host::Link& link) {
  const IpAddr next = route.gateway.value_or(dst_ip(packet_));
  const NeighbourAnswer known = find_neighbour(node_, route.device, next, src_ip(packet_), neighbours_);
  const Place where{PlaceKind::device, {route.device}};
  if (known.kind == NeighbourAnswer::Kind::no_mac_needed ||
      (known.entry != nullptr && known.entry->state == host::NeighbourState::permanent))
    return dropped(where, {Reason::no_carrier}, {link.from});
  return rejected(family() == Family::v4 ? "icmp-host-unreachable" : "icmp6-addr-unreachable", where, {Reason::no_carrier},
                  {link.from});
}

HostOutcome HostWalk::pass_device(const std::string& device, Hook hook) {
  (hook == Hook::egress ? out_ : in_) = device;
  if (Ended end = pass(hook)) return *end;
  HostOutcome o = outcome(HostOutcome::Kind::transmit);
  o.device = device;
  return o;
}

HostOutcome HostWalk::arp_off(const std::string& device) const {
  const host::Link* link = host_.link(device);
  return dropped({PlaceKind::device, {device}}, {Reason::arp_off, {device}},
                 link != nullptr ? std::vector{link->from} : std::vector<Provenance>{});
}

// Sets the frame's destination. A neighbour that does not answer makes the kernel give up after three seconds and show
// the sender that the host is unreachable.
HostWalk::Ended HostWalk::find_mac(const Taken& route, const IpAddr& next) {
  const NeighbourAnswer found = find_neighbour(node_, route.device, next, src_ip(packet_), neighbours_, by_switch_);
  if (found.kind == NeighbourAnswer::Kind::no_mac_needed) return std::nullopt;
  Resolve step{next, std::nullopt, route.device, host::NeighbourState::none, found.from_dump};
  std::vector<Provenance> lines = found.evidence;
  if (found.entry != nullptr) {
    step.state = found.entry->state;
    lines.push_back(found.entry->from);
  }
  // A switch's flows may write another destination; a link hands it to nobody.
  const bool to_own_mac = found.kind == NeighbourAnswer::Kind::arp_off && node_.port(route.device).port != nullptr;
  if (to_own_mac) packet_.set(FieldId::eth_dst, packet_.u64(FieldId::eth_src));
  if (found.kind == NeighbourAnswer::Kind::mac) packet_.set(FieldId::eth_dst, found.mac.value);
  if (found.kind == NeighbourAnswer::Kind::mac || to_own_mac) step.mac = MacAddr{packet_.u64(FieldId::eth_dst)};
  record_.add(node_.name, layer_, step, lines);
  if (found.from_dump) note_inconsistencies(node_, cluster::Inconsistency::About::neighbour, next, record_);
  if (to_own_mac) return std::nullopt;
  if (found.kind == NeighbourAnswer::Kind::arp_off) return arp_off(route.device);
  if (found.by_ovn) assume({Supposition::ovn_answers_host, {next, found.mac}, {node_.name, route.device}, lines});
  if (found.conflicts_with_dump) assume({Supposition::neighbour_answers_now, {next, node_.name, route.device}, {}, lines});
  if (found.kind == NeighbourAnswer::Kind::mac && found.may_be_lost)
    assume({Supposition::neighbour_discovery_passes, {next, node_.name, route.device}, {}, lines});
  if (found.kind == NeighbourAnswer::Kind::mac) return std::nullopt;
  const Place where{PlaceKind::neighbour, {next, route.device}};
  if (found.kind == NeighbourAnswer::Kind::unknown) {
    gap(Input::neighbour_mac, {next, route.device});
    return inconclusive(where, {Reason::neighbour_unknown});
  }
  assume({Supposition::neighbour_stays_silent, {next, node_.name, route.device}, {}, lines});
  return rejected(family() == Family::v4 ? "icmp-host-unreachable" : "icmp6-addr-unreachable", where,
                  {Reason::neighbour_unresolved}, lines);
}

}  // namespace egt::engine
