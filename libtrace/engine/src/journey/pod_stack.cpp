#include "pod_stack.h"

#include <algorithm>

#include "egtrace/engine/pod_sides.h"
#include "host/refusal.h"
#include "stale_neighbours.h"

namespace egt::engine {
namespace {

using host::Link;
using Kind = RouteAnswer::Kind;

const host::Address* address_of(const Link& link, const IpAddr& address) {
  for (const host::Address& own : link.addresses)
    if (own.prefix.address == address) return &own;
  return nullptr;
}
bool shows_address(const Link& link, const IpAddr& address) { return address_of(link, address) != nullptr; }

// A VM's launcher hands what comes to a tap, by a bridge or by rules: its addresses and routes are not the VM's.
bool is_plain(const host::Host& host) {
  return std::none_of(host.links.value.begin(), host.links.value.end(), [](const Link& link) {
    return link.kind == "bridge" || link.kind == "tun" || link.kind == "macvtap" || !link.master.empty();
  });
}

bool is_of(const Link& link, const PodNetwork& pod, bool by_mac) {
  if (link.link_type == "loopback") return false;
  if (by_mac) return link.mac == pod.mac;
  return std::any_of(pod.addresses.begin(), pod.addresses.end(),
                     [&](const Prefix& own) { return shows_address(link, own.address); });
}

// Nothing where several devices have it.
PodStack only_device(const cluster::Node& node, const PodNetwork& pod, bool by_mac) {
  PodStack found;
  for (const cluster::NetworkNamespace& own : node.namespaces)
    for (const Link& link : own.host.links.value) {
      if (!is_of(link, pod, by_mac)) continue;
      if (found.device != nullptr) return {};
      found = {&own.host, &link};
    }
  return found;
}

// Of several next hops the one by the pod's device.
const RouteHop& hop_by(const RouteAnswer& answer, const Link& device) {
  const auto found =
      std::find_if(answer.hops.begin(), answer.hops.end(), [&](const RouteHop& h) { return h.get().device == device.name; });
  return found == answer.hops.end() ? answer.hops.front() : *found;
}

void set_next_hop(const PodStack& stack, const RouteAnswer& answer, const IpAddr& to, PodRoute& route) {
  const host::NextHop& hop = hop_by(answer, *stack.device).get();
  route.device = std::string(hop.device);
  route.next_hop = hop.via.value_or(to);
  const host::Neighbour* known = route.device == stack.device->name ? stack.neighbour(*route.next_hop) : nullptr;
  if (known != nullptr) route.mac = known->mac;
}

// As the kernel selects it for a socket that is bound to no address.
std::optional<IpAddr> selected_source(const PodStack& stack, const RouteAnswer& answer, const IpAddr& to) {
  const auto hop = std::find_if(answer.hops.begin(), answer.hops.end(),
                                [&](const RouteHop& h) { return h.get().device == stack.device->name; });
  const std::size_t index = hop == answer.hops.end() ? 0 : static_cast<std::size_t>(hop - answer.hops.begin());
  return choose_source(*stack.host, answer, index, to);
}

}  // namespace

bool PodStack::lacks(const IpAddr& address) const { return host->links.present && !host->links.partial && !shows(address); }

bool PodStack::shows(const IpAddr& address) const {
  return host != nullptr && std::any_of(host->links.value.begin(), host->links.value.end(),
                                        [&](const Link& link) { return shows_address(link, address); });
}

const host::Neighbour* PodStack::neighbour(const IpAddr& address) const {
  if (device == nullptr) return nullptr;
  const auto& all = host->neighbours.value;
  const auto found = std::find_if(all.begin(), all.end(), [&](const host::Neighbour& n) {
    return !n.proxy && n.address == address && n.device == device->name && is_usable(n);
  });
  return found == all.end() ? nullptr : &*found;
}

PodStack pod_stack(const cluster::Node& node, const PodNetwork& pod) {
  PodStack found;
  if (pod.mac) found = only_device(node, pod, true);
  if (found.device == nullptr) found = only_device(node, pod, false);
  return found.device != nullptr && is_plain(*found.host) ? found : PodStack{};
}

const host::Address* address_in_pod(const cluster::Node& node, const PodNetwork& pod, const IpAddr& address) {
  const PodStack stack = pod_stack(node, pod);
  if (stack.host == nullptr) return nullptr;
  for (const Link& link : stack.host->links.value)
    if (const host::Address* own = address_of(link, address)) return own;
  return nullptr;
}

PodMtu mtu_of(const PodStack& stack, const cluster::Node& node, const openflow::Interface& port) {
  const bool is_shown = stack.device != nullptr && stack.device->mtu != 0;
  const Link* link = is_shown ? stack.device : node.host.link(port.name);
  return link != nullptr ? PodMtu{link->mtu, link->name, link->from, !is_shown} : PodMtu{};
}

PodRoute pod_route(const PodStack& stack, const FlowKey& packet) {
  PodRoute route;
  const IpAddr to = dst_ip(packet), from = src_ip(packet);
  const auto& routes = to.is_v4() ? stack.host->routes_v4 : stack.host->routes_v6;
  const bool lacks_source = stack.lacks(from);
  RouteAnswer answer;
  answer.device = stack.device->name;
  route.evidence = {stack.device->from};
  if (routes.present && !routes.partial) {
    RouteQuery query = query_for(packet, "lo");
    if (lacks_source) query.from.reset();
    answer = find_route(*stack.host, query);
    if (answer.kind == Kind::unicast && !answer.hops.empty()) {
      set_next_hop(stack, answer, to, route);
      if (answer.route != nullptr) route.mtu = {answer.route->mtu, route.device, answer.route->from};
    } else if (answer.kind != Kind::unknown && answer.kind != Kind::unicast && !answer.is_for_me()) {
      route.error = socket_error(answer);
      route.why = why_no_route(answer, to);
      route.evidence = {answer.route != nullptr ? answer.route->from : routes.from};
    }
    route.assumptions = answer.assumptions;
  } else if (!stack.device->is_up()) {
    route.error = "ENETUNREACH";
    route.why = {Reason::device_down};
  }
  if (route.error == nullptr && lacks_source) route.source = selected_source(stack, answer, to);
  if (route.error == nullptr && lacks_source && !route.source) {
    route.error = "EADDRNOTAVAIL";
    route.why = {Reason::source_not_own, {from}};
  }
  return route;
}

}  // namespace egt::engine
