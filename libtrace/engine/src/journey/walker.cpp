#include "walker.h"

#include <fmt/format.h>

#include <algorithm>

#include "contradictions.h"
#include "egtrace/engine/host.h"
#include "egtrace/engine/workload.h"

namespace egt::engine {
namespace {

using cluster::Node;
using openflow::Bridge;
using openflow::Interface;

constexpr int kMostPlaces = 96;    // bridges, hosts and wires on one course
constexpr std::size_t kMostCopies = 32;

bool has_role(const Node& node, cluster::Role role) {
  return std::find(node.roles.begin(), node.roles.end(), role) != node.roles.end();
}

bool userspace_datapath(const Bridge& bridge) { return bridge.datapath_type == "netdev"; }

// Best outcome first: what a reader who asks "does it arrive?" wants to see of several copies of one packet.
int rank(Verdict v) {
  switch (v) {
    case Verdict::delivered: return 0;
    case Verdict::rejected: return 1;
    case Verdict::inconclusive: return 2;
    case Verdict::dropped: return 3;
  }
  return 4;
}

FieldId tun_metadata(std::uint8_t index) {
  return static_cast<FieldId>(static_cast<int>(FieldId::tun_metadata0) + index);
}

// Options keep class and type on the wire; each bridge maps them to a tun_metadata field of its own.
void carry_options(const Bridge& from, const Bridge& to, const FlowKey& sent, FlowKey& received) {
  constexpr std::uint8_t kFields = 8;
  if (!from.has_tlv_map || !to.has_tlv_map) {   // not dumped: OVN uses one option, in field 0 on every node
    received.set(FieldId::tun_metadata0, sent.get(FieldId::tun_metadata0));
    return;
  }
  for (const openflow::TlvMapping& here : from.tlv_map)
    for (const openflow::TlvMapping& there : to.tlv_map)
      if (here.option_class == there.option_class && here.type == there.type && here.index < kFields &&
          there.index < kFields)
        received.set(tun_metadata(there.index), sent.get(tun_metadata(here.index)));
}

std::uint32_t number_of(const Bridge& bridge, const Interface& port) {
  if (port.ofport) return *port.ofport;
  return port.name == bridge.name ? openflow::port::local : openflow::port::none;
}

}  // namespace

Layer layer_of(const Node& node) {
  return node.roles.empty() || has_role(node, cluster::Role::cluster_node) ? Layer::host : Layer::router;
}

Arrival Walker::walk(const Start& start, FlowKey& sent) {
  from_ = start.from;
  Next next = begin(start, sent);
  sent_ = sent;
  if (next.arrival) return *next.arrival;
  return follow_copies(std::move(next.places), kMostPlaces);
}

Arrival Walker::follow(Position place, int budget) {
  while (true) {
    if (budget-- == 0)
      return *stop(Verdict::dropped, {"", Layer::underlay, {PlaceKind::loop}, {Reason::loop}}).arrival;
    Next next = std::visit([this](auto& at) { return step(std::move(at)); }, place);
    if (next.arrival) return *next.arrival;
    if (next.places.size() != 1) return follow_copies(std::move(next.places), budget);
    place = std::move(next.places.front());
  }
}

// Several copies of a packet (a flood, several outputs): all are walked, the best outcome is the way's.
Arrival Walker::follow_copies(std::vector<Position> places, int budget) {
  if (places.size() == 1) return follow(std::move(places.front()), budget);
  const std::size_t count = std::min(places.size(), kMostCopies);
  Record before = record_;
  const std::optional<Egress> egress_before = egress_;
  Arrival best;
  Record best_record;
  std::optional<Egress> best_egress;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) record_ = i + 1 == count ? std::move(before) : before;
    egress_ = egress_before;
    Arrival arrival = follow(std::move(places[i]), budget / 2);
    if (i == 0 || rank(arrival.verdict) < rank(best.verdict)) {
      best = std::move(arrival);
      best_record = std::move(record_);
      best_egress = std::move(egress_);
    }
  }
  record_ = std::move(best_record);
  egress_ = std::move(best_egress);
  return best;
}

void Walker::see(const Node& node, const std::string& device, bool in, const FlowKey& packet,
                 std::optional<Encap> encap) {
  if (answering_) return;
  record_.sightings.push_back({node.name, device, in, packet, std::move(encap), record_.steps.size()});
}

