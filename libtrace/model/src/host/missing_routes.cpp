// A dump of routes that was cut between two lines looks whole. What the kernel makes of each address of a device that is up
// (fib_add_ifaddr() of net/ipv4/fib_frontend.c, add_addr() and addrconf_prefix_route() of net/ipv6/addrconf.c) shows:
// where a route of an own address or of a device's own network is missing, others may be.
#include <algorithm>

#include "egtrace/host/host.h"

namespace egt::host {
namespace {

bool leads_by(const Route& r, const std::string& device) {
  return std::any_of(r.next_hops.begin(), r.next_hops.end(), [&](const NextHop& hop) { return hop.device == device; });
}

// In whichever table: devices of a VRF have theirs in its own.
bool has_local_route(const std::vector<Route>& routes, const IpAddr& address) {
  return std::any_of(routes.begin(), routes.end(), [&](const Route& r) {
    return (r.type == RouteType::local || r.type == RouteType::anycast) && r.to.contains(address);
  });
}

// Where the kernel's route to a device's network was replaced by another of the same prefix, the dump is not cut.
bool has_connected_route(const std::vector<Route>& routes, const Prefix& network, const std::string& device) {
  return std::any_of(routes.begin(), routes.end(), [&](const Route& r) {
    return r.to.length == network.length && r.to.network() == network.network() &&
           (leads_by(r, device) || r.type != RouteType::unicast);
  });
}

bool makes_network(const Link& link, const Address& a) {
  const std::size_t longest = a.prefix.address.is_v4() ? 31 : 127;
  const bool loopback = link.link_type == "loopback" || a.prefix.address.is_loopback();
  return !loopback && !a.noprefixroute && !a.peer && !a.secondary && a.prefix.length > 0 && a.prefix.length <= longest;
}

// The first address that lacks one in a table that a single dump shows.
const Address* lacks_route(const std::vector<Route>& routes, const std::vector<Link>& links, Family family,
                           const std::set<std::string>& confirmed) {
  const bool shows_local = std::any_of(routes.begin(), routes.end(), [](const Route& r) { return r.type == RouteType::local; });
  for (const Link& link : links) {
    // An address is at work where its device is known to be up and no other host was found to have it.
    if (link.flags.empty() || !link.is_up()) continue;
    for (const Address& a : link.addresses) {
      if (a.prefix.address.family != family || a.tentative) continue;
      if (shows_local && !confirmed.contains("local") && !has_local_route(routes, a.prefix.address)) return &a;
      const bool is_confirmed = link.master.empty() && confirmed.contains("main");  // a VRF has a table of its own
      if (!is_confirmed && makes_network(link, a) && !has_connected_route(routes, a.prefix, link.name)) return &a;
    }
  }
  return nullptr;
}

}  // namespace

void Host::notice_missing_routes(const ConfirmedTables& confirmed) {
  for (const Family family : {Family::v4, Family::v6}) {
    Part<std::vector<Route>>& part = family == Family::v4 ? routes_v4 : routes_v6;
    const Address* a = part.present && !part.partial
                           ? lacks_route(part.value, links.value, family, family == Family::v4 ? confirmed.v4 : confirmed.v6)
                           : nullptr;
    if (a == nullptr) continue;
    part.partial = true;
    addresses_without_route.push_back(*a);
  }
}

}  // namespace egt::host
