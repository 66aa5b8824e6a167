#include "outer_packet.h"

#include <algorithm>

#include "egtrace/openflow/tunnel_type.h"
#include "egtrace/ovn_kubernetes/names.h"
#include "segment.h"
#include "stale_neighbours.h"
#include "steps.h"

namespace egt::engine {
namespace {

using cluster::Node;
using openflow::Bridge;
using openflow::Interface;

IpAddr remote_of(const InTunnel& at) {
  const std::uint32_t v4 = at.packet.u32(FieldId::tun_dst);
  return v4 != 0 ? IpAddr::v4(v4) : IpAddr::v6(at.packet.get(FieldId::tun_ipv6_dst));
}

FlowKey outer_packet(const InTunnel& at) {
  FlowKey outer;
  const IpAddr remote = remote_of(at);
  outer.set(FieldId::eth_type, remote.is_v4() ? ethertype::ipv4 : ethertype::ipv6);
  set_dst_ip(outer, remote);
  const std::uint16_t port = outer_port(*at.port);
  constexpr std::uint64_t kSomeSourcePort = 49152;  // a hash of the inner packet
  outer.set(FieldId::nw_proto, at.port->type == "stt" ? ip_proto::tcp : port != 0 ? ip_proto::udp : ip_proto::gre);
  outer.set(FieldId::nw_ttl, at.packet.get(FieldId::tun_ttl) != 0 ? at.packet.get(FieldId::tun_ttl) : U128{64});
  outer.set(FieldId::nw_tos, at.packet.get(FieldId::tun_tos));
  if (port != 0) {
    outer.set(FieldId::tp_src, kSomeSourcePort);
    outer.set(FieldId::tp_dst, port);
  }
  if (!userspace_datapath(*at.bridge)) outer.set(FieldId::pkt_mark, at.packet.get(FieldId::pkt_mark));
  if (const auto local = option(*at.port, "local_ip"))
    if (const auto address = IpAddr::parse(*local)) set_src_ip(outer, *address);
  if (at.packet.get(FieldId::tun_src) != 0) set_src_ip(outer, IpAddr::v4(at.packet.u32(FieldId::tun_src)));
  if (at.packet.get(FieldId::tun_ipv6_src) != 0) set_src_ip(outer, IpAddr::v6(at.packet.get(FieldId::tun_ipv6_src)));
  return outer;
}

bool has_address(const host::Host& host, std::string_view device, const IpAddr& address) {
  return std::any_of(host.links.value.begin(), host.links.value.end(), [&](const host::Link& link) {
    return (device.empty() || link.name == device) &&
           std::any_of(link.addresses.begin(), link.addresses.end(),
                       [&](const host::Address& a) { return a.prefix.address == address; });
  });
}

bool lacks_address(const host::Host& host, const IpAddr& address) {
  return host.links.present && !host.links.partial && !has_address(host, "", address);
}

// By options of ovs-monitor-ipsec(8), which ovn-controller sets where NB_Global wants IPsec.
bool is_encrypted(const Interface& port) {
  static constexpr const char* kOptions[] = {"psk", "remote_cert", "remote_name", "ipsec_encapsulation"};
  return std::any_of(std::begin(kOptions), std::end(kOptions), [&](const char* o) { return port.options.contains(o); });
}

// Of nodes that are no chassis of OVN's: Windows ones, as a rule.
const cluster::NodeObject* hybrid_node(const cluster::Objects& objects, const IpAddr& address) {
  for (const cluster::NodeObject& node : objects.nodes)
    if (std::find(node.addresses.begin(), node.addresses.end(), address) != node.addresses.end() &&
        node.annotations.contains(std::string(ovnk::kHybridSubnet)))
      return &node;
  return nullptr;
}

// That no host answers for its address shows nothing: it has no dumps.
bool is_silent_hybrid_node(const cluster::Objects& objects, const Arrival& end, const IpAddr& remote) {
  return end.stop && end.stop->why.reason == Reason::neighbour_unresolved && hybrid_node(objects, remote) != nullptr;
}

}  // namespace

std::optional<std::string> option(const Interface& port, const std::string& key) {
  const auto found = port.options.find(key);
  return found != port.options.end() ? std::optional(found->second) : std::nullopt;
}

// Of types that no OVN uses and whose port nothing else asks for (netdev_vport_class_init() of lib/netdev-vport.c).
std::uint16_t outer_port(const Interface& port) {
  if (const std::uint16_t number = openflow::tunnel_port(port); number != 0) return number;
  if (port.type == "stt") return 7471;
  if (port.type == "lisp") return 4341;
  return port.type == "gtpu" ? 2152 : 0;
}

bool ends_tunnel(const Walk& walk, const Node& node, const Bridge& bridge, const Interface& port, const FlowKey& packet) {
  const InTunnel* carried = walk.packet.carried();
  return carried != nullptr && userspace_datapath(bridge) && packet.u32(FieldId::tp_dst) == outer_port(*carried->port) &&
         has_address(node.host, port.name, dst_ip(packet));
}

std::uint32_t outer_bytes(const InTunnel& inner) {
  return openflow::tunnel_overhead(inner.port->type, remote_of(inner).family) + tag_bytes(inner.packet);
}

OuterPacket::OuterPacket(Walk& walk, const InTunnel& inner) : walk_(walk), inner_(inner), packet_(outer_packet(inner)) {
  walk_.packet.carry(inner);
  if (presumes_ipsec()) walk_.packet.encrypt(unknown_overhead(dst_ip(packet_).family));
}

Encap OuterPacket::encap() const {
  return {inner_.port->type, src_ip(packet_), remote_of(inner_), inner_.packet.u64(FieldId::tun_id)};
}

bool OuterPacket::presumes_ipsec() const { return is_encrypted(*inner_.port) && !inner_.node->host.ipsec_policies.present; }

Stop OuterPacket::at_port(Cause why, const Provenance& evidence) const {
  return stop_at_device(*inner_.node, inner_.port->name, std::move(why), {evidence});
}

Next OuterPacket::send() {
  const Node& node = *inner_.node;
  const IpAddr source = src_ip(packet_);
  const bool choose_source = source.is_unspecified();
  if (!choose_source && lacks_address(node.host, source))
    return walk_.log.stop(Verdict::dropped, at_port({Reason::tunnel_source_missing, {source}}, inner_.port->from));
  if (userspace_datapath(*inner_.bridge) && node.datapath.has_routes) return send_by_switch();
  return send_by_host(choose_source);
}

Next OuterPacket::send_by_host(bool choose_source) {
  const Node& node = *inner_.node;
  const bool by_switch = userspace_datapath(*inner_.bridge);
  LocalSend send{packet_, choose_source, ""};
  send.by_switch = by_switch;
  HostOutcome sent =
      HostEngine(node, walk_.network_state, walk_.record, walk_.chooser, walk_.topology.neighbours(), host_options(walk_))
          .send(send);
  packet_ = sent.sent.value_or(sent.packet);
  switch (sent.kind) {
    case HostOutcome::Kind::transmit: walk_.packet.take_size(sent); break;
    case HostOutcome::Kind::inconclusive: return walk_.log.stop(Verdict::inconclusive, sent.stop.value_or(Stop{}));
    case HostOutcome::Kind::delivered:
      return walk_.log.stop(Verdict::dropped, at_port({Reason::tunnel_to_itself}, inner_.port->from));
    case HostOutcome::Kind::dropped:
    case HostOutcome::Kind::rejected:  // the switch has routes and neighbours of its own, which are not dumped
      return walk_.log.stop(by_switch ? Verdict::inconclusive : Verdict::dropped, sent.stop.value_or(Stop{}));
  }
  if (by_switch && node.port(sent.device).port == nullptr)  // it sends by its bridges alone
    return walk_.log.stop(Verdict::inconclusive, at_port({Reason::tunnel_end_unreachable, {dst_ip(packet_)}}, inner_.port->from));
  if (by_switch) follow_discovery(sent.next_hop.value_or(dst_ip(packet_)), sent.device, inner_.port->from);
  return AtDevice{&node, sent.device, sent.packet};
}

// By the switch's own routes and neighbours (native_tunnel_output() of ofproto/ofproto-dpif-xlate.c). It asks by ARP for a
// neighbour that it does not know, so that the next packet finds who answers.
Next OuterPacket::send_by_switch() {
  const Node& node = *inner_.node;
  const openflow::Datapath& own = node.datapath;
  const IpAddr remote = dst_ip(packet_);
  const auto lost = [&](Cause why, const Provenance& evidence) {
    return walk_.log.stop(Verdict::dropped, at_port(std::move(why), evidence));
  };
  const std::uint32_t mark = inner_.packet.u32(FieldId::pkt_mark);
  const openflow::TunnelRoute* route = own.route(remote, mark);
  if (route == nullptr && mark != 0 && (route = own.route(remote, 0)) != nullptr)
    walk_.record.assume({Supposition::tunnel_route_without_mark, {std::uint64_t{mark}}, {node.name}, {route->from}});
  if (route == nullptr) return lost({Reason::tunnel_end_unreachable, {remote}}, inner_.port->from);
  if (route->local) return lost({Reason::tunnel_to_itself}, route->from);
  if (src_ip(packet_).is_unspecified() && route->source) set_src_ip(packet_, *route->source);
  const IpAddr source = src_ip(packet_);
  if (const openflow::TunnelRoute* home = own.route(source, 0); home == nullptr || !home->local)
    return lost({Reason::tunnel_source_missing, {source}}, inner_.port->from);
  if (node.port(route->device).port == nullptr) return lost({Reason::tunnel_end_unreachable, {remote}}, route->from);
  return send_to_neighbour(*route);
}

Next OuterPacket::send_to_neighbour(const openflow::TunnelRoute& route) {
  const Node& node = *inner_.node;
  const openflow::Datapath& own = node.datapath;
  const IpAddr hop = route.next_hop(dst_ip(packet_));
  const openflow::TunnelNeighbour* known = own.neighbour(hop, node.port(route.device).bridge->name);
  std::optional<MacAddr> mac;
  if (known != nullptr)
    mac = known->mac;
  else if (const auto heard = walk_.topology.neighbours().resolve(node, route.device, hop, src_ip(packet_)))
    mac = heard->mac;
  walk_.record.add(node.name, Layer::underlay, Resolve{hop, mac, route.device, host::NeighbourState::none, known != nullptr},
                   {known != nullptr ? known->from : route.from});
  const Place neighbour{PlaceKind::neighbour, {hop, route.device}};
  if (!mac && own.has_neighbours) {
    walk_.record.assume({Supposition::neighbour_stays_silent, {hop, node.name, route.device}, {}, {route.from}});
    return walk_.log.stop(Verdict::dropped,
                          {node.name, Layer::underlay, neighbour, {Reason::neighbour_unresolved}, {route.from}});
  }
  if (!mac) {
    walk_.record.gap({node.name, Input::switch_neighbours});
    return walk_.log.stop(Verdict::inconclusive, {node.name, Layer::underlay, neighbour, {Reason::neighbour_unknown}});
  }
  if (known == nullptr) follow_discovery(hop, route.device, route.from);
  FlowKey frame = packet_;
  const host::Link* link = node.host.link(route.device);
  frame.set(FieldId::eth_src, link != nullptr && link->mac ? link->mac->value : 0);
  frame.set(FieldId::eth_dst, mac->value);
  return AtDevice{&node, route.device, std::move(frame)};
}

// The switch asks by the flows that the host asks by. A host that has resolved the neighbour shows that an answer comes.
void OuterPacket::follow_discovery(const IpAddr& hop, const std::string& device, const Provenance& line) {
  const Node& node = *inner_.node;
  const auto& known = node.host.neighbours.value;
  if (std::any_of(known.begin(), known.end(),
                  [&](const host::Neighbour& n) { return !n.proxy && n.address == hop && n.device == device && is_usable(n); }))
    return;
  const auto exchange = walk_.topology.neighbours().exchange(node, device, hop, src_ip(packet_));
  if (exchange == NeighbourOracle::Exchange::undecided)
    walk_.record.assume({Supposition::neighbour_discovery_passes, {hop, node.name, device}, {}, {line}});
  if (exchange == NeighbourOracle::Exchange::lost)
    lost_discovery_ = LostDiscovery{
        hop, device, line, walk_.record.steps.size(), walk_.record.sightings.size(), walk_.record.passed_devices.size()};
}

Arrival OuterPacket::or_lost_discovery(Arrival end) {
  const bool is_lost = end.verdict == Verdict::dropped || end.verdict == Verdict::rejected;
  if (!lost_discovery_ || is_lost) return end;
  const Node& node = *inner_.node;
  walk_.record.steps.resize(lost_discovery_->steps);
  walk_.record.sightings.resize(lost_discovery_->sightings);
  walk_.record.passed_devices.resize(lost_discovery_->passed_devices);
  walk_.record.assume({Supposition::no_other_device_answers,
                       {lost_discovery_->hop, node.name, lost_discovery_->device},
                       {},
                       {lost_discovery_->line}});
  return walk_.log.stop(Verdict::dropped, {node.name,
                                           Layer::underlay,
                                           {PlaceKind::neighbour, {lost_discovery_->hop, lost_discovery_->device}},
                                           {Reason::neighbour_discovery_lost, {node.name}},
                                           {lost_discovery_->line}});
}

bool OuterPacket::lacks_dumps(const Arrival& end) const {
  if (end.left_snapshot || is_silent_hybrid_node(walk_.cluster.objects, end, remote_of(inner_))) return true;
  if (end.stop && end.stop->why.reason == Reason::next_hop_not_dumped) return false;
  const auto& gaps = walk_.record.gaps;
  return end.verdict == Verdict::inconclusive &&
         std::all_of(gaps.begin(), gaps.end(), [](const MissingInput& m) { return std::holds_alternative<Input>(m.what); });
}

Next OuterPacket::carry_on(Arrival last) {
  const IpAddr remote = dst_ip(last.left_snapshot ? last.packet : packet_);
  const Node* owner = walk_.topology.devices().owner(remote);
  if (owner == nullptr) return stop_without_owner(remote);
  const Node& from = *inner_.node;
  walk_.record.assume({Supposition::underlay_carries, {from.name, owner->name}});
  walk_.log.set_decided();
  if (last.left_snapshot) {
    const std::string device = walk_.record.sightings.empty() ? "" : walk_.record.sightings.back().device;
    for (const host::Link& link : owner->host.links.value)
      if (link.mac && has_address(owner->host, link.name, remote)) {
        Foot wire = wire_of(walk_.topology.devices(), *owner, link.name, *link.mac);
        last.packet.set(FieldId::eth_dst, link.mac->value);
        walk_.record.add(owner->name, Layer::underlay, CrossWire{from.name, device, owner->name, wire.device});
        return receive(walk_, *owner, std::move(wire), std::move(last.packet));
      }
  }
  Arrival there;
  there.verdict = Verdict::delivered;
  there.end.kind = Endpoint::Kind::process;
  there.end.node = owner;
  there.end.bridge = owner->integration_bridge();  // as if its datapath had taken it
  there.packet = packet_;
  return there;
}

Arrival OuterPacket::stop_without_owner(const IpAddr& remote) {
  const bool shared = walk_.topology.devices().is_shared(remote);
  walk_.record.gap({"", shared ? Input::owner_of_address : Input::node_with_address, {remote}});
  Cause why = shared ? Cause{Reason::address_shared} : Cause{Reason::node_missing, {remote}};
  if (const cluster::NodeObject* other = shared ? nullptr : hybrid_node(walk_.cluster.objects, remote); other != nullptr)
    for (const std::string& fact : {other->name, other->annotations.at(std::string(ovnk::kHybridSubnet))})
      why.about.emplace_back(fact);
  return walk_.log.stop(Verdict::inconclusive, {inner_.node->name, Layer::underlay, {PlaceKind::tunnel_to, {remote}}, why});
}

}  // namespace egt::engine