// Whoever captures on these devices sees them; their further course is not walked.
void Walker::see_copies(const Node& node, const HostOutcome& outcome) {
  for (const HostOutcome& copy : outcome.copies)
    if (copy.kind == HostOutcome::Kind::transmit) see(node, copy.device, false, copy.packet);
}

Walker::Next Walker::stop(Verdict verdict, Stop where) {
  Arrival arrival;
  arrival.verdict = verdict;
  if (verdict == Verdict::dropped)
    record_.add(where.node, where.layer, Lost{where.where, where.why}, where.evidence);
  if (verdict == Verdict::inconclusive) undecided_ = true;
  arrival.stop = std::move(where);
  return {{}, arrival};
}

Walker::Next Walker::gap(const Node& node, Layer layer, Statement<Input> missing, Reason why) {
  record_.gap({node.name, missing.kind, missing.about});
  missing.about.insert(missing.about.begin(), missing.kind);
  return stop(Verdict::inconclusive, {node.name, layer, {PlaceKind::input, std::move(missing.about)}, {why}});
}

HostOptions Walker::host_options() const {
  constexpr std::uint32_t kEthernetHeader = 14;
  HostOptions options;
  options.packet_length = options_.packet_length - kEthernetHeader;
  if (answering_) options.quoted = quoted_;
  return options;
}

// --- bridges -------------------------------------------------------------------------------------------------------

OvsResult Walker::run_ovs(const Node& node, const Bridge& bridge, std::uint32_t ofport, const FlowKey& packet,
                          Record& record) {
  OvsOptions options;
  options.packet_length = options_.packet_length;
  if (answering_) options.quoted = quoted_;
  options.neighbours = &topology_;
  OvsEngine engine(sessions_, node, world_, record, chooser_, options);
  return engine.run(bridge, ofport, packet);
}

// A port whose number no dump tells: which flows of table 0 match is then anybody's guess.
Walker::Next Walker::number_missing(const AtPort& at) {
  return gap(*at.node, Layer::ovs, {Input::port_numbers, {at.bridge->name}}, Reason::input_port_number_missing);
}

Walker::Next Walker::step(AtPort at) {
  if (at.ofport == openflow::port::none) return number_missing(at);
  FlowKey packet = at.packet;
  // The userspace datapath receives frames through sockets and taps: marks of the host do not come along.
  if (userspace_datapath(*at.bridge)) packet.set(FieldId::pkt_mark, 0);
  return after_ovs(*at.node, run_ovs(*at.node, *at.bridge, at.ofport, packet, record_));
}

namespace {

// The node's link without carrier behind a port, or null: neither end sends or receives by it.
const host::Link* dead_link(const Node& node, std::string_view device) {
  const host::Link* link = node.host.link(device);
  return link != nullptr && !link->has_carrier() ? link : nullptr;
}

Stop no_carrier(const Node& node, const host::Link& link) {
  return {node.name, Layer::underlay, {PlaceKind::device, {link.name}}, {Reason::no_carrier}, {link.from}};
}

// A device that the switch may send by and that has no link: by `ip link`, or else by `ovs-ofctl show` and conf.db.
std::optional<Stop> dead_port(const Node& node, const OvsEmission& e) {
  if (e.kind != OvsEmission::Kind::port || e.port->type == "internal" || e.port->name == e.bridge->name) return std::nullopt;
  if (const host::Link* link = dead_link(node, e.port->name)) return no_carrier(node, *link);
  if (node.host.link(e.port->name) != nullptr || !(e.port->link_down || e.port->port_down)) return std::nullopt;
  return Stop{node.name, Layer::underlay, {PlaceKind::device, {e.port->name}}, {Reason::no_carrier}, {e.port->from}};
}

}  // namespace

Walker::Next Walker::after_ovs(const Node& node, OvsResult result) {
  undecided_ |= result.undecided;
  std::vector<Position> places;
  std::optional<Stop> dead;
  for (const OvsEmission& emission : result.emissions) {
    if (std::optional<Stop> stop = dead_port(node, emission)) {
      dead = std::move(stop);
      continue;
    }
    if (emission.kind == OvsEmission::Kind::controller) continue;
    if (emission.kind == OvsEmission::Kind::rejected) return answered_by_ovs(node, emission);
    if (answering_) quoted_ = emission.quoted;   // NAT inside the bridges translates the quoted packet too
    places.push_back(position_of(node, emission));
  }
  if (!places.empty()) return {std::move(places), std::nullopt};
  if (dead && !result.undecided) return stop(Verdict::dropped, std::move(*dead));
  Stop where = result.stop.value_or(Stop{node.name, Layer::ovs, {}, {Reason::no_output}});
  return stop(result.undecided ? Verdict::inconclusive : Verdict::dropped, std::move(where));
}

