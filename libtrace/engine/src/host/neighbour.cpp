#include "neighbour.h"

#include <algorithm>

#include "egtrace/engine/link_answer.h"

namespace egt::engine {
namespace {

using host::NeighbourState;
constexpr std::uint64_t kBroadcastMac = 0xffffffffffff, kMulticastMac4 = 0x01005e000000, kMulticastMac6 = 0x333300000000;

bool has_flag(const host::Link& link, std::string_view flag) {
  return std::find(link.flags.begin(), link.flags.end(), flag) != link.flags.end();
}

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

}  // namespace

bool NeighbourOracle::is_exchange_lost(const cluster::Node&, std::string_view, const IpAddr&, const std::optional<IpAddr>&) const { return false; }

NeighbourAnswer find_neighbour(const cluster::Node& node, const std::string& device, const IpAddr& address,
                               const IpAddr& source, const NeighbourOracle& oracle, bool by_switch) {
  const host::Link* link = node.host.link(device);
  NeighbourAnswer answer;
  if (link != nullptr && (has_flag(*link, "NOARP") || has_flag(*link, "LOOPBACK"))) {
    answer.kind = NeighbourAnswer::Kind::no_mac_needed;
    return answer;
  }
  if (const auto mac = group_mac(link, address)) {
    answer.kind = NeighbourAnswer::Kind::mac;
    answer.mac = *mac;
    return answer;
  }
  answer.entry = table_entry(node.host, device, address);
  const bool usable = answer.entry != nullptr && is_usable(*answer.entry);
  std::optional<NeighbourOracle::Answer> heard;
  const auto asker = arp_asker(node.host, device, address, source);
  if (!usable || by_switch) heard = oracle.resolve(node, device, address, asker);
  const bool was_silent = answer.entry != nullptr && !usable && !by_switch;
  if (heard && was_silent && oracle.is_exchange_lost(node, device, address, asker)) heard.reset();
  if (heard) {
    answer.kind = NeighbourAnswer::Kind::mac;
    answer.mac = heard->mac;
    answer.by_ovn = heard->by_ovn;
    answer.contradicts_dump = answer.entry != nullptr && !by_switch;
    return answer;
  }
  if (usable) {
    answer.kind = NeighbourAnswer::Kind::mac;
    answer.mac = *answer.entry->mac;
    answer.from_dump = true;
    return answer;
  }
  answer.kind = answer.entry != nullptr ? NeighbourAnswer::Kind::silent : NeighbourAnswer::Kind::unknown;
  return answer;
}

}  // namespace egt::engine
