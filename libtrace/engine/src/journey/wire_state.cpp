#include "wire_state.h"

#include "position.h"

namespace egt::engine {

using cluster::Node;

const host::Link* dead_link(const Node& node, std::string_view device) {
  const host::Link* link = node.host.link(device);
  return link != nullptr && !link->has_carrier() ? link : nullptr;
}

bool forwards(const host::Link& port) { return port.port_state.empty() || port.port_state == "forwarding"; }

Stop blocked(const Node& node, const host::Link& port) {
  return stop_at_device(node, port.name, {Reason::bridge_port_blocked, {port.name, port.master, port.port_state}}, {port.from});
}

Stop no_carrier(const Node& node, const host::Link& link) {
  return stop_at_device(node, link.name, {Reason::no_carrier}, {link.from});
}

namespace {

// A device that the switch may send by and that has no link: by `ip link`, or else by `ovs-ofctl show` and conf.db.
std::optional<Stop> dead_port(const Node& node, const OvsEmission& e) {
  if (e.kind != OvsEmission::Kind::port || e.port->type == "internal" || e.port->name == e.bridge->name) return std::nullopt;
  if (const host::Link* link = dead_link(node, e.port->name)) return no_carrier(node, *link);
  if (node.host.link(e.port->name) != nullptr || !(e.port->link_down || e.port->port_down)) return std::nullopt;
  return stop_at_device(node, e.port->name, {Reason::no_carrier}, {e.port->from});
}

}  // namespace

std::optional<Stop> lost_at_port(const Node& node, const OvsEmission& e) { return e.cut ? e.cut : dead_port(node, e); }

}  // namespace egt::engine
