#include "host_walk.h"
#include "neighbour.h"

namespace egt::engine {
namespace {

using netfilter::Hook;
}  // namespace

HostOutcome HostWalk::leave(const Taken& route) {
  out_ = route.device;
  next_hop_ = route.gateway.value_or(dst_ip(packet_));
  if (Ended end = pass(Hook::postrouting)) return *end;
  if (Ended end = confirm()) return *end;
  if (route.answer.kind == RouteAnswer::Kind::local) return loop_back();
  return transmit(route);
}

HostOutcome HostWalk::transmit(const Taken& route) {
  const host::Link* link = host_.link(route.device);
  const Place where{PlaceKind::device, {route.device}};
  if (link == nullptr && host_.links.present && !host_.links.partial)
    return dropped(where, {Reason::device_missing});
  if (link != nullptr && !link->is_up()) return dropped(where, {Reason::device_down}, {link->from});
  if (link != nullptr && !link->has_carrier()) return dropped(where, {Reason::no_carrier}, {link->from});
  if (link == nullptr) gap(Input::device_mac, {route.device});
  packet_.set(FieldId::eth_src, link != nullptr && link->mac ? link->mac->value : 0);
  packet_.set(FieldId::eth_dst, 0);
  const IpAddr next = route.gateway.value_or(dst_ip(packet_));
  if (Ended end = find_mac(route, next)) return *end;
  if (Ended end = pass(Hook::egress)) return *end;
  HostOutcome o = outcome(HostOutcome::Kind::transmit);
  o.device = route.device;
  o.next_hop = next;
  return o;
}

// Sets the frame's destination. A neighbour that does not answer makes the kernel give up after three seconds and tell
// the sender that the host is unreachable.
HostWalk::Ended HostWalk::find_mac(const Taken& route, const IpAddr& next) {
  const NeighbourAnswer found = find_neighbour(node_, route.device, next, src_ip(packet_), neighbours_);
  if (found.kind == NeighbourAnswer::Kind::no_mac_needed) return std::nullopt;
  Resolve step{next, std::nullopt, route.device, host::NeighbourState::none, found.from_dump};
  std::vector<Provenance> lines;
  if (found.entry != nullptr) {
    step.state = found.entry->state;
    lines.push_back(found.entry->from);
  }
  if (found.kind == NeighbourAnswer::Kind::mac) {
    step.mac = found.mac;
    packet_.set(FieldId::eth_dst, found.mac.value);
  }
  record_.add(node_.name, layer_, step, lines);
  if (found.by_ovn) assume({Supposition::ovn_answers_host, {next, found.mac}, {node_.name, route.device}, lines});
  if (found.contradicts_dump)
    assume({Supposition::neighbour_answers_now, {next, node_.name, route.device}, {}, lines});
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
