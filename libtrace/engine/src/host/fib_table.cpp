#include "fib_table.h"

#include <algorithm>
#include <bitset>
#include <tuple>

#include "rule_selectors.h"
#include "sysctl_view.h"

namespace egt::engine {
namespace {

using host::Route;
using host::RouteType;

bool is_error(RouteType t) {
  return t == RouteType::blackhole || t == RouteType::unreachable || t == RouteType::prohibit || t == RouteType::throw_;
}

struct RouteCandidate {
  const Route* route;
  std::uint8_t sources;  // length of the prefix that the source has to be of
};

// In the order of preference. IPv6 looks first for the longest prefix that has no routes for certain sources, or one for this
// source: where none of a prefix's sources matches, its other routes are skipped with them, but for the default route's. Once a
// route was found and its devices do not fit, the shorter prefixes are all tried (fib6_node_lookup_1() of net/ipv6/ip6_fib.c,
// fib6_backtrack() of net/ipv6/route.c).
std::vector<RouteCandidate> candidates(const std::vector<Route>& routes, std::string_view table, const RouteQuery& q) {
  std::vector<RouteCandidate> found;
  std::bitset<129> with_sources, with_this_source;  // by length of the prefix
  for (const Route& r : routes) {
    if (!r.to.contains(q.to) || (r.tos.value_or(0) != 0 && *r.tos != q.tos) || host::canonical_table(r.table) != table) continue;
    const auto sources = host::sources_of(r);
    const bool fits = !sources || sources->contains(source_in(q));
    if (sources) with_sources.set(r.to.length);
    if (sources && fits) with_this_source.set(r.to.length);
    if (fits) found.push_back({&r, sources ? sources->length : std::uint8_t{0}});
  }
  std::stable_sort(found.begin(), found.end(), [](const RouteCandidate& a, const RouteCandidate& b) {
    return std::tuple(b.route->to.length, b.sources, b.route->tos.value_or(0), a.route->metric) <
           std::tuple(a.route->to.length, a.sources, a.route->tos.value_or(0), b.route->metric);
  });
  const auto is_skipped = [&](const RouteCandidate& c) {
    const std::uint8_t length = c.route->to.length;
    return length != 0 && with_sources[length] && !with_this_source[length];
  };
  found.erase(found.begin(), std::find_if_not(found.begin(), found.end(), is_skipped));
  return found;
}

// IPv6 binds link-local and multicast destinations to a device; sockets bound to one are strict in both families. A VRF stands
// for its table, not for a device to leave by (l3mdev_update_flow()).
std::string_view required_device(const host::Host& host, const RouteQuery& q) {
  if (!q.out_device.empty()) return is_vrf(host, q.out_device) ? std::string_view() : q.out_device;
  const bool scoped = !q.to.is_v4() && (q.to.is_link_local() || q.to.is_multicast());
  return scoped && !q.is_local() ? std::string_view(q.in_device) : std::string_view();
}

bool has_failed(const host::Host& host, const host::NextHop& hop) {
  const auto& known = host.neighbours.value;
  return hop.via && std::any_of(known.begin(), known.end(), [&](const host::Neighbour& n) {
           return n.state == host::NeighbourState::failed && n.address == *hop.via && n.device == hop.device;
         });
}

// Whether a gateway that did not answer will do: not at first where the host is no router of IPv6.
enum class Gateways : std::uint8_t { all, not_failed };

bool usable(const host::Host& host, const host::NextHop& hop, std::string_view device, Family family, Gateways gateways) {
  if (hop.dead || (gateways == Gateways::not_failed && has_failed(host, hop))) return false;
  if (hop.linkdown && ignores_linkdown(host, family, hop.device)) return false;
  return device.empty() || hop.device == device;
}

std::vector<RouteHop> usable_hops(const host::Host& host, const Route& r, const RouteQuery& q, Gateways gateways) {
  std::vector<RouteHop> hops;
  for (std::size_t i = 0; i < r.next_hops.size(); ++i)
    if (usable(host, r.next_hops[i], required_device(host, q), r.family, gateways)) hops.push_back({&r, i});
  return hops;
}

bool is_gateway_route(const Route& r) {
  return std::all_of(r.next_hops.begin(), r.next_hops.end(), [](const auto& h) { return h.via.has_value(); });
}

// Equal IPv6 routes (same prefix and metric): those with gateways share the load, of the others the one by the device
// that the packet came from is preferred.
void add_siblings(const host::Host& host, const std::vector<RouteCandidate>& all, std::size_t first, const RouteQuery& q,
                  Gateways gateways, TableHit& hit) {
  for (std::size_t i = first + 1; i < all.size(); ++i) {
    const Route& other = *all[i].route;
    if (other.to != hit.route->to || other.metric != hit.route->metric || all[i].sources != all[first].sources) break;
    if (other.type != RouteType::unicast) continue;
    const auto hops = usable_hops(host, other, q, gateways);
    if (hops.empty()) continue;
    if (is_gateway_route(*hit.route) && is_gateway_route(other)) {
      hit.hops.insert(hit.hops.end(), hops.begin(), hops.end());
    } else if (hit.hops.front().get().device != q.in_device && hops.front().get().device == q.in_device) {
      hit.route = &other;
      hit.hops = hops;
      hit.ambiguous_device = false;
      return;
    } else if (hit.hops.front().get().device != q.in_device) {
      hit.ambiguous_device = true;
    }
  }
}

std::optional<TableHit> first_usable(const host::Host& host, const std::vector<RouteCandidate>& all, const RouteQuery& query,
                                     Gateways gateways) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Route& r = *all[i].route;
    // IPv6 binds error routes to lo, so they do not exist for a socket that is bound to another device.
    if (is_error(r.type) && !query.to.is_v4() && !required_device(host, query).empty()) continue;
    if (is_error(r.type)) return TableHit{&r, {}, false, {}};
    TableHit hit{&r, usable_hops(host, r, query, gateways), false, {}};
    if (hit.hops.empty() && !r.next_hops.empty()) continue;
    if (hit.hops.empty() && r.type == RouteType::unicast) continue;
    if (r.type == RouteType::unicast && !query.to.is_v4()) add_siblings(host, all, i, query, gateways, hit);
    return hit;
  }
  return std::nullopt;
}

}  // namespace

IpAddr source_in(const RouteQuery& q) { return q.from.value_or(IpAddr{q.to.family, 0}); }

// fib6_table_lookup(): a host that forwards takes gateways as they come (RT6_LOOKUP_F_REACHABLE).
std::optional<TableHit> lookup_in_table(const host::Host& host, std::string_view in_table, const RouteQuery& query) {
  const auto& routes = query.to.is_v4() ? host.routes_v4.value : host.routes_v6.value;
  const auto all = candidates(routes, in_table, query);
  auto hit = first_usable(host, all, query, Gateways::all);
  if (!hit || query.to.is_v4() || plain_setting(host, "net.ipv6.conf.all.forwarding").value != 0) return hit;
  const auto failed =
      std::find_if(hit->hops.begin(), hit->hops.end(), [&](const RouteHop& h) { return has_failed(host, h.get()); });
  if (failed == hit->hops.end()) return hit;
  auto other = first_usable(host, all, query, Gateways::not_failed);
  if (!other) return hit;
  other->skipped = *failed;
  return other;
}

}  // namespace egt::engine
