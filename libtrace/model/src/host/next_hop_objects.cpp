#include "next_hop_objects.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace egt::host {
namespace {

bool shows_number_alone(const Route& r) {
  return r.nexthop_id && r.type == RouteType::unicast && r.next_hops.size() == 1 && !r.next_hops[0].via &&
         r.next_hops[0].device.empty();
}

// The members of a group, or the object itself; none where one is not dumped, or is of a kind that no route may name.
struct Resolved {
  std::vector<NextHop> hops;
  std::vector<Provenance> from;
  std::vector<std::string> not_modelled;
  bool blackhole = false;
};

bool add(const Host& host, std::uint32_t id, std::uint32_t weight, Resolved& r) {
  const NextHopObject* object = host.next_hop_object(id);
  if (object == nullptr || object->for_bridges || !object->group.empty()) return false;
  r.from.push_back(object->from);
  r.not_modelled.insert(r.not_modelled.end(), object->not_modelled.begin(), object->not_modelled.end());
  r.blackhole |= object->blackhole;
  r.hops.push_back(object->hop);
  r.hops.back().weight = weight;
  return true;
}

// A group has no blackhole beside other members (valid_group_nh() of net/ipv4/nexthop.c).
std::optional<Resolved> resolve(const Host& host, std::uint32_t id) {
  Resolved r;
  const NextHopObject* object = host.next_hop_object(id);
  if (object == nullptr || object->group.empty()) return add(host, id, 1, r) ? std::optional(std::move(r)) : std::nullopt;
  r.from.push_back(object->from);
  for (const auto& [member, weight] : object->group)
    if (!add(host, member, weight, r)) return std::nullopt;
  return r;
}

}  // namespace

const NextHopObject* Host::next_hop_object(std::uint32_t id) const {
  const auto& all = next_hop_objects.value;
  const auto found = std::find_if(all.begin(), all.end(), [&](const NextHopObject& o) { return o.id == id; });
  return found == all.end() ? nullptr : &*found;
}

void resolve_next_hops(const Host& host, std::vector<Route>& routes) {
  if (host.next_hop_objects.value.empty()) return;
  for (Route& route : routes) {
    if (!shows_number_alone(route)) continue;
    std::optional<Resolved> found = resolve(host, *route.nexthop_id);
    if (!found) continue;
    route.hops_from = std::move(found->from);
    route.not_modelled.insert(route.not_modelled.end(), found->not_modelled.begin(), found->not_modelled.end());
    route.next_hops = std::move(found->hops);
    if (!found->blackhole) continue;
    route.type = RouteType::blackhole;
    route.next_hops.clear();
  }
}

}  // namespace egt::host
