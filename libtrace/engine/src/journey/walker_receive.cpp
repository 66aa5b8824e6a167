// What a node takes off a wire, and which of its devices gets it.
#include <algorithm>

#include "segment.h"
#include "walker.h"
#include "wire_state.h"

namespace egt::engine {

using cluster::Node;
using netfilter::Hook;

Walker::Next Walker::take_off_wire(const WireEnd& end, const OnWire& at) {
  const Node& node = *end.node;
  record_.add(node.name, Layer::underlay, CrossWire{at.node->name, at.device, node.name, end.device});
  FlowKey packet = at.packet;
  Foot wire{end.device, tags_of(packet)};
  if (const auto changed = retagging({at.node, at.device}, wire.tags, end)) {
    const VlanTag tag = changed->added ? changed->tags.front() : wire.tags.front();
    const Supposition what = changed->added ? Supposition::access_port_adds_tag : Supposition::access_port_removes_tag;
    record_.assume({what, {std::uint64_t{tag.id}, at.node->name, at.device, node.name, end.device}});
    wire.tags = changed->tags;
  }
  while (!tags_of(packet).empty()) pop_tag(packet);
  return receive(node, std::move(wire), std::move(packet));
}

// A frame on its way up from the wire (__netif_receive_skb_core() of net/core/dev.c).
Walker::Next Walker::receive(const Node& node, Foot wire, FlowKey packet) {
  if (const host::Link* link = dead_link(node, wire.device)) return stop(Verdict::dropped, no_carrier(node, *link));
  // A veth takes no frame that is too large for it (is_skb_forwardable()); of other devices nobody knows.
  if (const host::Link* link = node.host.link(wire.device); link != nullptr && link->kind == "veth")
    if (std::optional<Next> stopped = check_size(node, wire.device)) return std::move(*stopped);
  clear_pipeline(packet);
  packet.set(FieldId::pkt_mark, 0);
  push_tags(wire.tags, packet);
  return {{AtHost{&node, std::move(wire.device), std::move(packet)}}, std::nullopt};
}

namespace {

// A port by which frames come into a switch of Open vSwitch, not one by which they leave it for the host.
bool is_switch_port(const Node& node, const std::string& device) {
  const auto place = node.port(device);
  return place.port != nullptr && place.port->type != "internal" && place.port->name != place.bridge->name;
}

// The bridge's own device takes what is for the host alone; other frames go to other ports (br_handle_frame_finish() of net/bridge).
bool is_for_host(const Node& node, const FlowKey& packet) {
  const MacAddr to = dst_mac(packet);
  const auto& links = node.host.links.value;
  return to.is_multicast() || std::any_of(links.begin(), links.end(), [&](const host::Link& l) { return l.mac == to; });
}

}  // namespace

// To the switch or the upper device that takes the frame before the host's stack does; none where the stack gets it
// (__netif_receive_skb_core() of net/core/dev.c).
std::optional<Walker::Next> Walker::climb(AtHost& at) {
  const Node& node = *at.node;
  const host::Link* link = node.host.link(at.device);
  const Above up = link != nullptr ? above(node.host, *link, at.packet) : Above{};
  if (is_switch_port(node, at.device) && !up.untagged) return enter_switch(node, at.device, at.packet);
  if (link != nullptr && !forwards(*link)) return stop(Verdict::dropped, blocked(node, *link));
  if (up.device == nullptr) return leave_untagged(node, at.device, at.packet);
  see(node, at.device, true, at.packet);
  if (std::optional<Next> stopped = pass_hook(node, Hook::ingress, at.device, at.packet)) return std::move(*stopped);
  if (up.untagged) {
    if (up.uncertain != nullptr)
      record_.assume({Supposition::vlan_of_name,
                      {up.device->name, std::uint64_t{tags_of(at.packet).front().id}, node.name},
                      {},
                      {up.device->from}});
    pop_tag(at.packet);
  }
  if (up.device->kind == "bridge") {
    const host::Link* own = is_for_host(node, at.packet) ? up.device : nullptr;
    if (std::optional<Next> end = filter_vlan(node, *up.device, *link, own, at.packet)) return std::move(*end);
  }
  const std::string port = up.device->kind == "bridge" ? at.device : std::string();
  return Next{{AtHost{&node, up.device->name, at.packet, port}}, std::nullopt};
}

Walker::Next Walker::enter_switch(const Node& node, const std::string& device, FlowKey packet) {
  const auto place = node.port(device);
  see(node, device, true, packet);
  if (!userspace_datapath(*place.bridge))  // that has read the frame from the device before the hook
    if (std::optional<Next> stopped = pass_hook(node, Hook::ingress, device, packet)) return std::move(*stopped);
  return {{AtPort{&node, place.bridge, number_of(*place.bridge, *place.port), std::move(packet)}}, std::nullopt};
}

// A stack takes no frame with a VLAN's tag, which is for another host then; but one with a priority alone (VLAN 0).
std::optional<Walker::Next> Walker::leave_untagged(const Node& node, const std::string& device, FlowKey& packet) {
  const std::vector<VlanTag> tags = tags_of(packet);
  if (tags.empty()) return std::nullopt;
  if (tags.front().id == 0) {
    pop_tag(packet);
    return std::nullopt;
  }
  see(node, device, true, packet);
  const host::Link* link = node.host.link(device);
  if (const host::Link* undecided = link != nullptr ? above(node.host, *link, packet).uncertain : nullptr)
    return gap(node, Layer::host, {Input::device_kind, {undecided->name}}, Reason::device_kind_unknown);
  record_.assume({Supposition::switch_keeps_tags, {std::uint64_t{tags.front().id}, node.name, device}});
  return stop(Verdict::dropped, {node.name,
                                 layer_of(node),
                                 {PlaceKind::device, {device}},
                                 {Reason::vlan_without_device, {std::uint64_t{tags.front().id}, device}},
                                 link != nullptr ? std::vector{link->from} : std::vector<Provenance>{}});
}

}  // namespace egt::engine
