// Wires: which node takes a frame off, and where a frame goes that none takes.
#include <algorithm>

#include "device_checks.h"
#include "egtrace/engine/localnet.h"
#include "inconsistencies.h"
#include "resolved_next_hop.h"
#include "segment.h"
#include "steps.h"
#include "wire_state.h"

namespace egt::engine {
namespace {

using cluster::Node;

// Without ARP, a device sends to its own MAC.
const host::Link* without_arp(const Node& node, const MacAddr& mac) {
  for (const host::Link& link : node.host.links.value)
    if (link.mac == mac && link.flags.has("NOARP")) return &link;
  return nullptr;
}

// The other end of a veth, where it is in the same namespace: ip(8) shows its name then, else its number there ("if7").
const host::Link* veth_peer(const Node& node, std::string_view device) {
  const host::Link* link = node.host.link(device);
  if (link == nullptr || link->kind != "veth" || node.port(device).port != nullptr) return nullptr;
  const host::Link* peer = node.host.link(link->peer);
  return peer != nullptr && peer->kind == "veth" && peer->peer == link->name ? peer : nullptr;
}

// Whether the device sends into the physical network of a pod's switch: below the bridge that a localnet port of the same switch
// leads to, or by an address of its own there.
bool is_on_network_of(const Node& node, const std::string& device, const Workload& pod) {
  const Localnet own = localnet_of(node, pod.network.logical_switch);
  if (own.bridge != nullptr) return std::find(own.uplinks.begin(), own.uplinks.end(), device) != own.uplinks.end();
  const auto in_subnet = [&](const host::Address& a) {
    return std::any_of(pod.network.addresses.begin(), pod.network.addresses.end(),
                       [&](const Prefix& p) { return !a.prefix.is_host() && a.subnet().contains(p.address); });
  };
  const auto& links = node.host.links.value;
  return std::any_of(links.begin(), links.end(), [&](const host::Link& link) {
    return foot_of(node.host, link.name).device == device && std::any_of(link.addresses.begin(), link.addresses.end(), in_subnet);
  });
}

class WireCrossing {
 public:
  WireCrossing(Walk& walk, const OnWire& at) : walk_(walk), at_(at) {}
  Next run();

 private:
  std::size_t choose_taker(const std::vector<WireEnd>& ends) const;
  Next take_off_wire(const WireEnd& end);
  std::optional<Next> cross_physical_network();
  Arrival end_without_taker();
  std::optional<Arrival> lose_frame(const MacAddr& mac);
  std::optional<Arrival> stay_open(const MacAddr& mac);
  Arrival leave_snapshot(const MacAddr& mac);