Position Walker::position_of(const Node& node, const OvsEmission& emission) {
  const Interface& port = *emission.port;
  FlowKey packet = emission.packet;
  if (userspace_datapath(*emission.bridge)) packet.set(FieldId::pkt_mark, 0);
  if (emission.kind == OvsEmission::Kind::tunnel) return InTunnel{&node, &port, emission.bridge, packet};
  if (port.type == "internal" || port.name == emission.bridge->name) return AtHost{&node, port.name, packet};
  if (is_workload(port)) {
    Endpoint pod;
    pod.kind = Endpoint::Kind::pod;
    pod.node = &node;
    pod.bridge = emission.bridge;
    pod.port = &port;
    pod.pod = topology_.workloads().at(port)->network;
    pod.address = dst_ip(packet);
    return AtPod{std::move(pod), packet};
  }
  return OnWire{&node, port.name, packet, std::nullopt, nullptr};
}

// ovn-controller refused the packet and sent an answer: it is a refusal only if the sender takes it for one.
Walker::Next Walker::answered_by_ovs(const Node& node, const OvsEmission& answer) {
  const std::string bridge = answer.bridge ? answer.bridge->name : "";
  Stop where{node.name, Layer::ovn, {PlaceKind::bridge, {bridge}}, {Reason::ovn_rejects}};
  for (const Step& s : record_.steps)
    if (const auto* refused = std::get_if<Refused>(&s.kind)) {
      where.where = refused->where;
      where.why = {refused->why.reason, {refused->with}};
      where.evidence = s.evidence;
    }
  if (answering_ || answer.port == nullptr) return stop(Verdict::dropped, std::move(where));
  answering_ = true;
  quoted_ = answer.quoted;
  Arrival back = follow(position_of(node, answer), kMostPlaces);
  answering_ = false;
  Arrival arrival;
  arrival.stop = where;
  arrival.verdict = Verdict::rejected;
  if (back.verdict == Verdict::inconclusive) arrival.verdict = Verdict::inconclusive;
  if (back.verdict != Verdict::delivered || !back.end.same_place(from_) || !is_answer_to(back.packet, sent_)) {
    if (arrival.verdict != Verdict::inconclusive) arrival.verdict = Verdict::dropped;
    const bool strange = back.verdict == Verdict::delivered && back.end.same_place(from_) &&
                         src_ip(back.packet) != dst_ip(sent_);
    arrival.stop->why.then.push_back(
        strange ? Cause{Reason::refusal_from_other_address, {src_ip(back.packet), dst_ip(sent_)}}
                : Cause{Reason::refusal_lost});
  } else {
    arrival.refusal_accepted = ends_connection(back.packet);
  }
  return {{}, arrival};
}

// --- pods and processes --------------------------------------------------------------------------------------------

Walker::Next Walker::step(AtPod at) {
  see(*at.pod.node, at.pod.port->name, false, at.packet);
  note_contradictions(*at.pod.node, cluster::Contradiction::About::port, at.pod.port->name, record_);
  const MacAddr to = dst_mac(at.packet);
  if (at.pod.pod.mac && to != *at.pod.pod.mac && !to.is_multicast())
    return stop(Verdict::dropped, {at.pod.node->name, Layer::host, {PlaceKind::pod, {at.pod.pod.name}},
                                   {Reason::mac_not_of_pod, {to, *at.pod.pod.mac}}});
  const IpAddr address = dst_ip(at.packet);
  const auto& own = at.pod.pod.addresses;
  if (!own.empty() &&
      std::none_of(own.begin(), own.end(), [&](const Prefix& p) { return p.address == address; }))
    return stop(Verdict::dropped, {at.pod.node->name, Layer::host, {PlaceKind::pod, {at.pod.pod.name}},
                                   {Reason::address_not_of_pod, {address}}});
  record_.add(at.pod.node->name, Layer::host, Deliver{at.pod.pod.name, true, false}, {at.pod.port->from});
  Arrival arrival;
  arrival.verdict = Verdict::delivered;
  arrival.end = at.pod;
  arrival.packet = at.packet;
  return {{}, arrival};
}

