#include "start.h"

#include <algorithm>

#include "egtrace/engine/routing.h"
#include "pod_start.h"
#include "returned_refusal.h"
#include "segment.h"
#include "steps.h"

namespace egt::engine {
namespace {

using cluster::Node;

// What the host sends to a process of its own passes its rules as well. Of a rule's refusal others are shown at once (EPERM); TCP
// goes on as if nothing had been said.
bool is_lost_at_home(Walk& walk, const Node& node, const LocalSend& refusal) {
  Record aside;
  return HostEngine(node, walk.network_state, aside, walk.chooser, walk.topology.neighbours(), host_options(walk))
             .send(refusal)
             .kind == HostOutcome::Kind::dropped;
}

Next begin_process(Walk& walk, const Start& start, FlowKey& sent) {
  const Node& node = *start.from.node;
  walk.sender.sent = start.packet;
  HostEngine engine = host_of(walk, node);
  LocalSend what{start.packet, start.choose_source, start.answers ? start.in_device : ""};
  what.answers = start.answers;
  what.own_ttl = start.own_ttl;
  HostOutcome outcome = engine.send(what);
  walk.log.see_copies(node, outcome);
  if (outcome.kind == HostOutcome::Kind::transmit) walk.packet.take_size(outcome);
  sent = outcome.sent.value_or(outcome.packet);  // before the host's own NAT
  switch (outcome.kind) {
    case HostOutcome::Kind::delivered: return AtProcess{&node, outcome.device, outcome.packet};
    case HostOutcome::Kind::transmit: return AtDevice{&node, outcome.device, outcome.packet};
    case HostOutcome::Kind::dropped: return walk.log.stop(Verdict::dropped, outcome.stop.value_or(Stop{}));
    case HostOutcome::Kind::rejected: {
      Arrival arrival;
      arrival.verdict = Verdict::rejected;
      walk.sender.sent = sent;
      arrival.refusal_accepted = ends_connection(sent, sent, outcome.reject_with);
      arrival.stop = outcome.stop;
      if (outcome.answer && sent.u64(FieldId::nw_proto) == ip_proto::tcp && is_lost_at_home(walk, node, *outcome.answer)) {
        arrival.verdict = Verdict::dropped;
        arrival.refusal_accepted = false;
        arrival.stop->why.then.push_back({Reason::error_lost});
      }
      return arrival;
    }
    case HostOutcome::Kind::inconclusive: break;
  }
  return walk.log.stop(Verdict::inconclusive, outcome.stop.value_or(Stop{}));
}

// Where a packet comes to a router that sends it on into the cluster: by the device that leads back to its sender, or by the
// only other one. Null where no router does, or more than one.
WireEnd router_entry(const cluster::Cluster& cluster, const FlowKey& packet) {
  WireEnd entry;
  for (const auto& node : cluster.nodes) {
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

Next begin_outside(Walk& walk, const Start& start, FlowKey& sent) {
  FlowKey packet = start.packet;
  const IpAddr to = dst_ip(packet);
  const Node* node = start.arrive_at.empty() ? walk.topology.devices().owner(to) : walk.cluster.node(start.arrive_at);
  sent = packet;
  std::string device = start.in_device;
  Supposition arrives = start.returns             ? Supposition::arrives_where_request_left
                        : start.arrive_at.empty() ? Supposition::arrives_at_owner
                                                  : Supposition::arrives_as_asked;
  if (node == nullptr)
    if (const WireEnd entry = router_entry(walk.cluster, packet); entry.node != nullptr) {
      node = entry.node;
      if (device.empty()) device = entry.device;
      arrives = Supposition::arrives_at_router;
    }
  if (node == nullptr) {
    walk.record.gap({"", Input::entry, {to}});
    return walk.log.stop(Verdict::inconclusive, {"", Layer::router, {PlaceKind::outside, {to}}, {Reason::entry_node_unknown}});
  }
  std::optional<MacAddr> mac = start.dmac;
  for (const host::Link& link : node->host.links.value)
    for (const host::Address& a : link.addresses)
      if (device.empty() && link.mac && a.prefix.address == to) device = link.name;
  for (const host::Route& r : to.is_v4() ? node->host.routes_v4.value : node->host.routes_v6.value)
    if (device.empty() && r.table == "main" && r.to.length == 0 && !r.next_hops.empty()) device = r.next_hops[0].device;
  const host::Link* link = node->host.link(device);
  if (!mac && link != nullptr) mac = link->mac;
  if (!mac) return walk.log.gap(*node, Layer::host, {Input::devices}, Reason::entry_device_unknown);
  packet.set(FieldId::eth_dst, mac->value);
  if (start.smac) packet.set(FieldId::eth_src, start.smac->value);
  sent = packet;
  Foot wire{device, {}};
  if (!start.returns) wire = wire_of(walk.topology.devices(), *node, device, *mac);
  walk.record.assume({arrives, {node->name, wire.device}});
  walk.record.add(node->name, Layer::underlay, CrossWire{node->name, wire.device, node->name, wire.device});
  return receive(walk, *node, std::move(wire), std::move(packet));
}

}  // namespace

Next begin(Walk& walk, const Start& start, FlowKey& sent) {
  switch (start.from.kind) {
    case Endpoint::Kind::pod: return PodStart(walk, start, sent).run();
    case Endpoint::Kind::process: return begin_process(walk, start, sent);
    case Endpoint::Kind::outside: return begin_outside(walk, start, sent);
  }
  return walk.log.stop(Verdict::inconclusive, {});
}

}  // namespace egt::engine
