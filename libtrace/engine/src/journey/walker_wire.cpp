// Devices and wires: what a device sends and receives, and which node takes a frame off the wire.
#include <algorithm>

#include "bridge_vlans.h"
#include "egtrace/engine/host.h"
#include "egtrace/engine/localnet.h"
#include "egtrace/ovn_kubernetes/names.h"
#include "inconsistencies.h"
#include "resolved_next_hop.h"
#include "walker.h"
#include "wire_state.h"

namespace egt::engine {
namespace {

using cluster::Node;
using netfilter::Hook;

// Chains of family netdev (nft(8), "NETDEV ADDRESS FAMILY").
bool has_hook(const Node& node, Hook hook, std::string_view device) {
  for (const netfilter::Table& table : node.host.nft.value.tables)
    for (const netfilter::Chain& chain : table.chains)
      if (chain.hook == hook && chain.device == device) return true;
  return false;
}

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

}  // namespace

const host::Link* dead_link(const Node& node, std::string_view device) {
  const host::Link* link = node.host.link(device);
  return link != nullptr && !link->has_carrier() ? link : nullptr;
}

bool forwards(const host::Link& port) { return port.port_state.empty() || port.port_state == "forwarding"; }

Stop blocked(const Node& node, const host::Link& port) {
  return {node.name,
          Layer::underlay,
          {PlaceKind::device, {port.name}},
          {Reason::bridge_port_blocked, {port.name, port.master, port.port_state}},
          {port.from}};
}

Stop no_carrier(const Node& node, const host::Link& link) {
  return {node.name, Layer::underlay, {PlaceKind::device, {link.name}}, {Reason::no_carrier}, {link.from}};
}

namespace {

// A device that the switch may send by and that has no link: by `ip link`, or else by `ovs-ofctl show` and conf.db.
std::optional<Stop> dead_port(const Node& node, const OvsEmission& e) {
  if (e.kind != OvsEmission::Kind::port || e.port->type == "internal" || e.port->name == e.bridge->name) return std::nullopt;
  if (const host::Link* link = dead_link(node, e.port->name)) return no_carrier(node, *link);
  if (node.host.link(e.port->name) != nullptr || !(e.port->link_down || e.port->port_down)) return std::nullopt;
  return Stop{node.name, Layer::underlay, {PlaceKind::device, {e.port->name}}, {Reason::no_carrier}, {e.port->from}};
}

}  // namespace

std::optional<Stop> lost_at_port(const Node& node, const OvsEmission& e) { return e.cut ? e.cut : dead_port(node, e); }

// Rules of a device that no network stack takes the frame from, or has given it to: of a bridge's port, or below another.
std::optional<Walker::Next> Walker::pass_hook(const Node& node, Hook hook, const std::string& device, FlowKey& packet) {
  if (!has_hook(node, hook, device)) return std::nullopt;
  HostEngine engine = host(node);
  HostOutcome outcome = engine.pass_device(device, hook, packet);
  switch (outcome.kind) {
    case HostOutcome::Kind::delivered:
    case HostOutcome::Kind::transmit: break;
    case HostOutcome::Kind::inconclusive: return stop(Verdict::inconclusive, outcome.stop.value_or(Stop{}));
    case HostOutcome::Kind::dropped:
    case HostOutcome::Kind::rejected: return stop(Verdict::dropped, outcome.stop.value_or(Stop{}));
  }
  see_copies(node, outcome);
  if (outcome.device != device) return Next{{AtDevice{&node, outcome.device, outcome.packet}}, std::nullopt};
  packet = std::move(outcome.packet);
  return std::nullopt;
}

// What is larger is dropped without a word (ovs_vport_send() of net/openvswitch/vport.c, packet_snd() of net/packet).
std::optional<Walker::Next> Walker::check_size(const Node& node, const std::string& device) {
  const host::Link* link = node.host.link(device);
  if (link == nullptr || link->mtu == 0 || answering_) return std::nullopt;
  const FittingSizes fitting = fitting_sizes(link->mtu, esp_);
  record_.limit({fitting.surely, node.name, device, link->from});
  const std::uint32_t bytes = frame_length() - kEthernetHeader;
  if (bytes <= fitting.surely) return std::nullopt;
  if (bytes <= fitting.perhaps) {
    record_.assume({Supposition::encrypted_fits, {std::uint64_t{bytes}, device, node.name}, {}, {link->from}});
    return std::nullopt;
  }
  return stop(Verdict::dropped, {node.name,
                                 Layer::underlay,
                                 {PlaceKind::device, {device}},
                                 {Reason::mtu_exceeded, {std::uint64_t{bytes}, std::uint64_t{fitting.surely}, device}},
                                 {link->from}});
}

Walker::Next Walker::step(AtDevice at) {
  const host::Link* link = at.node->host.link(at.device);
  if (!at.by_stack) {  // taps come last (__dev_queue_xmit(), xmit_one() of net/core/dev.c)
    if (link != nullptr && dead_link(*at.node, at.device) != nullptr) return stop(Verdict::dropped, no_carrier(*at.node, *link));
    if (std::optional<Next> end = check_size(*at.node, at.device)) return std::move(*end);
    if (std::optional<Next> end = pass_hook(*at.node, Hook::egress, at.device, at.packet)) return std::move(*end);
  }
  see(*at.node, at.device, false, at.packet);
  if (const auto place = at.node->port(at.device); place.port != nullptr) {
    const bool from_host = place.port->type == "internal" || place.port->name == place.bridge->name;
    if (from_host) return {{AtPort{at.node, place.bridge, number_of(*place.bridge, *place.port), at.packet}}, std::nullopt};
  }
  if (link != nullptr) return send_below(at, *link);
  return {{OnWire{at.node, at.device, at.packet, at.leaves_by}}, std::nullopt};
}

// Through the device that `device` stands on, if any.
Walker::Next Walker::send_below(const AtDevice& at, const host::Link& device) {
  const std::string leaves_by = at.leaves_by.empty() ? at.device : at.leaves_by;
  if (const host::Link* lower = below(at.node->host, device)) {
    FlowKey packet = at.packet;
    if (const auto legs = joins_legs(device) ? working_legs(at.node->host, device).size() : 1; legs > 1)
      record_.add(at.node->name, layer_of(*at.node),
                  Remark{Notice::one_of_legs,
                         {device.name, device.mode.empty() ? device.kind : device.mode, lower->name, std::uint64_t{legs}}},
                  {device.from});
    if (const auto tag = vlan_of(at.node->host, device)) {
      if (tag->by_name)
        record_.assume({Supposition::vlan_of_name, {device.name, std::uint64_t{tag->id}, at.node->name}, {}, {device.from}});
      push_tag(*tag, packet);
    }
    return {{AtDevice{at.node, lower->name, std::move(packet), false, leaves_by}}, std::nullopt};
  }
  if (has_legs(at.node->host, device)) return stop(Verdict::dropped, no_carrier(*at.node, device));
  if (device.kind == "dummy")  // dummy_xmit() of drivers/net/dummy.c
    return stop(Verdict::dropped,
                {at.node->name, Layer::host, {PlaceKind::device, {device.name}}, {Reason::dummy_device}, {device.from}});
  if (const host::Link* port = device.kind == "bridge" ? blocked_port_of_all(*at.node, at.device) : nullptr)
    return stop(Verdict::dropped, blocked(*at.node, *port));
  if (sends_into_tunnel(at.node->host, device) || is_of_evpn(device.name)) return enter_host_tunnel(at, device, leaves_by);
  if (const Uplink uplink = device.kind == "bridge" ? uplink_of(at.node->host, device) : Uplink{}; uplink.port != nullptr) {
    if (!forwards(*uplink.port)) return stop(Verdict::dropped, blocked(*at.node, *uplink.port));
    FlowKey packet = at.packet;
    if (std::optional<Next> end = filter_vlan(*at.node, device, device, uplink.port, packet)) return std::move(*end);
    if (!uplink.alone)
      record_.assume({Supposition::bridge_sends_by, {device.name, uplink.port->name, at.node->name}, {}, {uplink.port->from}});
    return {{AtDevice{at.node, uplink.port->name, std::move(packet), false, leaves_by}}, std::nullopt};
  }
  return {{OnWire{at.node, at.device, at.packet, leaves_by}}, std::nullopt};
}

// Ends what the VLANs of the bridge's devices do not cover, and gives the frame the tag that it leaves with.
std::optional<Walker::Next> Walker::filter_vlan(const Node& node, const host::Link& bridge, const host::Link& from,
                                                const host::Link* to, FlowKey& packet) {
  if (!bridge.filters_vlans) return std::nullopt;
  BridgedFrame carried = carry_in_vlan(node.host, bridge, from, to, packet);
  carried.evidence.push_back(bridge.from);
  switch (carried.fate) {
    case BridgedFrame::Fate::open:
      record_.assume({Supposition::bridge_passes_vlan, {bridge.name, carried.where, node.name}, {}, std::move(carried.evidence)});
      return std::nullopt;
    case BridgedFrame::Fate::dropped:
      return stop(Verdict::dropped, {node.name,
                                     Layer::underlay,
                                     {PlaceKind::device, {carried.where}},
                                     std::move(carried.why),
                                     std::move(carried.evidence)});
    case BridgedFrame::Fate::carried: break;
  }
  if (to != nullptr)
    record_.add(node.name, layer_of(node),
                Remark{Notice::bridged_vlan, {bridge.name, std::uint64_t{carried.vlan}, from.name, to->name}},
                std::move(carried.evidence));
  packet = std::move(carried.frame);
  return std::nullopt;
}

// `leaves_by`: the device that the route or the switch has chosen. What EVPN routes goes to the MAC of the VTEP (RFC 9135), of which the
// kernel has a neighbour entry from FRR.
Walker::Next Walker::enter_host_tunnel(const AtDevice& at, const host::Link& device, const std::string& leaves_by) {
  if (!is_of_evpn(device.name)) return gap(*at.node, Layer::host, {Input::tunnel_device, {device.name}}, Reason::host_tunnel);
  Cause why{Reason::evpn_not_followed, {leaves_by}};
  std::vector<Provenance> evidence{device.from};
  const auto& entries = at.node->host.neighbours.value;
  const auto vtep = std::find_if(entries.begin(), entries.end(), [&](const host::Neighbour& n) {
    return n.device == leaves_by && n.mac == dst_mac(at.packet) && ovnk::is_evpn_device(ovnk::kEvpnRouted, leaves_by);
  });
  if (vtep != entries.end()) {
    why.about.emplace_back(vtep->address);
    evidence.push_back(vtep->from);
  }
  return open_forwarding(*at.node, device.name, {Input::vxlan_forwarding, {leaves_by}}, std::move(why), std::move(evidence));
}

// A Linux bridge hands frames to the host's own stack only where one of its devices has the MAC (br_handle_frame_finish() of net/bridge);
// the others it forwards.
Walker::Next Walker::forward_by_bridge(const AtHost& at, const host::Link& bridge) {
  if (sends_into_tunnel(at.node->host, bridge) || is_of_evpn(bridge.name))
    return enter_host_tunnel({at.node, bridge.name, at.packet}, bridge, at.by_port.empty() ? at.device : at.by_port);
  return open_forwarding(*at.node, bridge.name, {Input::bridge_forwarding, {bridge.name}},
                         {Reason::bridge_forwards, {dst_mac(at.packet), bridge.name}}, {bridge.from});
}

Walker::Next Walker::open_forwarding(const Node& node, const std::string& device, Statement<Input> missing, Cause why,
                                     std::vector<Provenance> evidence) {
  record_.gap({node.name, missing.kind, std::move(missing.about)});
  return stop(Verdict::inconclusive,
              {node.name, layer_of(node), {PlaceKind::device, {device}}, std::move(why), std::move(evidence)});
}

// --- wires ---------------------------------------------------------------------------------------------------------

Walker::Next Walker::step(OnWire at) {
  if (const host::Link* link = dead_link(*at.node, at.device)) return stop(Verdict::dropped, no_carrier(*at.node, *link));
  if (const host::Link* peer = veth_peer(*at.node, at.device)) return take_off_wire({at.node, peer->name}, at);
  if (!answering_ && layer_of(*at.node) == Layer::host)
    egress_ = Egress{at.node->name, at.leaves_by.empty() ? at.device : at.leaves_by, at.packet};
  const std::vector<WireEnd> ends = topology_.devices().takers(*at.node, dst_mac(at.packet));
  if (!ends.empty()) return take_off_wire(ends[choose_taker(at, ends)], at);
  if (std::optional<Next> crossed = cross_physical_network(at)) return std::move(*crossed);
  return no_taker(at);
}

std::size_t Walker::choose_taker(const OnWire& at, const std::vector<WireEnd>& ends) {
  if (ends.size() == 1) return 0;
  ChoicePoint point;
  point.kind = ChoicePoint::Kind::unknown;
  point.node = at.node->name;
  point.what = Branch::frame_taker;
  point.about = {dst_mac(at.packet)};
  for (const WireEnd& end : ends) point.options.push_back({{Alternative::device_of_node, {end.node->name, end.device}}});
  return chooser_.choose(point);
}

// To a pod whose switch reaches the network of this wire by a localnet port on its own node.
std::optional<Walker::Next> Walker::cross_physical_network(const OnWire& at) {
  const Workload* pod = workload_with(topology_.workloads(), dst_mac(at.packet), dst_ip(at.packet));
  if (pod == nullptr || pod->node == at.node || carried_ != nullptr) return std::nullopt;
  const Localnet there = localnet_of(*pod->node, pod->network.logical_switch);
  if (there.port == nullptr || !is_on_network_of(*at.node, at.device, *pod)) return std::nullopt;
  if (there.mapping == Localnet::Mapping::not_mapped)
    return stop(Verdict::dropped, {pod->node->name,
                                   Layer::underlay,
                                   {PlaceKind::bridge, {pod->bridge->name}},
                                   {Reason::localnet_not_mapped, {pod->node->name, there.port->name}},
                                   {there.port->from}});
  std::vector<WireEnd> ends;
  for (const std::string& uplink : there.uplinks) ends.push_back({pod->node, uplink});
  if (ends.empty()) return std::nullopt;
  const WireEnd& end = ends[choose_taker(at, ends)];
  record_.assume({Supposition::same_physical_network,
                  {there.port->name, at.node->name, at.device, end.node->name, end.device},
                  {},
                  {there.port->from}});
  record_.add(end.node->name, Layer::underlay, CrossWire{at.node->name, at.device, end.node->name, end.device});
  FlowKey packet = at.packet;
  Foot wire{end.device, tags_of(packet)};
  while (!tags_of(packet).empty()) pop_tag(packet);
  if (wire.tags.empty() && there.port->tag != 0) {
    wire.tags = {VlanTag{there.port->tag}};
    record_.assume({Supposition::access_port_adds_tag,
                    {std::uint64_t{there.port->tag}, at.node->name, at.device, end.node->name, end.device}});
  }
  return receive(*end.node, std::move(wire), std::move(packet));
}

Walker::Next Walker::no_taker(const OnWire& at) {
  const MacAddr mac = dst_mac(at.packet);
  if (mac.is_zero()) {
    return stop(Verdict::inconclusive,
                {at.node->name, Layer::underlay, {PlaceKind::device, {at.device}}, {Reason::next_hop_mac_unknown}});
  }
  if (const WireEnd dead = topology_.devices().dead_end(*at.node, mac); dead.node != nullptr) {
    record_.add(dead.node->name, Layer::underlay, CrossWire{at.node->name, at.device, dead.node->name, dead.device});
    note_inconsistencies_of_devices(*dead.node, record_);  // another device with this MAC would take the frame
    return stop(Verdict::dropped, {dead.node->name,
                                   Layer::underlay,
                                   {PlaceKind::device, {dead.device}},
                                   {Reason::device_down},
                                   {dead.node->host.link(dead.device)->from}});
  }
  if (const host::Link* own = without_arp(*at.node, mac))
    return stop(Verdict::dropped,
                {at.node->name, Layer::underlay, {PlaceKind::device, {at.device}}, {Reason::arp_off, {own->name}}, {own->from}});
  const auto hop = resolved_next_hop(record_, mac);
  auto owner = hop ? topology_.stale_neighbours().owner_with_other_mac(*at.node, hop->address, mac, hop->flow) : std::nullopt;
  if (!owner) owner = topology_.stale_neighbours().owner_behind(*at.node, mac, dst_ip(at.packet).family);
  if (owner) {
    record_.assume({Supposition::stranger_takes_nothing, {mac}});
    return stop(Verdict::dropped, {at.node->name,
                                   Layer::underlay,
                                   {PlaceKind::neighbour, {owner->address, at.device}},
                                   {Reason::neighbour_is_stranger, {mac, owner->address, owner->node->name, owner->mac}},
                                   {owner->entry}});
  }
  // Nobody outside has a pod's address, unless the network is advertised: who takes it is in no dump.
  for (const PodSide& pod : topology_.workloads().objects_with(dst_ip(at.packet)))
    if (!pod.pod->host_network && carried_ == nullptr)
      return stop(Verdict::inconclusive, {at.node->name,
                                          Layer::underlay,
                                          {PlaceKind::device, {at.device}},
                                          {Reason::pod_address_outside, {dst_ip(at.packet), pod.pod->full_name()}}});
  if (const Node* near = topology_.devices().neighbour_with(*at.node, dst_ip(at.packet));
      near != nullptr && mac != kSomeNeighbour) {
    record_.gap({"", Input::host_with_mac, {mac, at.node->name, at.device}});
    return stop(Verdict::inconclusive, {at.node->name,
                                        Layer::underlay,
                                        {PlaceKind::device, {at.device}},
                                        {Reason::next_hop_not_dumped, {mac, near->name, dst_ip(at.packet), at.node->name}}});
  }
  Arrival arrival;
  arrival.verdict = Verdict::delivered;
  arrival.left_snapshot = true;
  arrival.packet = at.packet;
  arrival.end.kind = Endpoint::Kind::outside;
  arrival.end.address = dst_ip(at.packet);
  if (carried_ != nullptr) return {{}, arrival};
  if (mac == kSomeNeighbour) {
    record_.assume({Supposition::next_hop_delivers, {at.node->name, at.device}});
    record_.gap({"", Input::node_with_address, {dst_ip(at.packet)}});
  } else {
    record_.assume({Supposition::delivered_unchanged, {at.node->name, at.device}, {mac}});
    record_.gap({"", Input::host_with_mac, {mac, at.node->name, at.device}});
  }
  return {{}, arrival};
}

}  // namespace egt::engine
