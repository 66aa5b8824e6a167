// Tunnels: the outer packet is a packet of its own. Its sender is the host, or the switch itself where the datapath is the
// userspace one (lib/netdev-native-tnl.c); it crosses hosts, bridges and routers as any other, and what ends it ends the
// inner one.
#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"
#include "egtrace/engine/host.h"
#include "egtrace/engine/missing_tunnel.h"
#include "egtrace/openflow/tunnel_type.h"
#include "egtrace/ovn_kubernetes/names.h"
#include "inconsistencies.h"
#include "segment.h"
#include "walker.h"

namespace egt::engine {
namespace {

using cluster::Node;
using openflow::Bridge;
using openflow::Interface;

constexpr int kMostTunnels = 4;  // one within the other

FieldId tun_metadata(std::uint8_t index) { return static_cast<FieldId>(static_cast<int>(FieldId::tun_metadata0) + index); }

// Options keep class and type on the wire; each bridge maps them to a tun_metadata field of its own.
void carry_options(const Bridge& from, const Bridge& to, const FlowKey& sent, FlowKey& received) {
  constexpr std::uint8_t kFields = 8;
  if (!from.has_tlv_map || !to.has_tlv_map) {  // not dumped: OVN uses one option, in field 0 on every node
    received.set(FieldId::tun_metadata0, sent.get(FieldId::tun_metadata0));
    return;
  }
  for (const openflow::TlvMapping& here : from.tlv_map)
    for (const openflow::TlvMapping& there : to.tlv_map)
      if (here.option_class == there.option_class && here.type == there.type && here.index < kFields && there.index < kFields)
        received.set(tun_metadata(there.index), sent.get(tun_metadata(here.index)));
}

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

// The device of the host by which the kernel's datapath sends and receives what a tunnel carries.
std::string kernel_device(const Interface& port) {
  if (port.type == "geneve") return fmt::format("genev_sys_{}", outer_port(port));
  if (port.type == "vxlan") return fmt::format("vxlan_sys_{}", outer_port(port));
  return port.type + "_sys";
}

FlowKey outer_packet(const InTunnel& at) {
  FlowKey outer;
  const std::uint32_t remote = at.packet.u32(FieldId::tun_dst);
  outer.set(FieldId::eth_type, remote != 0 ? ethertype::ipv4 : ethertype::ipv6);
  set_dst_ip(outer, remote != 0 ? IpAddr::v4(remote) : IpAddr::v6(at.packet.get(FieldId::tun_ipv6_dst)));
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

// Whether the port receives what has this outer header (tnl_find() of ofproto/tunnel.c).
bool receives(const Interface& port, const Encap& encap, std::uint16_t by_port) {
  if (port.type != encap.type || outer_port(port) != by_port) return false;
  const auto remote = option(port, "remote_ip"), local = option(port, "local_ip");
  if (!remote || (*remote != "flow" && *remote != encap.src.to_string())) return false;
  if (local && *local != "flow" && *local != encap.dst.to_string()) return false;
  const auto key = option(port, port.options.contains("in_key") ? "in_key" : "key");
  const auto number = key ? parse_u64(*key) : std::nullopt;
  return !number || *number == encap.vni;
}

FlowKey inner_packet(const InTunnel& at, const Bridge& receiver, const Encap& encap) {
  FlowKey inner = at.packet;
  clear_pipeline(inner);
  inner.set(FieldId::pkt_mark, 0);
  inner.set(FieldId::tun_id, encap.vni);
  const bool v4 = encap.src.is_v4();
  inner.set(v4 ? FieldId::tun_src : FieldId::tun_ipv6_src, encap.src.value);
  inner.set(v4 ? FieldId::tun_dst : FieldId::tun_ipv6_dst, encap.dst.value);
  carry_options(*at.bridge, receiver, at.packet, inner);
  return inner;
}

bool knows_tunnels(const Node& node) {
  return std::any_of(node.bridges.begin(), node.bridges.end(), [](const Bridge& b) {
    return std::any_of(b.interfaces.begin(), b.interfaces.end(),
                       [](const Interface& p) { return p.options.contains("remote_ip"); });
  });
}

bool reached_a_host(const Arrival& outer) {
  return outer.verdict == Verdict::delivered && !outer.left_snapshot && outer.end.kind == Endpoint::Kind::process;
}

// Whether its path is open for lack of dumps alone, and a healthy network may be assumed. Where a dump shows what decides
// and something speaks against it, the path stays open.
bool lacks_dumps(const Arrival& end, const Record& outer) {
  if (end.left_snapshot) return true;
  if (end.stop && end.stop->why.reason == Reason::next_hop_not_dumped) return false;
  return end.verdict == Verdict::inconclusive && std::all_of(outer.gaps.begin(), outer.gaps.end(), [](const MissingInput& m) {
           return std::holds_alternative<Input>(m.what);
         });
}

// In the userspace datapath packets do not pass the devices of the bridges.
bool passes_unseen(const cluster::Cluster& cluster, const Sighting& s) {
  const Node* node = cluster.node(s.node);
  const auto place = node != nullptr ? node->port(s.device) : cluster::Node::PortPlace{};
  return place.port != nullptr && userspace_datapath(*place.bridge) &&
         (place.port->type == "internal" || place.port->name == place.bridge->name);
}

// Of nodes that are no chassis of OVN's: Windows ones, as a rule.
const cluster::NodeObject* hybrid_node(const cluster::Objects& objects, const IpAddr& address) {
  for (const cluster::NodeObject& node : objects.nodes)
    if (std::find(node.addresses.begin(), node.addresses.end(), address) != node.addresses.end() &&
        node.annotations.contains(std::string(ovnk::kHybridSubnet)))
      return &node;
  return nullptr;
}

// That nobody answers for its address shows nothing: it has no dumps.
bool is_silent_hybrid_node(const cluster::Objects& objects, const Arrival& end, const IpAddr& remote) {
  return end.stop && end.stop->why.reason == Reason::neighbour_unresolved && hybrid_node(objects, remote) != nullptr;
}

// ovs-monitor-ipsec(8) names the two connections of a tunnel by its port.
std::vector<Provenance> lines_of_ipsec(const Node& node, const Interface& port) {
  std::vector<Provenance> lines{port.from};
  for (const host::IpsecConnection& c : node.host.ipsec_connections.value)
    if (c.name.starts_with(port.name + "-in-") || c.name.starts_with(port.name + "-out-")) lines.push_back(c.from);
  return lines;
}

bool tells_of_ipsec(const Step& step) {
  const auto* remark = std::get_if<Remark>(&step.kind);
  return remark != nullptr && remark->kind == Notice::ipsec_encrypts;
}

}  // namespace

Walker::Next Walker::step(InTunnel at) {
  if (tunnels_ == kMostTunnels)
    return stop(Verdict::dropped, {at.node->name, Layer::underlay, {PlaceKind::loop}, {Reason::loop}});
  FlowKey outer = outer_packet(at);
  const IpAddr remote = dst_ip(outer);
  JourneyOptions options = options_;
  const std::uint32_t more = openflow::tunnel_overhead(at.port->type, remote.family) + tag_bytes(at.packet);
  options.packet_length = frame_length() + more;
  options.may_fragment = option(*at.port, "df_default") == "false";
  Record aside;
  aside.wants_misses = record_.wants_misses;
  NetworkState network_state = network_state_;  // connections of the outer packets are of no interest to those of the inner ones
  Walker carrier(cluster_, topology_, sessions_, options, network_state, aside, chooser_);
  carrier.carried_ = &at;
  carrier.tunnels_ = tunnels_ + 1;
  if (is_encrypted(*at.port) && !at.node->host.ipsec_policies.present) carrier.esp_ = unknown_overhead(remote.family);
  Arrival end = carrier.carry(at, outer);
  const Encap encap{at.port->type, src_ip(outer), remote, at.packet.u64(FieldId::tun_id)};
  note_encapsulation(at, encap);
  if (is_encrypted(*at.port) && !at.node->host.ipsec_policies.present)
    record_.assume({Supposition::ipsec_tunnel_up, {at.node->name, remote}, {}, lines_of_ipsec(*at.node, *at.port)});
  record_.tunnels.back().path_shown = !end.left_snapshot && end.verdict != Verdict::inconclusive;
  if (lacks_dumps(end, aside) || is_silent_hybrid_node(cluster_.objects, end, remote))
    end = carrier.carry_on(outer, *at.node, std::move(end));
  undecided_ |= carrier.undecided_;
  adopt(aside, at, encap, reached_a_host(end));
  if (std::optional<SizeLimit> largest = aside.largest; largest && largest->bytes > more) {
    largest->bytes -= more;
    record_.limit(*largest);
  }
  return reached_a_host(end) ? decapsulate(end, at, encap) : lost_in_tunnel(end, encap);
}

// Walks the outer packet. Sets `outer` to it as it is sent.
Arrival Walker::carry(const InTunnel& at, FlowKey& outer) {
  const Node& node = *at.node;
  const Place where{PlaceKind::device, {at.port->name}};
  const bool choose_source = src_ip(outer).is_unspecified();
  if (!choose_source && lacks_address(node.host, src_ip(outer)))
    return *stop(Verdict::dropped,
                 {node.name, Layer::underlay, where, {Reason::tunnel_source_missing, {src_ip(outer)}}, {at.port->from}})
                .arrival;
  const bool by_switch = userspace_datapath(*at.bridge);
  if (by_switch && node.datapath.has_routes) return carry_by_switch(at, outer);
  LocalSend send{outer, choose_source, ""};
  send.by_switch = by_switch;
  HostOutcome sent = HostEngine(node, network_state_, record_, chooser_, topology_.neighbours(), host_options()).send(send);
  outer = sent.sent.value_or(sent.packet);
  switch (sent.kind) {
    case HostOutcome::Kind::transmit: take_length(sent); break;
    case HostOutcome::Kind::inconclusive: return *stop(Verdict::inconclusive, sent.stop.value_or(Stop{})).arrival;
    case HostOutcome::Kind::delivered:
      return *stop(Verdict::dropped, {node.name, Layer::underlay, where, {Reason::tunnel_to_itself}, {at.port->from}}).arrival;
    case HostOutcome::Kind::dropped:
    case HostOutcome::Kind::rejected:  // the switch has routes and neighbours of its own, which are not dumped
      return *stop(by_switch ? Verdict::inconclusive : Verdict::dropped, sent.stop.value_or(Stop{})).arrival;
  }
  if (by_switch && node.port(sent.device).port == nullptr)  // it sends by its bridges alone
    return *stop(Verdict::inconclusive,
                 {node.name, Layer::underlay, where, {Reason::tunnel_end_unreachable, {dst_ip(outer)}}, {at.port->from}})
                .arrival;
  return follow(AtDevice{&node, sent.device, sent.packet}, kMostPlaces);
}

// By the switch's own routes and neighbours (native_tunnel_output() of ofproto/ofproto-dpif-xlate.c). It asks by ARP for a
// neighbour that it does not know, so that the next packet finds who answers.
Arrival Walker::carry_by_switch(const InTunnel& at, FlowKey& outer) {
  const Node& node = *at.node;
  const openflow::Datapath& own = node.datapath;
  const Place where{PlaceKind::device, {at.port->name}};
  const IpAddr remote = dst_ip(outer);
  const auto lost = [&](Cause why, std::vector<Provenance> evidence) {
    return *stop(Verdict::dropped, {node.name, Layer::underlay, where, std::move(why), std::move(evidence)}).arrival;
  };
  const std::uint32_t mark = at.packet.u32(FieldId::pkt_mark);
  const openflow::TunnelRoute* route = own.route(remote, mark);
  if (route == nullptr && mark != 0 && (route = own.route(remote, 0)) != nullptr)
    record_.assume({Supposition::tunnel_route_without_mark, {std::uint64_t{mark}}, {node.name}, {route->from}});
  if (route == nullptr) return lost({Reason::tunnel_end_unreachable, {remote}}, {at.port->from});
  if (route->local) return lost({Reason::tunnel_to_itself}, {route->from});
  if (src_ip(outer).is_unspecified() && route->source) set_src_ip(outer, *route->source);
  const IpAddr source = src_ip(outer);
  if (const openflow::TunnelRoute* home = own.route(source, 0); home == nullptr || !home->local)
    return lost({Reason::tunnel_source_missing, {source}}, {at.port->from});
  if (node.port(route->device).port == nullptr) return lost({Reason::tunnel_end_unreachable, {remote}}, {route->from});
  const IpAddr hop = route->next_hop(remote);
  const openflow::TunnelNeighbour* known = own.neighbour(hop, node.port(route->device).bridge->name);
  std::optional<MacAddr> mac;
  if (known != nullptr)
    mac = known->mac;
  else if (const auto heard = topology_.neighbours().resolve(node, route->device, hop, source))
    mac = heard->mac;
  record_.add(node.name, Layer::underlay, Resolve{hop, mac, route->device, host::NeighbourState::none, known != nullptr},
              {known != nullptr ? known->from : route->from});
  const Place neighbour{PlaceKind::neighbour, {hop, route->device}};
  if (!mac && own.has_neighbours) {
    record_.assume({Supposition::neighbour_stays_silent, {hop, node.name, route->device}, {}, {route->from}});
    return *stop(Verdict::dropped, {node.name, Layer::underlay, neighbour, {Reason::neighbour_unresolved}, {route->from}})
                .arrival;
  }
  if (!mac) {
    record_.gap({node.name, Input::switch_neighbours});
    return *stop(Verdict::inconclusive, {node.name, Layer::underlay, neighbour, {Reason::neighbour_unknown}}).arrival;
  }
  FlowKey frame = outer;
  const host::Link* link = node.host.link(route->device);
  frame.set(FieldId::eth_src, link != nullptr && link->mac ? link->mac->value : 0);
  frame.set(FieldId::eth_dst, mac->value);
  return follow(AtDevice{&node, route->device, std::move(frame)}, kMostPlaces);
}

// Where the snapshot does not show what is between the two nodes: to the one that has the tunnel's remote address.
Arrival Walker::carry_on(const FlowKey& outer, const Node& from, Arrival last) {
  const IpAddr remote = dst_ip(last.left_snapshot ? last.packet : outer);
  const Node* owner = topology_.devices().owner(remote);
  const bool shared = topology_.devices().is_shared(remote);
  if (owner == nullptr) {
    record_.gap({"", shared ? Input::owner_of_address : Input::node_with_address, {remote}});
    Cause why = shared ? Cause{Reason::address_shared} : Cause{Reason::node_missing, {remote}};
    if (const cluster::NodeObject* other = shared ? nullptr : hybrid_node(cluster_.objects, remote); other != nullptr)
      for (const std::string& fact : {other->name, other->annotations.at(std::string(ovnk::kHybridSubnet))})
        why.about.emplace_back(fact);
    return *stop(Verdict::inconclusive, {from.name, Layer::underlay, {PlaceKind::tunnel_to, {remote}}, why}).arrival;
  }
  record_.assume({Supposition::underlay_carries, {from.name, owner->name}});
  undecided_ = false;
  if (last.left_snapshot) {
    const std::string device = record_.sightings.empty() ? "" : record_.sightings.back().device;
    for (const host::Link& link : owner->host.links.value)
      if (link.mac && has_address(owner->host, link.name, remote)) {
        Foot wire = wire_of(topology_.devices(), *owner, link.name, *link.mac);
        last.packet.set(FieldId::eth_dst, link.mac->value);
        record_.add(owner->name, Layer::underlay, CrossWire{from.name, device, owner->name, wire.device});
        Next next = receive(*owner, std::move(wire), std::move(last.packet));
        return next.arrival ? *next.arrival : follow_copies(std::move(next.places), kMostPlaces);
      }
  }
  Arrival there;
  there.verdict = Verdict::delivered;
  there.end.kind = Endpoint::Kind::process;
  there.end.node = owner;
  there.end.bridge = owner->integration_bridge();  // as if its datapath had taken it
  there.packet = outer;
  return there;
}

// Whether the userspace datapath takes the packet under way for one of its tunnels (terminate_native_tunnel() of
// ofproto/ofproto-dpif-xlate.c): what would go to a device with the address to which it is sent.
bool Walker::ends_tunnel(const Node& node, const Bridge& bridge, const Interface& port, const FlowKey& packet) const {
  return carried_ != nullptr && userspace_datapath(bridge) && packet.u32(FieldId::tp_dst) == outer_port(*carried_->port) &&
         has_address(node.host, port.name, dst_ip(packet));
}

void Walker::note_encapsulation(const InTunnel& at, const Encap& encap) {
  const std::uint32_t keys = at.packet.u32(FieldId::tun_metadata0);
  const std::uint32_t ingress = keys >> 16 & 0x7fff, egress = keys & 0xffff;
  record_.add(at.node->name, Layer::ovn, Encapsulate{encap.type, at.port->name, encap.src, encap.dst, encap.vni, ingress, egress},
              {at.port->from});
  const Node* to = topology_.devices().owner(encap.dst);
  record_.tunnels.push_back(
      {at.node->name, to != nullptr ? to->name : encap.dst.to_string(), encap.type, encap.vni, ingress, egress});
}

// What the outer packet's path rests on, the inner one's rests on as well. Of its steps those count that go from node to
// node; all of them where it is lost.
void Walker::adopt(const Record& outer, const InTunnel& at, const Encap& encap, bool arrived) {
  for (const MissingInput& missing : outer.gaps) record_.gap(missing);
  record_.assumptions.insert(record_.assumptions.end(), outer.assumptions.begin(), outer.assumptions.end());
  const std::size_t before = record_.steps.size();
  const bool encrypted = std::any_of(outer.steps.begin(), outer.steps.end(), tells_of_ipsec);
  for (const Step& s : outer.steps)
    if (!arrived || std::holds_alternative<CrossWire>(s.kind) || tells_of_ipsec(s)) record_.steps.push_back(s);
  if (!arrived)
    for (RuleMiss miss : outer.misses) {
      miss.before_step += before;
      record_.misses.push_back(std::move(miss));
    }
  if (answering_) return;
  if (!userspace_datapath(*at.bridge)) see(*at.node, kernel_device(*at.port), false, at.packet);
  if (encrypted) return;  // captures there show ESP, in which nobody sees this packet
  for (const Sighting& s : outer.sightings)
    if (!passes_unseen(cluster_, s))
      record_.sightings.push_back({s.node, s.device, s.in, at.packet,
                                   Encap{encap.type, src_ip(s.packet), dst_ip(s.packet), encap.vni}, record_.steps.size()});
}

// Of an outer packet that somebody else takes than a host (a pod, a node without dumps) nobody knows what becomes.
Walker::Next Walker::lost_in_tunnel(const Arrival& outer, const Encap& encap) {
  Arrival lost;
  lost.verdict =
      outer.verdict == Verdict::dropped || outer.verdict == Verdict::rejected ? Verdict::dropped : Verdict::inconclusive;
  undecided_ |= lost.verdict == Verdict::inconclusive;
  Stop where = outer.stop.value_or(Stop{});
  if (lost.verdict == Verdict::dropped) where.why.then.push_back({Reason::tunnel_lost, {encap.type, encap.src, encap.dst}});
  where.in_tunnel = true;
  lost.stop = std::move(where);
  return {{}, std::move(lost)};
}

Walker::Next Walker::decapsulate(const Arrival& outer, const InTunnel& at, const Encap& sent) {
  const Node& node = *outer.end.node;
  const Encap encap{sent.type, src_ip(outer.packet), dst_ip(outer.packet), sent.vni};
  bool past_switch = false;  // the userspace datapath receives by its bridges alone
  for (const Bridge& bridge : node.bridges)
    for (const Interface& port : bridge.interfaces) {
      if (!receives(port, encap, outer_port(*at.port))) continue;
      past_switch = userspace_datapath(bridge) && outer.end.bridge == nullptr;
      if (past_switch) continue;
      if (!userspace_datapath(bridge)) see(node, kernel_device(port), true, at.packet);
      FlowKey inner = inner_packet(at, bridge, encap);
      const std::uint32_t keys = inner.u32(FieldId::tun_metadata0);
      record_.add(node.name, Layer::ovn,
                  Decapsulate{encap.type, port.name, encap.dst, encap.src, encap.vni, keys >> 16 & 0x7fff, keys & 0xffff},
                  {port.from});
      note_inconsistencies(node, cluster::Inconsistency::About::port, port.name, record_);
      return {{AtPort{&node, &bridge, number_of(bridge, port), std::move(inner)}}, std::nullopt};
    }
  note_inconsistencies_of_tunnels(node, record_);
  if (past_switch || !(knows_tunnels(node) || lists_all_interfaces(node)))
    return gap(node, Layer::ovs, {Input::tunnel_ports}, Reason::tunnel_end_unknown);
  return stop(Verdict::dropped,
              {node.name, Layer::ovs, {PlaceKind::tunnel_from, {encap.type, encap.src}}, {Reason::tunnel_peer_missing}});
}

}  // namespace egt::engine