Walker::Next Walker::step(AtProcess at) {
  record_.add(at.node->name, layer_of(*at.node), Deliver{at.node->name, false, true});
  Arrival arrival;
  arrival.verdict = Verdict::delivered;
  arrival.end.kind = Endpoint::Kind::process;
  arrival.end.node = at.node;
  arrival.end.address = dst_ip(at.packet);
  arrival.packet = at.packet;
  return {{}, arrival};
}

// --- hosts ---------------------------------------------------------------------------------------------------------

Walker::Next Walker::step(AtHost at) {
  see(*at.node, at.device, true, at.packet);
  HostEngine engine(*at.node, world_, record_, chooser_, topology_, host_options());
  HostOutcome outcome = engine.receive(at.device, at.packet);
  see_copies(*at.node, outcome);
  if (answering_) quoted_ = outcome.quoted;
  switch (outcome.kind) {
    case HostOutcome::Kind::delivered: return {{AtProcess{at.node, at.device, outcome.packet}}, std::nullopt};
    case HostOutcome::Kind::transmit: return {{AtDevice{at.node, outcome.device, outcome.packet}}, std::nullopt};
    case HostOutcome::Kind::dropped: return stop(Verdict::dropped, outcome.stop.value_or(Stop{}));
    case HostOutcome::Kind::inconclusive: return stop(Verdict::inconclusive, outcome.stop.value_or(Stop{}));
    case HostOutcome::Kind::rejected: break;
  }
  if (!answering_) quoted_ = outcome.quoted ? outcome.quoted : tuple_of(at.packet);
  return refused_by_host(*at.node, outcome);
}

// The host answers with an ICMP error or a TCP reset. An ICMP error follows its connection's translations like an answer
// does, so it is walked as one; from the sender's point of view only the tuple matters. A first packet is rejected where its
// sender learns of it, else it waits as for one that was dropped. In the middle of a connection TCP does not take an ICMP
// error for its end (RFC 5461), so there the refusal alone counts.
Walker::Next Walker::refused_by_host(const Node& node, const HostOutcome& refusal) {
  const Stop where = refusal.stop.value_or(Stop{});
  record_.add(node.name, layer_of(node), Refused{where.where, where.why, refusal.reject_with}, where.evidence);
  Arrival arrival;
  arrival.stop = where;
  arrival.verdict = Verdict::dropped;
  if (answering_ || !refusal.answer) return {{}, arrival};
  answering_ = true;
  HostEngine engine(node, world_, record_, chooser_, topology_, host_options());
  HostOutcome outcome = engine.send(*refusal.answer);
  Arrival back;
  if (outcome.kind == HostOutcome::Kind::transmit)
    back = follow(AtDevice{&node, outcome.device, outcome.packet}, kMostPlaces);
  else if (outcome.kind == HostOutcome::Kind::delivered)
    back = follow(AtProcess{&node, outcome.device, outcome.packet}, kMostPlaces);
  else
    back.verdict = outcome.kind == HostOutcome::Kind::inconclusive ? Verdict::inconclusive : Verdict::dropped;
  answering_ = false;
  const bool reached = back.verdict == Verdict::delivered && back.end.same_place(from_);
  arrival.refusal_accepted = reached && ends_connection(back.packet);
  if (reached || is_amid_connection()) arrival.verdict = Verdict::rejected;
  if (back.verdict == Verdict::inconclusive) arrival.verdict = Verdict::inconclusive;
  if (!reached) arrival.stop->why.then.push_back({Reason::error_lost});
  return {{}, arrival};
}

bool Walker::is_amid_connection() const {
  constexpr std::uint64_t kSyn = 0x002, kAck = 0x010;
  return sent_.u64(FieldId::nw_proto) == ip_proto::tcp && (sent_.u64(FieldId::tcp_flags) & (kSyn | kAck)) == kAck;
}

// A reset ends any TCP connection, an ICMP error only one that is not established yet (RFC 5461, 1).
bool Walker::ends_connection(const FlowKey& refusal) const {
  return !is_amid_connection() || refusal.u64(FieldId::nw_proto) == ip_proto::tcp;
}

