#include "fib_table.h"

#include <algorithm>
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

std::vector<const Route*> candidates(const std::vector<Route>& routes, std::string_view table, const RouteQuery& q) {
  std::vector<const Route*> found;
  for (const Route& r : routes)
    if (r.to.contains(q.to) && (r.tos.value_or(0) == 0 || *r.tos == q.tos) && host::canonical_table(r.table) == table)
      found.push_back(&r);
  std::stable_sort(found.begin(), found.end(), [](const Route* a, const Route* b) {
    return std::tuple(b->to.length, b->tos.value_or(0), a->metric) < std::tuple(a->to.length, a->tos.value_or(0), b->metric);
  });
  return found;
}

// IPv6 binds link-local and multicast destinations to a device; sockets bound to one are strict in both families. A VRF stands
// for its table, not for a device to leave by (l3mdev_update_flow()).
std::string_view required_device(const host::Host& host, const RouteQuery& q) {
  if (!q.out_device.empty()) return is_vrf(host, q.out_device) ? std::string_view() : q.out_device;
  const bool scoped = !q.to.is_v4() && (q.to.is_link_local() || q.to.is_multicast());
  return scoped && !q.is_local() ? std::string_view(q.in_device) : std::string_view();
}

bool usable(const host::Host& host, const host::NextHop& hop, std::string_view device, Family family) {
  if (hop.dead) return false;
  if (hop.linkdown && ignores_linkdown(host, family, hop.device)) return false;
  return device.empty() || hop.device == device;
}

std::vector<RouteHop> usable_hops(const host::Host& host, const Route& r, const RouteQuery& q) {
  std::vector<RouteHop> hops;
  for (std::size_t i = 0; i < r.next_hops.size(); ++i)
    if (usable(host, r.next_hops[i], required_device(host, q), r.family)) hops.push_back({&r, i});
  return hops;
}

bool is_gateway_route(const Route& r) {
  return std::all_of(r.next_hops.begin(), r.next_hops.end(), [](const auto& h) { return h.via.has_value(); });
}

// Equal IPv6 routes (same prefix and metric): those with gateways share the load, of the others the one by the device
// that the packet came from is preferred.
void add_siblings(const host::Host& host, const std::vector<const Route*>& all, std::size_t first, const RouteQuery& q,
                  TableHit& hit) {
  for (std::size_t i = first + 1; i < all.size(); ++i) {
    const Route& other = *all[i];
    if (other.to != hit.route->to || other.metric != hit.route->metric) break;
    if (other.type != RouteType::unicast) continue;
    const auto hops = usable_hops(host, other, q);
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

}  // namespace

std::optional<TableHit> lookup_in_table(const host::Host& host, std::string_view in_table, const RouteQuery& query) {
  const auto& routes = query.to.is_v4() ? host.routes_v4.value : host.routes_v6.value;
  const auto all = candidates(routes, in_table, query);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Route& r = *all[i];
    // IPv6 binds error routes to lo, so they do not exist for a socket that is bound to another device.
    if (is_error(r.type) && !query.to.is_v4() && !required_device(host, query).empty()) continue;
    if (is_error(r.type)) return TableHit{&r, {}, false};
    TableHit hit{&r, usable_hops(host, r, query), false};
    if (hit.hops.empty() && !r.next_hops.empty()) continue;
    if (hit.hops.empty() && r.type == RouteType::unicast) continue;
    if (r.type == RouteType::unicast && !query.to.is_v4()) add_siblings(host, all, i, query, hit);
    return hit;
  }
  return std::nullopt;
}

}  // namespace egt::engine
