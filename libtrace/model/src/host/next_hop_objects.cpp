#include "next_hop_objects.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace egt::host {
namespace {

bool shows_number_alone(const Route& r) {
  return r.nexthop_id != 0 && r.type == RouteType::unicast && r.next_hops.size() == 1 && !r.next_hops[0].via &&
         r.next_hops[0].device.empty();
}

// What an object stands for: the members of a group, or itself.
struct Resolved {
  std::vector<NextHop> hops;
  std::vector<Provenance> from;
  std::vector<std::string> not_modelled;
  bool blackhole = false;
};

class NextHopObjects {
 public:
  explicit NextHopObjects(const std::vector<NextHopObject>& all) {
    for (const NextHopObject& object : all) by_id_.emplace(object.id, &object);
  }

  // None where one is not dumped, or is of a kind that no route may name. A group has no blackhole beside other members (valid_group_nh()
  // of net/ipv4/nexthop.c).
  std::optional<Resolved> resolve(std::uint32_t id) const {
    Resolved r;
    const NextHopObject* object = find(id);
    if (object == nullptr || object->group.empty()) return add(object, 1, r) ? std::optional(std::move(r)) : std::nullopt;
    r.from.push_back(object->from);
    for (const auto& [member, weight] : object->group)
      if (!add(find(member), weight, r)) return std::nullopt;
    return r;
  }

 private:
  const NextHopObject* find(std::uint32_t id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : found->second;
  }

  static bool add(const NextHopObject* object, std::uint32_t weight, Resolved& r) {
    if (object == nullptr || object->for_bridges || !object->group.empty()) return false;
    r.from.push_back(object->from);
    r.not_modelled.insert(r.not_modelled.end(), object->not_modelled.begin(), object->not_modelled.end());
    r.blackhole |= object->blackhole;
    r.hops.push_back(object->hop);
    r.hops.back().weight = weight;
    return true;
  }

  std::unordered_map<std::uint32_t, const NextHopObject*> by_id_;
};

}  // namespace

void resolve_next_hops(const Host& host, std::vector<Route>& routes) {
  if (host.next_hop_objects.value.empty()) return;
  const NextHopObjects objects(host.next_hop_objects.value);
  for (Route& route : routes) {
    if (!shows_number_alone(route)) continue;
    std::optional<Resolved> found = objects.resolve(route.nexthop_id);
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