Walker::Next Walker::step(AtDevice at) {
  see(*at.node, at.device, false, at.packet);
  if (const auto place = at.node->port(at.device); place.port != nullptr) {
    const bool from_host = place.port->type == "internal" || place.port->name == place.bridge->name;
    if (from_host)
      return {{AtPort{at.node, place.bridge, number_of(*place.bridge, *place.port), at.packet}}, std::nullopt};
  }
  const host::Link* link = at.node->host.link(at.device);
  const std::string lower = topology_.wire_device(*at.node, at.device);
  if (link != nullptr && lower != at.device) {
    FlowKey packet = at.packet;
    if (link->kind == "vlan" && link->vlan_id)
      packet.set(FieldId::vlan_tci, 0x1000u | *link->vlan_id);
    return {{AtDevice{at.node, lower, packet}}, std::nullopt};
  }
  if (link != nullptr && (link->kind == "geneve" || link->kind == "vxlan" || link->kind == "gre" || link->kind == "wireguard"))
    return gap(*at.node, Layer::host, {Input::tunnel_device, {at.device}}, Reason::host_tunnel);
  return {{OnWire{at.node, at.device, at.packet, std::nullopt, nullptr}}, std::nullopt};
}

// --- wires ---------------------------------------------------------------------------------------------------------

Walker::Next Walker::step(OnWire at) {
  if (const host::Link* link = dead_link(*at.node, at.device)) return stop(Verdict::dropped, no_carrier(*at.node, *link));
  // A frame that a bridge sent to its NIC has not been seen there yet; one that the host sent by the NIC itself has.
  const bool by_bridge = at.node->port(at.device).port != nullptr;
  if (by_bridge) see(*at.node, at.device, false, at.packet, at.encap);
  if (!at.encap && !answering_ && layer_of(*at.node) == Layer::host) {
    const auto place = at.node->port(at.device);
    egress_ = Egress{at.node->name, place.bridge != nullptr ? place.bridge->name : at.device, at.packet};
  }
  const std::vector<WireEnd> ends = at.encap ? tunnel_ends(*at.encap) : topology_.takers(*at.node, dst_mac(at.packet));
  if (ends.empty()) return no_taker(at);
  std::size_t pick = 0;
  if (ends.size() > 1) {
    ChoicePoint point;
    point.kind = ChoicePoint::Kind::unknown;
    point.node = at.node->name;
    point.what = Branch::frame_taker;
    point.about = {dst_mac(at.packet)};
    for (const WireEnd& end : ends)
      point.options.push_back({{Alternative::device_of_node, {end.node->name, end.device}}});
    pick = chooser_.choose(point);
  }
  return take_off_wire(ends[pick], at);
}

// The machine that owns the tunnel's remote address, and the real device below the address.
std::vector<WireEnd> Walker::tunnel_ends(const Encap& encap) const {
  const Node* owner = topology_.owner(encap.dst);
  if (owner == nullptr) return {};
  for (const host::Link& link : owner->host.links.value)
    for (const host::Address& a : link.addresses)
      if (a.prefix.address == encap.dst && link.mac)
        if (auto device = topology_.device_with(*owner, *link.mac); !device.empty()) return {{owner, device}};
  return {{owner, ""}};
}

Walker::Next Walker::no_taker(const OnWire& at) {
  const IpAddr to = at.encap ? at.encap->dst : dst_ip(at.packet);
  Arrival arrival;
  if (at.encap && topology_.is_shared(to)) {
    record_.gap({"", Input::owner_of_address, {to}});
    return stop(Verdict::inconclusive,
                {at.node->name, Layer::underlay, {PlaceKind::tunnel_to, {to}}, {Reason::address_shared}});
  }
  if (at.encap) {
    record_.gap({"", Input::node_with_address, {to}});
    return stop(Verdict::inconclusive,
                {at.node->name, Layer::underlay, {PlaceKind::tunnel_to, {to}}, {Reason::node_missing, {to}}});
  }
  const MacAddr mac = dst_mac(at.packet);
  if (mac.is_zero()) {
    return stop(Verdict::inconclusive,
                {at.node->name, Layer::underlay, {PlaceKind::device, {at.device}}, {Reason::next_hop_mac_unknown}});
  }
  arrival.verdict = Verdict::delivered;
  arrival.left_snapshot = true;
  arrival.packet = at.packet;
  arrival.end.kind = Endpoint::Kind::outside;
  arrival.end.address = to;
  record_.assume({Supposition::delivered_unchanged, {at.node->name, at.device}, {mac}});
  record_.gap({"", Input::machine_with_mac, {mac, at.node->name, at.device}});
  return {{}, arrival};
}

