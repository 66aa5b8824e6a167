#include "neighbour.h"

#include <algorithm>

#include "egtrace/engine/link_answer.h"

namespace egt::engine {
namespace {

using host::NeighbourState;
constexpr std::uint64_t kBroadcastMac = 0xffffffffffff, kMulticastMac4 = 0x01005e000000, kMulticastMac6 = 0x333300000000;

bool is_broadcast(const host::Link* link, const IpAddr& a) {
  if (!a.is_v4()) return false;
  if (a.as_v4() == 0xffffffff) return true;
  return link != nullptr && is_broadcast_of(*link, a);
}

std::optional<MacAddr> group_mac(const host::Link* link, const IpAddr& a) {
  if (is_broadcast(link, a)) return MacAddr{kBroadcastMac};
  if (!a.is_multicast()) return std::nullopt;
  return a.is_v4() ? MacAddr{kMulticastMac4 | (a.as_v4() & 0x7fffff)} : MacAddr{kMulticastMac6 | (low64(a.value) & 0xffffffff)};
}

const host::Neighbour* table_entry(const host::Host& host, const std::string& device, const IpAddr& address) {
  for (const host::Neighbour& n : host.neighbours.value)
    if (!n.proxy && n.address == address && n.device == device) return &n;
  return nullptr;
}

bool is_usable(const host::Neighbour& n) {
  return n.mac && n.state != NeighbourState::failed && n.state != NeighbourState::incomplete;
}

bool sends_without_arp(const host::Link& link) { return link.flags.has("NOARP") || link.flags.has("LOOPBACK"); }

// Devices that are made without ARP and have Ethernet headers all the same: the MAC does not matter.
bool is_made_without_arp(const host::Host& host, const host::Link& link) {
  constexpr std::string_view kKinds[] = {"dummy", "vrf", "ifb", "ipvlan", "ipvtap", "nlmon", "team", "netkit"};
  if (!link.kind.empty()) return std::find(std::begin(kKinds), std::end(kKinds), link.kind) != std::end(kKinds);
  return std::none_of(host.links.value.begin(), host.links.value.end(), [](const host::Link& l) { return !l.kind.empty(); });
}

// An Ethernet device on which ARP was switched off sends to its own MAC where no entry was set (arp_constructor(),
// ndisc_constructor()).
NeighbourAnswer without_arp(const host::Host& host, const host::Link& link, const IpAddr& address) {
  NeighbourAnswer answer;
  answer.kind = NeighbourAnswer::Kind::no_mac_needed;
  if (link.link_type != "ether" || link.flags.has("LOOPBACK") || is_made_without_arp(host, link)) return answer;
  answer.entry = table_entry(host, link.name, address);
  const bool was_set = answer.entry != nullptr && is_usable(*answer.entry);
  answer.kind = was_set ? NeighbourAnswer::Kind::mac : NeighbourAnswer::Kind::arp_off;
  if (was_set) answer.mac = *answer.entry->mac;
  answer.from_dump = was_set;
  return answer;
}

}  // namespace

NeighbourOracle::Exchange NeighbourOracle::exchange(const cluster::Node&, std::string_view, const IpAddr&,
                                                    const std::optional<IpAddr>&) const {
  return Exchange::passes;
}

NeighbourAnswer find_neighbour(const cluster::Node& node, const std::string& device, const IpAddr& address, const IpAddr& source,
                               const NeighbourOracle& oracle, bool by_switch) {
  const host::Link* link = node.host.link(device);
  NeighbourAnswer answer;
  if (link != nullptr && sends_without_arp(*link)) return without_arp(node.host, *link, address);
  if (const auto mac = group_mac(link, address)) {
    answer.kind = NeighbourAnswer::Kind::mac;
    answer.mac = *mac;
    return answer;
  }
  answer.entry = table_entry(node.host, device, address);
  const bool usable = answer.entry != nullptr && is_usable(*answer.entry);
  std::optional<NeighbourOracle::Answer> resolved;
  const auto asker = arp_asker(node.host, device, address, source);
  if (!usable || by_switch) resolved = oracle.resolve(node, device, address, asker);
  const bool was_silent = answer.entry != nullptr && !usable && !by_switch;
  bool stays_silent = was_silent;
  if (resolved && !by_switch) {
    const auto exchange = oracle.exchange(node, device, address, asker);
    answer.may_be_lost = exchange == NeighbourOracle::Exchange::undecided;
    answer.discovery_lost = exchange == NeighbourOracle::Exchange::lost;
    if ((was_silent && resolved->off_link) || answer.discovery_lost) {
      answer.evidence = std::move(resolved->evidence);
      resolved.reset();
      stays_silent = true;
    }
  }
  if (resolved) {
    answer.kind = NeighbourAnswer::Kind::mac;
    answer.mac = resolved->mac;
    answer.by_ovn = resolved->by_ovn;
    answer.evidence = std::move(resolved->evidence);
    answer.conflicts_with_dump = answer.entry != nullptr && !by_switch;
    return answer;
  }
  if (usable) {
    answer.kind = NeighbourAnswer::Kind::mac;
    answer.mac = *answer.entry->mac;
    answer.from_dump = true;
    return answer;
  }
  answer.kind = stays_silent || answer.entry != nullptr ? NeighbourAnswer::Kind::silent : NeighbourAnswer::Kind::unknown;
  return answer;
}

}  // namespace egt::engine
