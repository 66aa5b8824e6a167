#include "neighbour_resolution.h"

#include "inconsistencies.h"
#include "neighbour.h"

namespace egt::engine {
namespace {

HostOutcome arp_off(const std::string& device, const host::Host& host) {
  const host::Link* link = host.link(device);
  return dropped({PlaceKind::device, {device}}, {Reason::arp_off, {device}},
                 link != nullptr ? std::vector{link->from} : std::vector<Provenance>{});
}

}  // namespace

// Sets the frame's destination. A neighbour that does not answer makes the kernel give up after three seconds and show
// the sender that the host is unreachable.
Ended NeighbourResolution::find_mac(const TakenRoute& route, const IpAddr& next) {
  const NeighbourAnswer found =
      find_neighbour(record_.node(), route.device, next, src_ip(skb_.packet), neighbours_, skb_.origin.by_switch);
  if (found.kind == NeighbourAnswer::Kind::no_mac_needed) return std::nullopt;
  Resolve step{next, std::nullopt, route.device, host::NeighbourState::none, found.from_dump};
  std::vector<Provenance> lines = found.evidence;
  if (found.entry != nullptr) {
    step.state = found.entry->state;
    lines.push_back(found.entry->from);
  }
  // A switch's flows may write another destination; no device on a link takes it.
  const bool to_own_mac = found.kind == NeighbourAnswer::Kind::arp_off && record_.node().port(route.device).port != nullptr;
  if (to_own_mac) skb_.packet.set(FieldId::eth_dst, skb_.packet.u64(FieldId::eth_src));
  if (found.kind == NeighbourAnswer::Kind::mac) skb_.packet.set(FieldId::eth_dst, found.mac.value);
  if (found.kind == NeighbourAnswer::Kind::mac || to_own_mac) step.mac = MacAddr{skb_.packet.u64(FieldId::eth_dst)};
  record_.add(step, lines);
  if (found.from_dump) note_inconsistencies(record_.node(), cluster::Inconsistency::About::neighbour, next, record_.walk());
  if (to_own_mac) return std::nullopt;
  if (found.kind == NeighbourAnswer::Kind::arp_off) return arp_off(route.device, record_.host());
  if (found.by_ovn)
    record_.assume({Supposition::ovn_answers_host, {next, found.mac}, {record_.node().name, route.device}, lines});
  if (found.conflicts_with_dump)
    record_.assume({Supposition::neighbour_answers_now, {next, record_.node().name, route.device}, {}, lines});
  if (found.kind == NeighbourAnswer::Kind::mac && found.may_be_lost)
    record_.assume({Supposition::neighbour_discovery_passes, {next, record_.node().name, route.device}, {}, lines});
  if (found.kind == NeighbourAnswer::Kind::mac) return std::nullopt;
  const Place where{PlaceKind::neighbour, {next, route.device}};
  if (found.kind == NeighbourAnswer::Kind::unknown) {
    record_.gap(Input::neighbour_mac, {next, route.device});
    return inconclusive(where, {Reason::neighbour_unknown});
  }
  const auto supposed = found.discovery_lost ? Supposition::no_other_device_answers : Supposition::neighbour_stays_silent;
  record_.assume({supposed, {next, record_.node().name, route.device}, {}, lines});
  return unreachable(
      where,
      found.discovery_lost ? Cause{Reason::neighbour_discovery_lost, {record_.node().name}} : Cause{Reason::neighbour_unresolved},
      lines);
}

// Who loses the carrier forgets its neighbours but for the permanent ones (neigh_carrier_down()), and resolves them in vain.
HostOutcome NeighbourResolution::without_carrier(const TakenRoute& route, const host::Link& link) {
  const IpAddr next = route.gateway.value_or(dst_ip(skb_.packet));
  const NeighbourAnswer known = find_neighbour(record_.node(), route.device, next, src_ip(skb_.packet), neighbours_);
  const Place where{PlaceKind::device, {route.device}};
  if (known.kind == NeighbourAnswer::Kind::no_mac_needed ||
      (known.entry != nullptr && known.entry->state == host::NeighbourState::permanent))
    return dropped(where, {Reason::no_carrier}, {link.from});
  return unreachable(where, {Reason::no_carrier}, {link.from});
}

HostOutcome NeighbourResolution::unreachable(Place where, Cause why, std::vector<Provenance> evidence) {
  return refusal_.rejected(skb_.family() == Family::v4 ? "icmp-host-unreachable" : "icmp6-addr-unreachable", std::move(where),
                           std::move(why), std::move(evidence));
}

}  // namespace egt::engine