Walker::Next Walker::take_off_wire(const WireEnd& end, const OnWire& at) {
  const Node& node = *end.node;
  record_.add(node.name, Layer::underlay, CrossWire{at.node->name, at.device, node.name, end.device});
  if (const host::Link* link = dead_link(node, end.device)) return stop(Verdict::dropped, no_carrier(node, *link));
  if (at.encap) return decapsulate(end, at, *at.encap);
  FlowKey packet = at.packet;
  clear_pipeline(packet);
  packet.set(FieldId::pkt_mark, 0);
  if (const auto place = node.port(end.device); place.port != nullptr) {
    see(node, end.device, true, packet);
    return {{AtPort{&node, place.bridge, number_of(*place.bridge, *place.port), packet}}, std::nullopt};
  }
  const std::string upper = receiving_device(end, dst_mac(packet));
  if (upper != end.device) see(node, end.device, true, packet);
  return {{AtHost{&node, upper, packet}}, std::nullopt};
}

// The device whose stack receives what arrives on a real one: a macvlan with that MAC, or the bond or bridge above.
std::string Walker::receiving_device(const WireEnd& end, const MacAddr& to) const {
  if (std::string macvlan = topology_.macvlan_for(*end.node, end.device, to); !macvlan.empty()) return macvlan;
  const host::Link* link = end.node->host.link(end.device);
  if (link == nullptr || link->master.empty()) return end.device;
  const host::Link* master = end.node->host.link(link->master);
  const bool stacked = master != nullptr && (master->kind == "bond" || master->kind == "bridge");
  return stacked ? master->name : end.device;
}

// --- tunnels -------------------------------------------------------------------------------------------------------

Walker::Next Walker::step(InTunnel at) {
  const IpAddr remote = at.packet.get(FieldId::tun_dst) != 0 ? IpAddr::v4(at.packet.u32(FieldId::tun_dst))
                                                             : IpAddr::v6(at.packet.get(FieldId::tun_ipv6_dst));
  FlowKey outer;
  const auto device = outer_device(at, remote, outer);
  if (!device)
    return stop(Verdict::inconclusive, {at.node->name, Layer::underlay, {PlaceKind::device, {at.port->name}},
                                        {Reason::tunnel_end_unreachable, {remote}}});
  const Encap encap{at.port->type, src_ip(outer), remote, at.packet.u64(FieldId::tun_id)};
  const std::uint32_t option = at.packet.u32(FieldId::tun_metadata0);
  record_.add(at.node->name, Layer::ovn,
              Encapsulate{at.port->type, at.port->name, encap.src, remote, encap.vni, option >> 16 & 0x7fff,
                          option & 0xffff},
              {at.port->from});
  const Node* to = topology_.owner(remote);
  record_.tunnels.push_back({at.node->name, to != nullptr ? to->name : remote.to_string(), at.port->type, encap.vni,
                             option >> 16 & 0x7fff, option & 0xffff});
  return {{OnWire{at.node, *device, at.packet, encap, at.bridge}}, std::nullopt};
}

// What the outer packet's way rests on, the inner one's rests on as well.
void Walker::adopt_doubts(const Record& outer) {
  record_.gaps.insert(record_.gaps.end(), outer.gaps.begin(), outer.gaps.end());
  record_.assumptions.insert(record_.assumptions.end(), outer.assumptions.begin(), outer.assumptions.end());
}

