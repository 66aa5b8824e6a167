#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "inconsistencies.h"

namespace egt::cluster {
namespace {

using About = Inconsistency::About;
using host::Host;
using host::Link;
using host::Route;
using openflow::Datapath;
using openflow::TunnelRoute;

bool is_address_of(const TunnelRoute& r) { return r.local && !r.user && r.destination.is_host(); }

// The switch of the userspace datapath keeps a copy of the kernel's routes of tables main and local (lib/route-table.c). Of both
// sides only what the other must have is compared.
class RouteComparison {
 public:
  RouteComparison(const Host& host, const Datapath& datapath) : host_(host), datapath_(datapath) {
    for (const Link& device : host.links.value) devices_.emplace(device.name, &device);
  }

  // The first address or destination that one of them lacks; empty: they agree.
  std::string difference() const {
    if (const auto address = differing_address()) return address->to_string();
    const Route* route = route_without_copy();
    if (route == nullptr) route = route_by_other_device();
    return route != nullptr ? route->to.to_string() : std::string();
  }

 private:
  const Link* device(std::string_view name) const {
    const auto found = devices_.find(name);
    return found == devices_.end() ? nullptr : found->second;
  }

  bool in_vrf(const Link& device_of) const {
    const Link* master = device_of.master.empty() ? nullptr : device(device_of.master);
    return master != nullptr && master->kind == "vrf";
  }

  // Those of IPv6 appear and go with duplicate address detection, and are not compared.
  std::optional<IpAddr> differing_address() const {
    std::set<IpAddr> of_switch, of_host, expected;
    for (const TunnelRoute& r : datapath_.routes)
      if (is_address_of(r)) of_switch.insert(r.destination.address);
    for (const Route& r : host_.routes_v4.value)  // of a whole prefix, or added by hand
      if (r.type == host::RouteType::local) of_host.insert(r.to.address);
    for (const Link& device_of : host_.links.value)
      for (const host::Address& a : device_of.addresses) {
        of_host.insert(a.prefix.address);
        if (device_of.is_up() && !in_vrf(device_of)) expected.insert(a.prefix.address);
      }
    const auto is_compared = [](const IpAddr& a) { return a.is_v4() && !a.is_loopback(); };
    for (const IpAddr& a : of_switch)
      if (is_compared(a) && !of_host.contains(a)) return a;
    for (const IpAddr& a : expected)
      if (is_compared(a) && !of_switch.contains(a)) return a;
    return std::nullopt;
  }

  const Route* route_without_copy() const {
    std::set<Prefix> copied;
    for (const TunnelRoute& r : datapath_.routes)
      if (!r.user) copied.insert(r.destination.network());
    for (const auto* routes : {&host_.routes_v4, &host_.routes_v6})
      for (const Route& route : routes->value)
        if (!copied.contains(route.to.network()) && is_copied(route)) return &route;
    return nullptr;
  }

  // Of several to one destination the switch has one.
  const Route* route_by_other_device() const {
    std::multimap<Prefix, const Route*> by_destination;
    for (const auto* routes : {&host_.routes_v4, &host_.routes_v6})
      for (const Route& route : routes->value)
        if (is_copied(route)) by_destination.emplace(route.to.network(), &route);
    for (const TunnelRoute& r : datapath_.routes) {
      if (r.user || r.local) continue;
      const auto [first, end] = by_destination.equal_range(r.destination.network());
      const bool agrees =
          std::any_of(first, end, [&](const auto& known) { return known.second->next_hops.front().device == r.device; });
      if (first != end && !agrees) return first->second;
    }
    return nullptr;
  }

  // Routes by one device that is up and has an address for them.
  bool is_copied(const Route& route) const {
    if (route.table != "main" || route.type != host::RouteType::unicast || route.next_hops.size() != 1 ||
        !route.not_modelled.empty())
      return false;
    const host::NextHop& next = route.next_hops.front();
    const Link* out = device(next.device);
    return out != nullptr && out->is_up() && out->has_carrier() && !next.dead && has_source_for(route, *out);
  }

  // The switch leaves out routes for which the device has no address to send from (get_src_addr() in lib/ovs-router.c).
  static bool has_source_for(const Route& route, const Link& out) {
    const auto& via = route.next_hops.front().via;
    return std::any_of(out.addresses.begin(), out.addresses.end(), [&](const host::Address& a) {
      return via ? a.subnet().contains(*via) : a.subnet() == route.to.network();
    });
  }

  const Host& host_;
  const Datapath& datapath_;
  std::unordered_map<std::string_view, const Link*> devices_;
};

const openflow::Bridge* behind_patch(const Node& node, const openflow::Interface& port) {
  const std::string_view peer = openflow::patch_peer(port);
  if (peer.empty()) return nullptr;
  for (const openflow::Bridge& bridge : node.bridges)
    for (const openflow::Interface& other : bridge.interfaces)
      if (other.name == peer) return &bridge;
  return nullptr;
}

bool of_other_type(const openflow::Bridge& a, const openflow::Bridge* b) {
  return b != nullptr && !a.datapath_type.empty() && !b->datapath_type.empty() && a.datapath_type != b->datapath_type;
}

}  // namespace

// Patch ports join bridges of one datapath alone.
void look_at_datapath_types(Node& node) {
  for (const openflow::Bridge& bridge : node.bridges)
    for (const openflow::Interface& port : bridge.interfaces)
      if (const openflow::Bridge* other = behind_patch(node, port); of_other_type(bridge, other))
        add_inconsistency(node, {About::bridge, bridge.name, std::nullopt, Conflict::datapath_types, {bridge.name, other->name}});
}

void look_at_switch_routes(Node& node) {
  if (!node.has_userspace_datapath() || !node.datapath.has_routes || !node.host.address_list_complete) return;
  const std::string what = RouteComparison(node.host, node.datapath).difference();
  if (what.empty()) return;
  for (const openflow::Bridge& bridge : node.bridges)
    for (const openflow::Interface& port : bridge.interfaces)
      if (is_tunnel(port)) add_inconsistency(node, {About::port, port.name, std::nullopt, Conflict::routes_of_switch, {what}});
}

}  // namespace egt::cluster
