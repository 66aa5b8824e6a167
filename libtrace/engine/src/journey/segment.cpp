#include "journey/segment.h"

#include <algorithm>

#include "egtrace/engine/workload.h"
#include "egtrace/openflow/tunnel_type.h"

namespace egt::engine {
namespace {

using cluster::Node;
using Tags = std::vector<VlanTag>;

// Ports of the bridge, of Linux or of Open vSwitch, whose own device this is.
std::vector<std::string> ports_of(const Node& node, const std::string& device) {
  std::vector<std::string> ports;
  for (const host::Link& link : node.host.links.value)
    if (link.master == device) ports.push_back(link.name);
  const auto place = node.port(device);
  if (place.port == nullptr || is_uplink(*place.bridge, *place.port)) return ports;
  for (const openflow::Interface& port : place.bridge->interfaces)
    if (is_uplink(*place.bridge, port)) ports.push_back(port.name);
  return ports;
}

bool is_bridge(const Node& node, const std::string& device) {
  const host::Link* link = node.host.link(device);
  if (link != nullptr && link->kind == "bridge") return true;
  const auto place = node.port(device);
  return place.port != nullptr && !is_uplink(*place.bridge, *place.port);
}

void collect(const Node& node, std::string_view device, const Tags& inner, int depth, std::vector<Foot>& found) {
  if (depth == 0) return;
  Foot foot = foot_of(node.host, device);
  foot.tags.insert(foot.tags.end(), inner.begin(), inner.end());
  if (!is_bridge(node, foot.device)) return found.push_back(std::move(foot));
  for (const std::string& port : ports_of(node, foot.device)) collect(node, port, foot.tags, depth - 1, found);
}

// Subnets of the devices that send by a wire with these tags.
struct Segment {
  Tags tags;
  std::vector<Prefix> subnets;
};

std::vector<Segment> segments_of(const WireEnd& wire) {
  std::vector<Segment> segments;
  for (const host::Link& link : wire.node->host.links.value)
    for (const host::Address& a : link.addresses) {
      if (a.prefix.is_host() || a.prefix.address.is_link_local() || a.prefix.address.is_loopback()) continue;
      for (const Foot& foot : wires_below(*wire.node, link.name)) {
        if (foot.device != wire.device) continue;
        auto at = std::find_if(segments.begin(), segments.end(), [&](const Segment& s) { return s.tags == foot.tags; });
        if (at == segments.end()) at = segments.insert(at, Segment{foot.tags, {}});
        at->subnets.push_back(a.subnet());
      }
    }
  return segments;
}

bool share(const std::vector<Prefix>& a, const std::vector<Prefix>& b) {
  return std::any_of(a.begin(), a.end(), [&](const Prefix& p) { return std::find(b.begin(), b.end(), p) != b.end(); });
}

const Segment* with_tags(const std::vector<Segment>& segments, const Tags& tags) {
  const auto at = std::find_if(segments.begin(), segments.end(), [&](const Segment& s) { return s.tags == tags; });
  return at == segments.end() ? nullptr : &*at;
}

// Whether a device of the node takes frames off the wire with this tag.
bool knows_tag(const WireEnd& wire, const VlanTag& tag) {
  const auto& links = wire.node->host.links.value;
  return std::any_of(links.begin(), links.end(), [&](const host::Link& link) {
    if (vlan_of(wire.node->host, link) != tag) return false;
    const Foot foot = foot_of(wire.node->host, link.name);
    return foot.device == wire.device;
  });
}

bool has_vlans(const Node& node) {
  const auto& links = node.host.links.value;
  return std::any_of(links.begin(), links.end(), [&](const host::Link& l) { return vlan_of(node.host, l).has_value(); });
}

}  // namespace

bool is_uplink(const openflow::Bridge& bridge, const openflow::Interface& port) {
  return port.type != "internal" && port.type != "patch" && !openflow::is_tunnel_type(port.type) && port.name != bridge.name &&
         !is_workload(port);
}

std::vector<Foot> wires_below(const Node& node, std::string_view device) {
  std::vector<Foot> found;
  collect(node, device, {}, kMostStacked, found);
  return found;
}

Foot wire_of(const DeviceIndex& devices, const Node& node, const std::string& device, const MacAddr& mac) {
  const std::vector<Foot> wires = wires_below(node, device);
  if (wires.size() == 1) return wires.front();
  const std::string owner = devices.device_with(node, mac);
  for (const Foot& wire : wires)
    if (wire.device == owner) return wire;
  return {owner.empty() ? device : owner, {}};
}

std::optional<Retagging> retagging(const WireEnd& from, const Tags& tags, const WireEnd& to) {
  if (tags.empty() && !has_vlans(*to.node)) return std::nullopt;
  if (!tags.empty() && knows_tag(to, tags.front())) return std::nullopt;
  const std::vector<Segment> here = segments_of(from), there = segments_of(to);
  const Segment* own = with_tags(here, tags);
  const Segment* same = nullptr;
  for (const Segment& s : there)
    if (own != nullptr && share(own->subnets, s.subnets)) {
      if (s.tags == tags || same != nullptr) return std::nullopt;  // as it left, or two that nothing distinguishes
      same = &s;
    }
  if (same != nullptr) {
    if (!tags.empty() && !same->tags.empty()) return std::nullopt;  // two VLANs: no access port joins them
    return Retagging{same->tags, tags.empty(), !tags.empty()};
  }
  // A switch of Open vSwitch may expect the tag; and a node that is known to be in other subnets is in another VLAN.
  const bool switches = to.node->port(to.device).port != nullptr;
  if (tags.empty() || switches || (own != nullptr && !there.empty())) return std::nullopt;
  return Retagging{Tags(tags.begin() + 1, tags.end()), false, true};
}

}  // namespace egt::engine
