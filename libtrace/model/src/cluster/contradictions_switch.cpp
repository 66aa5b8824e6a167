#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "contradictions.h"

namespace egt::cluster {
namespace {

using About = Contradiction::About;
using host::Host;
using host::Link;
using host::Route;

bool in_vrf(const Host& host, const Link& device) {
  const Link* master = device.master.empty() ? nullptr : host.link(device.master);
  return master != nullptr && master->kind == "vrf";
}

// Whether the switch finds an address of the device from which to send by the route; it takes no others (get_src_addr() in
// lib/ovs-router.c).
bool has_source_for(const Route& route, const Link& device) {
  const auto& via = route.next_hops.front().via;
  return std::any_of(device.addresses.begin(), device.addresses.end(), [&](const host::Address& a) {
    return via ? a.subnet().contains(*via) : a.subnet() == route.to.network();
  });
}

// Routes of the kernel that the switch has, too: of table main, by one device that is up and has an address for them.
bool is_copied(const Host& host, const Route& route) {
  if (route.table != "main" || route.type != host::RouteType::unicast || route.next_hops.size() != 1 || !route.not_modelled.empty())
    return false;
  const host::NextHop& next = route.next_hops.front();
  const Link* device = host.link(next.device);
  return device != nullptr && device->is_up() && device->has_carrier() && !next.dead && has_source_for(route, *device);
}

// An address of the machine that the switch does not know for its own, or the reverse.
std::optional<IpAddr> differing_address(const Host& host, const openflow::Datapath& datapath) {
  std::set<IpAddr> own, expected;
  for (const openflow::TunnelRoute& r : datapath.routes)
    if (r.local && !r.user && r.destination.is_host()) own.insert(r.destination.address);
  for (const Link& device : host.links.value)
    for (const host::Address& a : device.addresses) {
      const IpAddr& address = a.prefix.address;
      // The kernel has routes to addresses of devices that are up, and to those of IPv6 once they are verified.
      if (address.is_v4() && device.is_up() && !in_vrf(host, device)) expected.insert(address);
      if (own.contains(address)) own.erase(address), expected.erase(address);
    }
  for (const openflow::TunnelRoute& r : datapath.routes)
    if (r.local) expected.erase(r.destination.address);
  std::erase_if(own, [](const IpAddr& a) { return !a.is_v4() || a.is_loopback(); });
  std::erase_if(expected, [](const IpAddr& a) { return a.is_loopback(); });
  if (!own.empty()) return *own.begin();
  return expected.empty() ? std::nullopt : std::optional(*expected.begin());
}

const Route* route_without_copy(const Host& host, const openflow::Datapath& datapath) {
  std::set<Prefix> copied;
  for (const openflow::TunnelRoute& r : datapath.routes)
    if (!r.user) copied.insert(r.destination.network());
  for (const auto* routes : {&host.routes_v4, &host.routes_v6})
    for (const Route& route : routes->value)
      if (!copied.contains(route.to.network()) && is_copied(host, route)) return &route;
  return nullptr;
}

}  // namespace

// The switch of the userspace datapath keeps a copy of the kernel's routes (lib/route-table.c): where it differs, either dump
// lost lines, or is of another machine or moment.
void look_at_switch_routes(Node& node) {
  const openflow::Datapath& datapath = node.datapath;
  if (!datapath.has_routes || !node.host.address_list_complete) return;
  std::string what;
  if (const auto address = differing_address(node.host, datapath))
    what = address->to_string();
  else if (const Route* route = route_without_copy(node.host, datapath))
    what = route->to.to_string();
  if (what.empty()) return;
  for (const openflow::Bridge& bridge : node.bridges)
    for (const openflow::Interface& port : bridge.interfaces)
      if (is_tunnel(port)) add_contradiction(node, {About::port, port.name, std::nullopt, Conflict::routes_of_switch, {what}});
}

}  // namespace egt::cluster
