#include "ovn_controller/address_on_link.h"

#include <algorithm>

#include "host/neighbour.h"

namespace egt::engine {
namespace {

using ovn::LogicalPort;

constexpr std::string_view kStandIn = "chassisredirect";  // of a router's port that a chassis has, whose switch is that port's

const LogicalPort* port_named(const cluster::Node& node, const std::string& name, bool on_router) {
  const auto& ports = node.ovn.ports;
  const auto found =
      std::find_if(ports.begin(), ports.end(), [&](const LogicalPort& p) { return p.on_router == on_router && p.name == name; });
  return found == ports.end() ? nullptr : &*found;
}

const LogicalPort* switch_port_of(const cluster::Node& node, const LogicalPort& router_port) {
  const auto& ports = node.ovn.ports;
  const auto found =
      std::find_if(ports.begin(), ports.end(), [&](const LogicalPort& p) { return !p.on_router && p.peer == router_port.name; });
  return found == ports.end() ? nullptr : &*found;
}

bool is_on_subnet_of(const IpAddr& address, const LogicalPort& port) {
  return std::any_of(port.addresses.begin(), port.addresses.end(),
                     [&](const Prefix& p) { return !p.is_host() && p.contains(address); });
}

bool has_other_addresses(const LogicalPort* router_port, const IpAddr& address) {
  return router_port != nullptr && !router_port->addresses.empty() &&
         std::none_of(router_port->addresses.begin(), router_port->addresses.end(),
                      [&](const Prefix& p) { return p.address == address; });
}

// A pod's port, or another zone's, of which all addresses are shown.
bool is_of_others(const LogicalPort& port, const IpAddr& address) {
  return (port.type.empty() || port.type == "remote") && !port.may_have_others && has_other_addresses(&port, address);
}

bool no_other_port_has(const cluster::Node& node, const std::string& logical_switch, const IpAddr& address) {
  return std::all_of(node.ovn.ports.begin(), node.ovn.ports.end(), [&](const LogicalPort& p) {
    return p.on_router || p.datapath != logical_switch || is_of_others(p, address) ||
           (!p.peer.empty() && has_other_addresses(port_named(node, p.peer, true), address));
  });
}

}  // namespace

const LogicalPort* port_without_answer(const cluster::Node& node, const IpAddr& address) {
  const LogicalPort* asked = nullptr;
  for (const LogicalPort& port : node.ovn.ports) {
    if (!port.on_router || port.type == kStandIn || !is_on_subnet_of(address, port)) continue;
    const LogicalPort* on_switch = switch_port_of(node, port);
    if (on_switch == nullptr || !no_other_port_has(node, on_switch->datapath, address)) return nullptr;
    asked = on_switch;
  }
  return asked;
}

std::optional<AnsweredAddress> address_on_link(const cluster::Node& node, const NeighbourOracle& neighbours,
                                               const IpAddr& address) {
  for (const ovn::LogicalPort& port : node.ovn.ports)  // a router's port answers for itself
    if (port.on_router && port.mac &&
        std::any_of(port.addresses.begin(), port.addresses.end(), [&](const Prefix& p) { return p.address == address; }))
      return AnsweredAddress{*port.mac,
                             {Supposition::owner_answers_ovn, {address, *port.mac}, {node.name, port.name}, {port.from}}};
  for (const host::Link& link : node.host.links.value)
    for (const host::Address& own : link.addresses) {
      if (own.prefix.is_host() || !own.subnet().contains(address) || own.prefix.address == address) continue;
      const NeighbourAnswer found = find_neighbour(node, link.name, address, own.prefix.address, neighbours);
      if (found.kind != NeighbourAnswer::Kind::mac) continue;
      AnsweredAddress answer{found.mac, {Supposition::owner_answers_ovn, {address, found.mac}, {node.name, link.name}, {}}};
      if (found.from_dump) answer.assumption.evidence.push_back(found.entry->from);
      return answer;
    }
  return std::nullopt;
}

}  // namespace egt::engine