// The NIC by which the encapsulated packet leaves: the host's route to the tunnel's end, then the bridge of that device.
std::optional<std::string> Walker::outer_device(const InTunnel& at, const IpAddr& remote, FlowKey& outer) {
  const bool v4 = remote.is_v4();
  outer.set(FieldId::eth_type, v4 ? ethertype::ipv4 : ethertype::ipv6);
  outer.set(FieldId::nw_proto, ip_proto::udp);
  outer.set(FieldId::nw_ttl, 64);
  const bool vxlan = at.port->type == "vxlan";
  outer.set(FieldId::tp_dst, vxlan ? 4789 : 6081);
  outer.set(FieldId::tp_src, 49152);
  set_dst_ip(outer, remote);
  if (const auto local = at.port->options.find("local_ip"); local != at.port->options.end())
    if (const auto a = IpAddr::parse(local->second)) set_src_ip(outer, *a);
  const bool choose_source = src_ip(outer).is_unspecified();

  // Connections of the outer packets are of no interest to the inner one's story.
  Record scratch;
  World aside = world_;
  HostEngine host(*at.node, aside, scratch, chooser_, topology_);
  HostOutcome sent = host.send({outer, choose_source, ""});
  adopt_doubts(scratch);
  if (sent.kind != HostOutcome::Kind::transmit) return std::nullopt;
  outer = sent.packet;
  const auto place = at.node->port(sent.device);
  if (place.port == nullptr) return topology_.wire_device(*at.node, sent.device);
  Record in_bridge;
  OvsEngine engine(sessions_, *at.node, aside, in_bridge, chooser_, {});
  const OvsResult result = engine.run(*place.bridge, number_of(*place.bridge, *place.port), outer);
  adopt_doubts(in_bridge);
  undecided_ |= result.undecided;
  for (const OvsEmission& e : result.emissions)
    if (e.kind == OvsEmission::Kind::port && e.port->type != "internal") {
      if (!userspace_datapath(*at.bridge)) {
        const Encap encap{at.port->type, src_ip(outer), remote, at.packet.u64(FieldId::tun_id)};
        see(*at.node, fmt::format("{}_sys_{}", vxlan ? "vxlan" : "genev", outer.u32(FieldId::tp_dst)), false, at.packet);
        see(*at.node, sent.device, false, at.packet, encap);
      }
      return e.port->name;
    }
  return std::nullopt;
}

Walker::Next Walker::decapsulate(const WireEnd& end, const OnWire& at, const Encap& encap) {
  const Node& node = *end.node;
  if (!end.device.empty()) see(node, end.device, true, at.packet, encap);
  for (const Bridge& bridge : node.bridges)
    for (const Interface& port : bridge.interfaces) {
      if (port.type != encap.type) continue;
      const auto remote = port.options.find("remote_ip");
      if (remote == port.options.end()) continue;
      if (remote->second != "flow" && remote->second != encap.src.to_string()) continue;
      if (!userspace_datapath(bridge)) {
        for (const host::Link& link : node.host.links.value)
          for (const host::Address& a : link.addresses)
            if (a.prefix.address == encap.dst && link.name != end.device) see(node, link.name, true, at.packet, encap);
        see(node, encap.type == "vxlan" ? "vxlan_sys_4789" : "genev_sys_6081", true, at.packet);
      }
      FlowKey inner = at.packet;
      clear_pipeline(inner);
      inner.set(FieldId::pkt_mark, 0);
      inner.set(FieldId::tun_id, encap.vni);
      if (encap.src.is_v4()) {
        inner.set(FieldId::tun_src, encap.src.value);
        inner.set(FieldId::tun_dst, encap.dst.value);
      } else {
        inner.set(FieldId::tun_ipv6_src, encap.src.value);
        inner.set(FieldId::tun_ipv6_dst, encap.dst.value);
      }
      if (at.from_bridge != nullptr) carry_options(*at.from_bridge, bridge, at.packet, inner);
      const std::uint32_t option = inner.u32(FieldId::tun_metadata0);
      record_.add(node.name, Layer::ovn,
                  Decapsulate{encap.type, port.name, encap.dst, encap.src, encap.vni, option >> 16 & 0x7fff,
                              option & 0xffff},
                  {port.from});
      note_contradictions(node, cluster::Contradiction::About::port, port.name, record_);
      return {{AtPort{&node, &bridge, number_of(bridge, port), inner}}, std::nullopt};
    }
  note_contradictions_of_tunnels(node, record_);
  const bool ports_known = std::any_of(node.bridges.begin(), node.bridges.end(), [&](const Bridge& b) {
    return std::any_of(b.interfaces.begin(), b.interfaces.end(), [](const Interface& p) { return p.options.contains("remote_ip"); });
  });
  if (!ports_known)
    return gap(node, Layer::ovs, {Input::tunnel_ports}, Reason::tunnel_end_unknown);
  return stop(Verdict::dropped, {node.name, Layer::ovs, {PlaceKind::tunnel_from, {encap.type, encap.src}},
                                 {Reason::tunnel_peer_missing}});
}

}  // namespace egt::engine
