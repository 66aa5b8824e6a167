// Devices of a host as they send: by those that they stand on, into a bridge of Open vSwitch, or on a wire.
#include <algorithm>

#include "bridge_forwarding.h"
#include "device_checks.h"
#include "steps.h"
#include "wire_state.h"

namespace egt::engine {
namespace {

using cluster::Node;
using netfilter::Hook;

// A port of the Linux bridge `name`, where none of those with a carrier forwards; null otherwise.
const host::Link* blocked_port_of_all(const Node& node, std::string_view name) {
  const host::Link* blocked_port = nullptr;
  for (const host::Link& port : node.host.links.value) {
    if (port.master != name || !port.has_carrier()) continue;
    if (forwards(port)) return nullptr;
    blocked_port = &port;
  }
  return blocked_port;
}

// Through the device that `device` stands on, if any.
Next send_below(Walk& walk, const AtDevice& at, const host::Link& device) {
  const std::string leaves_by = at.leaves_by.empty() ? at.device : at.leaves_by;
  if (const host::Link* lower = below(at.node->host, device)) {
    FlowKey packet = at.packet;
    if (const auto legs = joins_legs(device) ? working_legs(at.node->host, device).size() : 1; legs > 1)
      walk.record.add(at.node->name, layer_of(*at.node),
                      Remark{Notice::one_of_legs,
                             {device.name, device.mode.empty() ? device.kind : device.mode, lower->name, std::uint64_t{legs}}},
                      {device.from});
    if (const auto tag = vlan_of(at.node->host, device)) {
      if (tag->by_name)
        walk.record.assume({Supposition::vlan_of_name, {device.name, std::uint64_t{tag->id}, at.node->name}, {}, {device.from}});
      push_tag(*tag, packet);
    }
    return AtDevice{at.node, lower->name, std::move(packet), false, leaves_by};
  }
  if (has_legs(at.node->host, device)) return walk.log.stop(Verdict::dropped, no_carrier(*at.node, device));
  if (device.kind == "dummy")  // dummy_xmit() of drivers/net/dummy.c
    return walk.log.stop(Verdict::dropped,
                         {at.node->name, Layer::host, {PlaceKind::device, {device.name}}, {Reason::dummy_device}, {device.from}});
  if (const host::Link* port = device.kind == "bridge" ? blocked_port_of_all(*at.node, at.device) : nullptr)
    return walk.log.stop(Verdict::dropped, blocked(*at.node, *port));
  if (sends_into_tunnel(at.node->host, device) || is_of_evpn(device.name)) return enter_host_tunnel(walk, at, device, leaves_by);
  if (const Uplink uplink = device.kind == "bridge" ? uplink_of(at.node->host, device) : Uplink{}; uplink.port != nullptr) {
    if (!forwards(*uplink.port)) return walk.log.stop(Verdict::dropped, blocked(*at.node, *uplink.port));
    FlowKey packet = at.packet;
    if (std::optional<Arrival> end = filter_vlan(walk, *at.node, device, device, uplink.port, packet)) return std::move(*end);
    if (!uplink.alone)
      walk.record.assume(
          {Supposition::bridge_sends_by, {device.name, uplink.port->name, at.node->name}, {}, {uplink.port->from}});
    return AtDevice{at.node, uplink.port->name, std::move(packet), false, leaves_by};
  }
  return OnWire{at.node, at.device, at.packet, leaves_by};
}

}  // namespace

Next step(Walk& walk, AtDevice at) {
  const host::Link* link = at.node->host.link(at.device);
  if (!at.by_stack) {  // taps come last (__dev_queue_xmit(), xmit_one() of net/core/dev.c)
    if (link != nullptr && dead_link(*at.node, at.device) != nullptr)
      return walk.log.stop(Verdict::dropped, no_carrier(*at.node, *link));
    if (std::optional<Arrival> end = check_size(walk, *at.node, at.device)) return std::move(*end);
    if (std::optional<Next> end = pass_hook(walk, *at.node, Hook::egress, at.device, at.packet)) return std::move(*end);
  }
  walk.log.see(*at.node, at.device, false, at.packet);
  if (const auto place = at.node->port(at.device); place.port != nullptr) {
    const bool from_host = place.port->type == "internal" || place.port->name == place.bridge->name;
    if (from_host) return AtPort{at.node, place.bridge, number_of(*place.bridge, *place.port), at.packet};
  }
  if (link != nullptr) return send_below(walk, at, *link);
  return OnWire{at.node, at.device, at.packet, at.leaves_by};
}

}  // namespace egt::engine
