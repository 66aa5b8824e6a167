// What a host receives, and which of its devices gets it before its stack does.
#include <algorithm>

#include "bridge_forwarding.h"
#include "device_checks.h"
#include "steps.h"
#include "wire_state.h"

namespace egt::engine {
namespace {

using cluster::Node;
using netfilter::Hook;

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

bool is_for_other_device(const HostOutcome& outcome) {
  return outcome.stop && outcome.stop->why.reason == Reason::mac_not_of_device;
}

// The Linux bridge that the device is, or is a port of where no dump shows the kind of its master.
const host::Link* bridge_of(const host::Host& host, std::string_view device) {
  const host::Link* link = host.link(device);
  if (link == nullptr || link->kind == "bridge") return link;
  const host::Link* master = link->master.empty() || link->master == "ovs-system" ? nullptr : host.link(link->master);
  if (master == nullptr || !master->kind.empty()) return nullptr;
  const bool is_bond_or_vrf = master->flags.has("MASTER");
  return is_bond_or_vrf ? nullptr : master;
}

// A bridge's device shows what PREROUTING has left of the packet, where that has run on the port (br_nf_pre_routing()).
void see_on_bridge(Walk& walk, const AtHost& at, const HostOutcome& outcome, std::size_t before) {
  if (outcome.passed_port && !outcome.on_bridge) return;
  walk.log.see(*at.node, at.device, true, outcome.on_bridge ? outcome.on_bridge->first : at.packet);
  if (walk.packet.is_refusal()) return;
  walk.record.sightings.back().step = outcome.on_bridge ? outcome.on_bridge->second : before;
}

Next enter_switch(Walk& walk, const Node& node, const std::string& device, FlowKey packet) {
  const auto place = node.port(device);
  walk.log.see(node, device, true, packet);
  if (!userspace_datapath(*place.bridge))  // that has read the frame from the device before the hook
    if (std::optional<Next> stopped = pass_hook(walk, node, Hook::ingress, device, packet)) return std::move(*stopped);
  return AtPort{&node, place.bridge, number_of(*place.bridge, *place.port), std::move(packet)};
}

// A stack takes no frame with a VLAN's tag, which is for another host then.
std::optional<Arrival> refuse_tagged(Walk& walk, const Node& node, const std::string& device, const FlowKey& packet) {
  const std::vector<VlanTag> tags = tags_of(packet);
  if (tags.empty()) return std::nullopt;
  walk.log.see(node, device, true, packet);
  const host::Link* link = node.host.link(device);
  if (const host::Link* undecided = link != nullptr ? above(node.host, *link, packet).uncertain : nullptr)
    return walk.log.gap(node, Layer::host, {Input::device_kind, {undecided->name}}, Reason::device_kind_unknown);
  walk.record.assume({Supposition::switch_keeps_tags, {std::uint64_t{tags.front().id}, node.name, device}});
  return walk.log.stop(Verdict::dropped, {node.name,
                                          layer_of(node),
                                          {PlaceKind::device, {device}},
                                          {Reason::vlan_without_device, {std::uint64_t{tags.front().id}, device}},
                                          link != nullptr ? std::vector{link->from} : std::vector<Provenance>{}});
}

// To the switch or the upper device that takes the frame before the host's stack does; none where the stack gets it
// (__netif_receive_skb_core() of net/core/dev.c).
std::optional<Next> climb(Walk& walk, AtHost& at) {
  const Node& node = *at.node;
  const host::Link* link = node.host.link(at.device);
  const Above up = link != nullptr ? above(node.host, *link, at.packet) : Above{};
  if (is_switch_port(node, at.device) && !up.untagged) return enter_switch(walk, node, at.device, at.packet);
  if (link != nullptr && !forwards(*link)) return walk.log.stop(Verdict::dropped, blocked(node, *link));
  if (up.device == nullptr)
    return pop_priority_tag(at.packet) ? climb(walk, at) : refuse_tagged(walk, node, at.device, at.packet);
  walk.log.see(node, at.device, true, at.packet);
  if (std::optional<Next> stopped = pass_hook(walk, node, Hook::ingress, at.device, at.packet)) return std::move(*stopped);
  if (up.untagged) {
    if (up.uncertain != nullptr)
      walk.record.assume({Supposition::vlan_of_name,
                          {up.device->name, std::uint64_t{tags_of(at.packet).front().id}, node.name},
                          {},
                          {up.device->from}});
    pop_tag(at.packet);
  }
  if (up.device->kind == "bridge") {
    const host::Link* own = is_for_host(node, at.packet) ? up.device : nullptr;
    if (std::optional<Arrival> end = filter_vlan(walk, node, *up.device, *link, own, at.packet)) return std::move(*end);
  }
  const std::string port = up.device->kind == "bridge" ? at.device : std::string();
  return AtHost{&node, up.device->name, at.packet, port};
}

// What carries the packets of the sender's network from node to node, where databases do not show what the host does with them.
Stop with_transport(const Walk& walk, Stop stop) {
  const cluster::Transport transport = transport_of(walk.cluster.objects, walk.sender.from.pod.network);
  if (stop.why.reason == Reason::network_host_unknown && transport != cluster::Transport::tunnels)
    stop.why.about.emplace_back(std::uint64_t{transport == cluster::Transport::evpn});
  return stop;
}

// The host answers with an ICMP error or a TCP reset. An ICMP error follows its connection's translations like an answer
// does, so it is walked as one; from the sender's point of view only the tuple matters. Nothing answers a refusal.
Next refuse(Walk& walk, const AtHost& at, HostOutcome outcome) {
  Stop where = outcome.stop.value_or(Stop{});
  walk.record.add(at.node->name, layer_of(*at.node), Refused{where.where, where.why, outcome.reject_with}, where.evidence);
  if (walk.packet.is_refusal() || !outcome.answer) {
    Arrival arrival;
    arrival.verdict = Verdict::dropped;
    arrival.stop = std::move(where);
    return arrival;
  }
  Refusal refusal{at.node, std::move(where), std::move(outcome.reject_with), std::move(*outcome.answer)};
  refusal.quoted = outcome.quoted ? outcome.quoted : tuple_of(at.packet);
  refusal.shows_size = outcome.answer_mtu != 0;
  return refusal;
}

}  // namespace

Next step(Walk& walk, AtHost at) {
  const auto place = at.node->port(at.device);
  if (place.port != nullptr && !userspace_datapath(*place.bridge))  // a tap takes what it is given
    if (std::optional<Arrival> end = check_size(walk, *at.node, at.device)) return std::move(*end);
  if (std::optional<Next> higher = climb(walk, at)) return std::move(*higher);
  const host::Link* link = at.node->host.link(at.device);
  const bool is_bridge = link != nullptr && link->kind == "bridge";
  if (!is_bridge) walk.log.see(*at.node, at.device, true, at.packet);
  const std::size_t before = walk.record.steps.size();
  HostEngine engine = host_of(walk, *at.node);
  HostOutcome outcome = engine.receive(at.device, at.packet);
  if (is_bridge) see_on_bridge(walk, at, outcome, before);
  walk.log.see_copies(*at.node, outcome);
  if (walk.packet.is_refusal())
    walk.packet.quote(outcome.quoted);
  else if (outcome.kind == HostOutcome::Kind::transmit)
    walk.packet.take_size(outcome);
  switch (outcome.kind) {
    case HostOutcome::Kind::delivered: return AtProcess{at.node, at.device, outcome.packet};
    case HostOutcome::Kind::transmit: return AtDevice{at.node, outcome.device, outcome.packet};
    case HostOutcome::Kind::dropped:
      if (const host::Link* bridge = is_for_other_device(outcome) ? bridge_of(at.node->host, at.device) : nullptr)
        return forward_by_bridge(walk, at, *bridge);
      return walk.log.stop(Verdict::dropped, outcome.stop.value_or(Stop{}));
    case HostOutcome::Kind::inconclusive:
      return walk.log.stop(Verdict::inconclusive, with_transport(walk, outcome.stop.value_or(Stop{})));
    case HostOutcome::Kind::rejected: break;
  }
  return refuse(walk, at, std::move(outcome));
}

Next step(Walk& walk, AtProcess at) {
  walk.record.add(at.node->name, layer_of(*at.node), Deliver{at.node->name, false, true});
  Arrival arrival;
  arrival.verdict = Verdict::delivered;
  arrival.end.kind = Endpoint::Kind::process;
  arrival.end.node = at.node;
  arrival.end.bridge = at.taken_by;
  arrival.end.address = dst_ip(at.packet);
  arrival.packet = at.packet;
  return arrival;
}

}  // namespace egt::engine
