// What the bridges of Open vSwitch on one node do with a packet, and where that goes which leaves them.
#include "device_stack.h"
#include "egtrace/engine/ovs.h"
#include "egtrace/openflow/tunnel_type.h"
#include "outer_packet.h"
#include "ovn/logical_engine.h"
#include "steps.h"
#include "wire_state.h"

namespace egt::engine {
namespace {

using cluster::Node;
using openflow::Bridge;
using openflow::Interface;

OvsResult run_ovs(Walk& walk, const Node& node, const Bridge& bridge, std::uint32_t ofport, const FlowKey& packet) {
  OvsOptions options;
  options.packet_length = walk.packet.frame_length();
  if (walk.packet.is_refusal()) options.quoted = walk.packet.quoted();
  options.neighbours = &walk.topology.neighbours();
  if (bridge.presumed) walk.log.presume(node);
  if (bridge.by_logical_flows ||
      (walk.options.as_intended && node.ovn.program != nullptr && &bridge == node.integration_bridge()))
    return run_logical_flows({walk.topology.logical(node), node, walk.network_state, walk.record, walk.chooser, options}, bridge,
                             ofport, packet);
  *options.packet_length += tag_bytes(packet);
  OvsEngine engine(walk.sessions, node, walk.network_state, walk.record, walk.chooser, options);
  return engine.run(bridge, ofport, packet);
}

Position position_of(Walk& walk, const Node& node, const OvsEmission& emission) {
  const Interface& port = *emission.port;
  FlowKey packet = emission.packet;
  if (emission.kind == OvsEmission::Kind::tunnel || openflow::is_tunnel_type(port.type))
    return InTunnel{&node, &port, emission.bridge, packet};
  if (const auto peer = node.port(openflow::patch_peer(port)); port.type == "patch" && peer.port != nullptr) {
    walk.record.add(node.name, Layer::ovs, CrossPatch{emission.bridge->name, port.name, peer.bridge->name, peer.port->name});
    return AtPort{&node, peer.bridge, number_of(*peer.bridge, *peer.port), packet, true};
  }
  if (userspace_datapath(*emission.bridge)) packet.set(FieldId::pkt_mark, 0);
  if (port.type == "internal" || port.name == emission.bridge->name) {
    if (ends_tunnel(walk, node, *emission.bridge, port, packet)) return AtProcess{&node, port.name, packet, emission.bridge};
    return AtHost{&node, port.name, packet};
  }
  if (is_workload(port)) {
    Endpoint pod;
    pod.kind = Endpoint::Kind::pod;
    pod.node = &node;
    pod.bridge = emission.bridge;
    pod.port = &port;
    pod.pod = walk.topology.workloads().at(port)->network;
    pod.address = dst_ip(packet);
    return AtPod{std::move(pod), packet};
  }
  return AtDevice{&node, port.name, packet, false, emission.bridge->name};
}

// ovn-controller refused the packet and sent an answer.
Next refuse(Walk& walk, const Node& node, const OvsEmission& answer) {
  const std::string bridge = answer.bridge ? answer.bridge->name : "";
  Stop where{node.name, Layer::ovn, {PlaceKind::bridge, {bridge}}, {Reason::ovn_rejects}};
  std::string with;
  for (const Step& s : walk.record.steps)
    if (const auto* refused = std::get_if<Refused>(&s.kind)) {
      with = refused->with;
      where.where = refused->where;
      where.why = {refused->why.reason, {refused->with}};
      where.evidence = s.evidence;
    }
  if (walk.packet.is_refusal() || answer.port == nullptr) return walk.log.stop(Verdict::dropped, std::move(where));
  Refusal refusal{&node, std::move(where), with, position_of(walk, node, answer), answer.quoted};
  refusal.shows_size = with == "icmp-frag-needed" || with == "icmp6-packet-too-big";
  return refusal;
}

Next go_on(Walk& walk, const Node& node, const OvsResult& result) {
  walk.log.note_undecided(result.undecided);
  Copies places;
  std::optional<Stop> lost;
  for (const OvsEmission& emission : result.emissions) {
    if (std::optional<Stop> stop = lost_at_port(node, emission)) {
      lost = std::move(stop);
      continue;
    }
    if (emission.whole_up_to && !walk.packet.is_refusal()) walk.record.limit(*emission.whole_up_to);
    if (emission.kind == OvsEmission::Kind::controller) continue;
    if (emission.kind == OvsEmission::Kind::rejected) return refuse(walk, node, emission);
    if (walk.packet.is_refusal()) walk.packet.quote(emission.quoted);  // NAT inside the bridges translates the quoted packet too
    places.push_back(position_of(walk, node, emission));
  }
  if (places.size() == 1) return std::move(places.front());
  if (!places.empty()) return places;
  if (lost && !result.undecided) return walk.log.stop(Verdict::dropped, std::move(*lost));
  Stop where = result.stop.value_or(Stop{node.name, Layer::ovs, {}, {Reason::no_output}});
  return walk.log.stop(result.undecided ? Verdict::inconclusive : Verdict::dropped, std::move(where));
}

}  // namespace

Next step(Walk& walk, AtPort at) {
  if (at.ofport == openflow::port::none)  // no dump shows its number: which flows of table 0 match is then not known
    return walk.log.gap(*at.node, Layer::ovs, {Input::port_numbers, {at.bridge->name}}, Reason::input_port_number_missing);
  FlowKey packet = at.packet;
  // The userspace datapath receives frames through sockets and taps: marks of the host do not come along.
  if (userspace_datapath(*at.bridge) && !at.by_patch) packet.set(FieldId::pkt_mark, 0);
  return go_on(walk, *at.node, run_ovs(walk, *at.node, *at.bridge, at.ofport, packet));
}

}  // namespace egt::engine
