#include "egtrace/openflow/datapath.h"

namespace egt::openflow {
namespace {

// One table has the routes of both versions, those of IPv4 as ::ffff:a.b.c.d, so that ::/0 is a route for IPv4 too.
constexpr unsigned kMappedBits = 96;

Prefix as_mapped(const Prefix& p) {
  if (!p.address.is_v4()) return p;
  return Prefix{IpAddr::v6(U128{0xffff} << 32 | p.address.value), static_cast<std::uint8_t>(p.length + kMappedBits)};
}

}  // namespace

const TunnelRoute* Datapath::route(const IpAddr& to, std::uint32_t pkt_mark) const {
  const IpAddr mapped = as_mapped(Prefix::host(to)).address;
  const TunnelRoute* best = nullptr;
  unsigned best_length = 0;
  for (const TunnelRoute& r : routes) {
    const Prefix destination = as_mapped(r.destination);
    if (!destination.contains(mapped) || r.mark.value_or(0) != pkt_mark) continue;
    const bool longer = best && destination.length > best_length;
    const bool preferred = best && destination.length == best_length && r.user && !best->user;
    if (best && !longer && !preferred) continue;
    best = &r;
    best_length = destination.length;
  }
  return best;
}

const TunnelNeighbour* Datapath::neighbour(const IpAddr& address, const std::string& bridge) const {
  for (const TunnelNeighbour& n : neighbours)
    if (n.address == address && n.bridge == bridge) return &n;
  return nullptr;
}

}  // namespace egt::openflow
