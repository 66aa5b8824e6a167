// How a packet gets on its way: from a pod, from a process on a node, or from outside the snapshot.
#include <algorithm>

#include "egtrace/engine/host.h"
#include "egtrace/engine/pod_sides.h"
#include "egtrace/engine/routing.h"
#include "egtrace/engine/workload.h"
#include "inconsistencies.h"
#include "pod_stack.h"
#include "segment.h"
#include "walker.h"

namespace egt::engine {
namespace {

using cluster::Node;

std::uint32_t number_of(const openflow::Interface& port) { return port.ofport.value_or(openflow::port::none); }

}  // namespace

Walker::Next Walker::begin(const Start& start, FlowKey& sent) {
  switch (start.from.kind) {
    case Endpoint::Kind::pod: return begin_pod(start, sent);
    case Endpoint::Kind::process: return begin_process(start, sent);
    case Endpoint::Kind::outside: return begin_outside(start, sent);
  }
  return stop(Verdict::inconclusive, {});
}

// What a pod answers to the address of one of its networks goes where its routes lead, which may be another one. Replaces the port
// by that one's.
std::optional<Arrival> Walker::send_by_other_network(Endpoint& pod, const IpAddr& to) {
  const std::size_t slash = pod.pod.name.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const cluster::Pod* object = cluster_.objects.pods.find(pod.pod.name.substr(0, slash), pod.pod.name.substr(slash + 1));
  if (object == nullptr || object->other_networks.empty()) return std::nullopt;
  const cluster::PodWay way = way_towards(cluster_.objects, *object, to, seen_networks(topology_.workloads()));
  const std::string network = way.on != nullptr ? way.on->network : std::string();
  if (!way.has_route || network == pod.pod.network) return std::nullopt;
  if (way.on != nullptr && !way.on->of_ovn) {
    record_.gap({pod.node->name, Input::pod_devices, {pod.pod.name, way.on->device}});
    Arrival open;
    open.stop = Stop{pod.node->name,
                     Layer::host,
                     {PlaceKind::pod, {pod.pod.name}},
                     {Reason::network_not_of_ovn, {pod.pod.name, network, plugin_of(cluster_.objects, *way.on)}}};
    return open;
  }
  const PodSide side{object, way.on};
  const Workload* other = topology_.workloads().with_id(side.port_name(), pod.node->name);
  if (other == nullptr) return std::nullopt;
  record_.assume({Supposition::pod_sends_by_network, {pod.pod.name, to, network.empty() ? "default" : network}});
  pod.bridge = other->bridge;
  pod.port = other->port;
  pod.pod = other->network;
  return std::nullopt;
}

// A pod's stack sends to the neighbour or to its gateway.
Walker::Next Walker::begin_pod(const Start& start, FlowKey& sent) {
  Endpoint pod = start.from;
  if (auto open = start.answers ? send_by_other_network(pod, dst_ip(start.packet)) : std::nullopt) {
    undecided_ = true;
    sent = start.packet;
    return {{}, std::move(open)};
  }
  note_inconsistencies(*pod.node, cluster::Inconsistency::About::port, pod.port->name, record_);
  FlowKey frame = start.packet;
  if (std::optional<Arrival> refused = no_link(pod, frame)) {
    sent = frame;
    return {{}, std::move(refused)};
  }
  auto hop = topology_.pod_neighbours().next_hop(*pod.node, pod.pod, dst_ip(frame));
  const PodStack stack = pod_stack(*pod.node, pod.pod);
  if (stack.device != nullptr)
    if (std::optional<Next> end = route_in_pod(stack, start, hop, frame)) {
      sent = frame;
      return std::move(*end);
    }
  if (std::optional<Next> end = filter_in_pod(pod, stack, frame, may_open(frame) && !start.answers, true)) {
    sent = frame;
    return std::move(*end);
  }
  const auto own_mac = stack.device != nullptr && stack.device->mac ? stack.device->mac : pod.pod.mac;
  const auto smac = start.smac ? start.smac : own_mac;
  const auto dmac = start.dmac ? start.dmac : hop.mac;
  if (!smac || !dmac) {
    record_.gap({pod.node->name, Input::pod_macs, {pod.pod.name}});
    sent = frame;
    return stop(Verdict::inconclusive,
                {pod.node->name, Layer::host, {PlaceKind::pod, {pod.pod.name}}, {Reason::frame_macs_unknown}});
  }
  if (!start.dmac && hop.by_convention) record_.assume({Supposition::derived_mac, {hop.address, *dmac}});
  frame.set(FieldId::eth_src, smac->value);
  frame.set(FieldId::eth_dst, dmac->value);
  sent = frame;
  if (!pod.port->ofport)
    return gap(*pod.node, Layer::ovs, {Input::port_number, {pod.port->name}}, Reason::pod_port_number_missing);
  if (std::optional<Arrival> refused = check_own_size(pod, frame)) return {{}, std::move(refused)};
  see(*pod.node, pod.port->name, true, frame);
  if (!userspace_datapath(*pod.bridge))  // that has read the frame from the device before the hook
    if (std::optional<Next> stopped = pass_hook(*pod.node, netfilter::Hook::ingress, pod.port->name, frame))
      return std::move(*stopped);
  return {{AtPort{pod.node, pod.bridge, number_of(*pod.port), frame}}, std::nullopt};
}

// What the pod's own addresses, routes and neighbours change of the packet and of where it goes.
std::optional<Walker::Next> Walker::route_in_pod(const PodStack& stack, const Start& start, PodNextHop& hop, FlowKey& packet) {
  const cluster::Node& node = *start.from.node;
  PodRoute route = pod_route(stack, packet);
  if (route.source && start.answers) {
    route.error = "EADDRNOTAVAIL";
    route.why = {Reason::source_not_own, {src_ip(packet)}};
  } else if (route.source) {
    record_.assume(
        {Supposition::pod_socket_unbound, {start.from.pod.name, *route.source, src_ip(packet)}, {}, route.evidence, node.name});
    set_src_ip(packet, *route.source);
  }
  if (route.mac) hop = {route.mac, *route.next_hop, false};
  const bool elsewhere = route.next_hop && route.device != stack.device->name;
  const bool as_usual = !route.next_hop || *route.next_hop == hop.address || route.next_hop->is_link_local();
  if (route.error == nullptr && !elsewhere && as_usual) return std::nullopt;
  for (Assumption& a : route.assumptions) {
    a.node = node.name;
    record_.assume(std::move(a));
  }
  Stop where{node.name, Layer::host, {PlaceKind::pod, {start.from.pod.name}}, std::move(route.why), std::move(route.evidence)};
  if (route.error != nullptr) return refused_in_pod(start, std::move(where), route.error);
  Details about{start.from.pod.name, dst_ip(start.packet)};
  if (elsewhere) {
    record_.gap({node.name, Input::pod_devices, {start.from.pod.name, route.device}});
    about.emplace_back(std::move(route.device));
    where.why = {Reason::pod_sends_by_other, std::move(about)};
    return stop(Verdict::inconclusive, std::move(where));
  }
  hop = {topology_.pod_neighbours().find_mac(node, start.from.pod, *route.next_hop), *route.next_hop, false};
  if (hop.mac) return std::nullopt;
  record_.gap({node.name, Input::owner_of_address, {*route.next_hop}});
  about.emplace_back(*route.next_hop);
  where.why = {Reason::pod_next_hop_unknown, std::move(about)};
  return stop(Verdict::inconclusive, std::move(where));
}

// A process hears of it at once; what answers gets lost.
Walker::Next Walker::refused_in_pod(const Start& start, Stop where, const char* error) {
  if (start.answers) return stop(Verdict::dropped, std::move(where));
  record_.add(where.node, Layer::host, Refused{where.where, where.why, error}, where.evidence);
  Arrival refused;
  refused.verdict = Verdict::rejected;
  refused.refusal_accepted = true;
  refused.stop = std::move(where);
  return {{}, std::move(refused)};
}

// A veth has no carrier where its other end is down: the pod resolves its gateway in vain, and gives up.
std::optional<Arrival> Walker::no_link(const Endpoint& pod, const FlowKey& packet) {
  const host::Link* link = pod.node->host.link(pod.port->name);
  if (link == nullptr || link->is_up()) return std::nullopt;
  sent_ = packet;
  Arrival refused;
  refused.verdict = Verdict::rejected;
  refused.refusal_accepted = ends_connection(packet, "icmp-host-unreachable");
  refused.stop = Stop{pod.node->name, Layer::host, {PlaceKind::pod, {pod.pod.name}}, {Reason::device_down}, {link->from}};
  record_.add(pod.node->name, Layer::host, Refused{refused.stop->where, refused.stop->why, "EHOSTUNREACH"}, {link->from});
  return refused;
}

// The pod's own stack: the host's end of its device has the same MTU. TCP sends segments that fit.
std::optional<Arrival> Walker::check_own_size(const Endpoint& pod, const FlowKey& packet) {
  const host::Link* link = pod.node->host.link(pod.port->name);
  if (link == nullptr || link->mtu == 0) return std::nullopt;
  record_.limit({link->mtu, pod.node->name, link->name, link->from});
  const std::uint32_t bytes = frame_length() - kEthernetHeader;
  if (bytes <= link->mtu || packet.u64(FieldId::nw_proto) == ip_proto::tcp) return std::nullopt;
  if (options_.may_fragment) {
    record_.assume({Supposition::fragmented, {pod.pod.name, link->name, std::uint64_t{link->mtu}}, {}, {link->from}});
    frame_length_ = link->mtu + kEthernetHeader;
    return std::nullopt;
  }
  Arrival refused;
  refused.verdict = Verdict::rejected;
  refused.refusal_accepted = refused.size_learned = true;
  refused.stop = Stop{pod.node->name,
                      Layer::host,
                      {PlaceKind::pod, {pod.pod.name}},
                      {Reason::mtu_exceeded, {std::uint64_t{bytes}, std::uint64_t{link->mtu}, link->name}},
                      {link->from}};
  record_.add(pod.node->name, Layer::host, Refused{refused.stop->where, refused.stop->why, "EMSGSIZE"}, {link->from});
  return refused;
}

Walker::Next Walker::begin_process(const Start& start, FlowKey& sent) {
  const Node& node = *start.from.node;
  sent_ = start.packet;
  HostEngine engine = host(node);
  LocalSend what{start.packet, start.choose_source, start.answers ? start.in_device : ""};
  what.answers = start.answers;
  what.own_ttl = start.own_ttl;
  HostOutcome outcome = engine.send(what);
  see_copies(node, outcome);
  if (outcome.kind == HostOutcome::Kind::transmit) take_length(outcome);
  sent = outcome.sent.value_or(outcome.packet);  // before the host's own NAT
  switch (outcome.kind) {
    case HostOutcome::Kind::delivered: return {{AtProcess{&node, outcome.device, outcome.packet}}, std::nullopt};
    case HostOutcome::Kind::transmit: return {{AtDevice{&node, outcome.device, outcome.packet}}, std::nullopt};
    case HostOutcome::Kind::dropped: return stop(Verdict::dropped, outcome.stop.value_or(Stop{}));
    case HostOutcome::Kind::rejected: {
      Arrival arrival;
      arrival.verdict = Verdict::rejected;
      sent_ = sent;
      arrival.refusal_accepted = ends_connection(sent, outcome.reject_with);
      arrival.stop = outcome.stop;
      if (outcome.answer && sent.u64(FieldId::nw_proto) == ip_proto::tcp && is_lost_at_home(node, *outcome.answer)) {
        arrival.verdict = Verdict::dropped;
        arrival.refusal_accepted = false;
        arrival.stop->why.then.push_back({Reason::error_lost});
      }
      return {{}, arrival};
    }
    case HostOutcome::Kind::inconclusive: break;
  }
  return stop(Verdict::inconclusive, outcome.stop.value_or(Stop{}));
}

// What the host sends to a process of its own passes its rules as well. Of a rule's refusal others are shown at once (EPERM); TCP
// goes on as if nothing had been said.
bool Walker::is_lost_at_home(const Node& node, const LocalSend& refusal) {
  Record aside;
  return HostEngine(node, network_state_, aside, chooser_, topology_.neighbours(), host_options()).send(refusal).kind ==
         HostOutcome::Kind::dropped;
}

// Where a packet comes to a router that sends it on into the cluster: by the device that leads back to its sender, or by the
// only other one. Null where no router does, or more than one.
WireEnd Walker::router_entry(const FlowKey& packet) const {
  WireEnd entry;
  for (const auto& node : cluster_.nodes) {
    if (!node.may_be_router()) continue;
    const auto& roles = node->roles;
    if (std::find(roles.begin(), roles.end(), cluster::Role::router) == roles.end()) continue;
    RouteQuery there = query_for(packet, "lo"), back;
    there.from.reset();
    const RouteAnswer on = find_route(node->host, there);
    if (on.kind != RouteAnswer::Kind::unicast) continue;
    if (entry.node != nullptr) return {};
    back.to = src_ip(packet);
    const RouteAnswer home = find_route(node->host, back);
    entry = {node.get(), home.kind == RouteAnswer::Kind::unicast && home.device != on.device ? home.device : ""};
    std::vector<std::string> others;
    for (const host::Link& link : node->host.links.value)
      if (link.is_up() && link.mac && link.link_type != "loopback" && link.name != on.device && !link.addresses.empty())
        others.push_back(link.name);
    if (entry.device.empty() && others.size() == 1) entry.device = others.front();
    if (entry.device.empty()) return {};
  }
  return entry;
}

Walker::Next Walker::begin_outside(const Start& start, FlowKey& sent) {
  FlowKey packet = start.packet;
  const IpAddr to = dst_ip(packet);
  const Node* node = start.arrive_at.empty() ? topology_.devices().owner(to) : cluster_.node(start.arrive_at);
  sent = packet;
  std::string device = start.in_device;
  Supposition arrives = start.returns             ? Supposition::arrives_where_request_left
                        : start.arrive_at.empty() ? Supposition::arrives_at_owner
                                                  : Supposition::arrives_as_asked;
  if (node == nullptr)
    if (const WireEnd entry = router_entry(packet); entry.node != nullptr) {
      node = entry.node;
      if (device.empty()) device = entry.device;
      arrives = Supposition::arrives_at_router;
    }
  if (node == nullptr) {
    record_.gap({"", Input::entry, {to}});
    return stop(Verdict::inconclusive, {"", Layer::router, {PlaceKind::outside, {to}}, {Reason::entry_node_unknown}});
  }
  std::optional<MacAddr> mac = start.dmac;
  for (const host::Link& link : node->host.links.value)
    for (const host::Address& a : link.addresses)
      if (device.empty() && link.mac && a.prefix.address == to) device = link.name;
  for (const host::Route& r : to.is_v4() ? node->host.routes_v4.value : node->host.routes_v6.value)
    if (device.empty() && r.table == "main" && r.to.length == 0 && !r.next_hops.empty()) device = r.next_hops[0].device;
  const host::Link* link = node->host.link(device);
  if (!mac && link != nullptr) mac = link->mac;
  if (!mac) return gap(*node, Layer::host, {Input::devices}, Reason::entry_device_unknown);
  packet.set(FieldId::eth_dst, mac->value);
  if (start.smac) packet.set(FieldId::eth_src, start.smac->value);
  sent = packet;
  Foot wire{device, {}};
  if (!start.returns) wire = wire_of(topology_.devices(), *node, device, *mac);
  record_.assume({arrives, {node->name, wire.device}});
  record_.add(node->name, Layer::underlay, CrossWire{node->name, wire.device, node->name, wire.device});
  return receive(*node, std::move(wire), std::move(packet));
}

}  // namespace egt::engine