  Walk& walk_;
  const OnWire& at_;
};

Next WireCrossing::run() {
  if (const host::Link* link = dead_link(*at_.node, at_.device))
    return walk_.log.stop(Verdict::dropped, no_carrier(*at_.node, *link));
  if (const host::Link* peer = veth_peer(*at_.node, at_.device)) return take_off_wire({at_.node, peer->name});
  if (!walk_.packet.is_refusal() && layer_of(*at_.node) == Layer::host)
    walk_.log.set_egress(Egress{at_.node->name, at_.leaves_by.empty() ? at_.device : at_.leaves_by, at_.packet});
  const std::vector<WireEnd> ends = walk_.topology.devices().takers(*at_.node, dst_mac(at_.packet));
  if (!ends.empty()) return take_off_wire(ends[choose_taker(ends)]);
  if (std::optional<Next> crossed = cross_physical_network()) return std::move(*crossed);
  return end_without_taker();
}

std::size_t WireCrossing::choose_taker(const std::vector<WireEnd>& ends) const {
  if (ends.size() == 1) return 0;
  ChoicePoint point;
  point.kind = ChoicePoint::Kind::unknown;
  point.node = at_.node->name;
  point.what = Branch::frame_taker;
  point.about = {dst_mac(at_.packet)};
  for (const WireEnd& end : ends) point.options.push_back({{Alternative::device_of_node, {end.node->name, end.device}}});
  return walk_.chooser.choose(point);
}

Next WireCrossing::take_off_wire(const WireEnd& end) {
  const Node& node = *end.node;
  walk_.record.add(node.name, Layer::underlay, CrossWire{at_.node->name, at_.device, node.name, end.device});
  FlowKey packet = at_.packet;
  Foot wire{end.device, tags_of(packet)};
  if (const auto changed = retagging({at_.node, at_.device}, wire.tags, end)) {
    const VlanTag tag = changed->added ? changed->tags.front() : wire.tags.front();
    const Supposition what = changed->added ? Supposition::access_port_adds_tag : Supposition::access_port_removes_tag;
    walk_.record.assume({what, {std::uint64_t{tag.id}, at_.node->name, at_.device, node.name, end.device}});
    wire.tags = changed->tags;
  }
  while (!tags_of(packet).empty()) pop_tag(packet);
  return receive(walk_, node, std::move(wire), std::move(packet));
}

// To a pod whose switch reaches the network of this wire by a localnet port on its own node.
std::optional<Next> WireCrossing::cross_physical_network() {
  const Workload* pod = workload_with(walk_.topology.workloads(), dst_mac(at_.packet), dst_ip(at_.packet));
  if (pod == nullptr || pod->node == at_.node || walk_.packet.carried() != nullptr) return std::nullopt;
  const Localnet there = localnet_of(*pod->node, pod->network.logical_switch);
  if (there.port == nullptr || !is_on_network_of(*at_.node, at_.device, *pod)) return std::nullopt;
  if (there.mapping == Localnet::Mapping::not_mapped) {
    if (there.lacks_all_patch_ports) walk_.record.assume({Supposition::interfaces_shown, {pod->node->name}});
    return walk_.log.stop(Verdict::dropped, {pod->node->name,
                                             Layer::underlay,
                                             {PlaceKind::bridge, {pod->bridge->name}},
                                             {Reason::localnet_not_mapped, {pod->node->name, there.port->name}},
                                             {there.port->from}});
  }
  std::vector<WireEnd> ends;
  for (const std::string& uplink : there.uplinks) ends.push_back({pod->node, uplink});
  if (ends.empty()) {  // nothing outside has the pod's MAC
    walk_.record.gap({pod->node->name, Input::tunnel_ports});
    return walk_.log.stop(
        Verdict::inconclusive,
        stop_at_device(*at_.node, at_.device, {Reason::pod_address_outside, {dst_ip(at_.packet), pod->network.name}}));
  }
  const WireEnd& end = ends[choose_taker(ends)];
  walk_.record.assume({Supposition::same_physical_network,
                       {there.port->name, at_.node->name, at_.device, end.node->name, end.device},
                       {},
                       {there.port->from}});
  walk_.record.add(end.node->name, Layer::underlay, CrossWire{at_.node->name, at_.device, end.node->name, end.device});
  FlowKey packet = at_.packet;
  Foot wire{end.device, tags_of(packet)};
  while (!tags_of(packet).empty()) pop_tag(packet);
  if (wire.tags.empty() && there.port->tag != 0) {
    wire.tags = {VlanTag{there.port->tag}};
    walk_.record.assume({Supposition::access_port_adds_tag,
                         {std::uint64_t{there.port->tag}, at_.node->name, at_.device, end.node->name, end.device}});
  }
  return receive(walk_, *end.node, std::move(wire), std::move(packet));
}

Arrival WireCrossing::end_without_taker() {
  const MacAddr mac = dst_mac(at_.packet);
  if (mac.is_zero()) {
    return walk_.log.stop(Verdict::inconclusive, stop_at_device(*at_.node, at_.device, {Reason::next_hop_mac_unknown}));
  }
  if (std::optional<Arrival> end = lose_frame(mac)) return std::move(*end);
  if (std::optional<Arrival> end = stay_open(mac)) return std::move(*end);
  return leave_snapshot(mac);
}

// What dumps show to be wrong.
std::optional<Arrival> WireCrossing::lose_frame(const MacAddr& mac) {
  if (const WireEnd dead = walk_.topology.devices().dead_end(*at_.node, mac); dead.node != nullptr) {
    walk_.record.add(dead.node->name, Layer::underlay, CrossWire{at_.node->name, at_.device, dead.node->name, dead.device});
    note_inconsistencies_of_devices(*dead.node, walk_.record);  // another device with this MAC would take the frame
    return walk_.log.stop(Verdict::dropped, stop_at_device(*dead.node, dead.device, {Reason::device_down},
                                                           {dead.node->host.link(dead.device)->from}));
  }
  if (const host::Link* own = without_arp(*at_.node, mac))
    return walk_.log.stop(Verdict::dropped, stop_at_device(*at_.node, at_.device, {Reason::arp_off, {own->name}}, {own->from}));
  const auto hop = resolved_next_hop(walk_.record, mac);
  auto owner =
      hop ? walk_.topology.stale_neighbours().owner_with_other_mac(*at_.node, hop->address, mac, hop->flow) : std::nullopt;
  if (!owner) owner = walk_.topology.stale_neighbours().owner_behind(*at_.node, mac, dst_ip(at_.packet).family);
  if (owner) {
    walk_.record.assume({Supposition::stranger_takes_nothing, {mac}});
    return walk_.log.stop(Verdict::dropped,
                          {at_.node->name,
                           Layer::underlay,
                           {PlaceKind::neighbour, {owner->address, at_.device}},
                           {Reason::neighbour_is_stranger, {mac, owner->address, owner->node->name, owner->mac}},
                           {owner->entry}});
  }
  return std::nullopt;
}

// The host that takes the frame is in no dump, and nothing shows that it is the receiver or on the path there.
std::optional<Arrival> WireCrossing::stay_open(const MacAddr& mac) {
  // No host outside has a pod's address, unless the network is advertised: what takes it is in no dump.
  for (const PodSide& pod : walk_.topology.workloads().objects_with(dst_ip(at_.packet)))
    if (!pod.pod->host_network && walk_.packet.carried() == nullptr)
      return walk_.log.stop(
          Verdict::inconclusive,
          stop_at_device(*at_.node, at_.device, {Reason::pod_address_outside, {dst_ip(at_.packet), pod.pod->full_name()}}));
  if (const Node* near = walk_.topology.devices().neighbour_with(*at_.node, dst_ip(at_.packet));
      near != nullptr && mac != kSomeNeighbour) {
    walk_.record.gap({"", Input::host_with_mac, {mac, at_.node->name, at_.device}});
    return walk_.log.stop(Verdict::inconclusive,
                          stop_at_device(*at_.node, at_.device,
                                         {Reason::next_hop_not_dumped, {mac, near->name, dst_ip(at_.packet), at_.node->name}}));
  }
  return std::nullopt;
}

Arrival WireCrossing::leave_snapshot(const MacAddr& mac) {
  Arrival arrival;
  arrival.verdict = Verdict::delivered;
  arrival.left_snapshot = true;
  arrival.packet = at_.packet;
  arrival.end.kind = Endpoint::Kind::outside;
  arrival.end.address = dst_ip(at_.packet);
  if (walk_.packet.carried() != nullptr) return arrival;
  if (mac == kSomeNeighbour) {
    walk_.record.assume({Supposition::next_hop_delivers, {at_.node->name, at_.device}});
    walk_.record.gap({"", Input::node_with_address, {dst_ip(at_.packet)}});
  } else {
    walk_.record.assume({Supposition::delivered_unchanged, {at_.node->name, at_.device}, {mac}});
    walk_.record.gap({"", Input::host_with_mac, {mac, at_.node->name, at_.device}});
  }
  return arrival;
}

}  // namespace

Next step(Walk& walk, OnWire at) { return WireCrossing(walk, at).run(); }

// A frame on its way up from the wire (__netif_receive_skb_core() of net/core/dev.c).
Next receive(Walk& walk, const Node& node, Foot wire, FlowKey packet) {
  if (const host::Link* link = dead_link(node, wire.device)) return walk.log.stop(Verdict::dropped, no_carrier(node, *link));
  if (const host::Link* link = node.host.link(wire.device); link != nullptr)
    if (std::optional<Arrival> stopped = enter_veth(walk, *link, stop_at_device(node, wire.device, {})))
      return std::move(*stopped);
  clear_pipeline(packet);
  packet.set(FieldId::pkt_mark, 0);
  push_tags(wire.tags, packet);
  return AtHost{&node, std::move(wire.device), std::move(packet)};
}

}  // namespace egt::engine
