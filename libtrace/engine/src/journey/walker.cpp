#include "walker.h"

#include <algorithm>

#include "egtrace/engine/host.h"
#include "egtrace/engine/workload.h"
#include "egtrace/openflow/tunnel_type.h"
#include "egtrace/ovn_kubernetes/names.h"
#include "host/refusal.h"
#include "inconsistencies.h"
#include "ovn/logical_engine.h"
#include "wire_state.h"

namespace egt::engine {
namespace {

using cluster::Node;
using openflow::Bridge;
using openflow::Interface;

bool has_role(const Node& node, cluster::Role role) {
  return std::find(node.roles.begin(), node.roles.end(), role) != node.roles.end();
}

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

std::uint32_t ttl_of(const Position& place) {
  return std::visit([](const auto& at) { return at.packet.u32(FieldId::nw_ttl); }, place);
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

std::size_t nodes_of(const Record& record) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < record.sightings.size(); ++i)
    if (i == 0 || record.sightings[i].node != record.sightings[i - 1].node) ++count;
  return count;
}

bool is_stray(const Arrival& arrival) { return arrival.stop && arrival.stop->why.reason == Reason::mac_not_of_device; }

bool is_taken_by(const Client& client, const Arrival& arrival) {
  return arrival.end.same_place(client.end) && is_answer_to(arrival.packet, client.sent);
}

}  // namespace

Layer layer_of(const Node& node) {
  return node.roles.empty() || has_role(node, cluster::Role::cluster_node) ? Layer::host : Layer::router;
}

bool userspace_datapath(const Bridge& bridge) { return bridge.datapath_type == "netdev"; }

std::uint32_t number_of(const Bridge& bridge, const Interface& port) {
  if (port.ofport) return *port.ofport;
  return port.name == bridge.name ? openflow::port::local : openflow::port::none;
}

Arrival Walker::walk(const Start& start, FlowKey& sent) {
  from_ = start.from;
  client_ = start.client;
  Next next = begin(start, sent);
  sent_ = sent;
  if (next.arrival) return *next.arrival;
  return follow_copies(std::move(next.places), kMostPlaces);
}

// Routers that send a packet to each other end it by its TTL, which is walked to the end; a loop without routers never ends. What
// becomes of copies that are not walked so far is open.
Arrival Walker::follow(Position place, int budget) {
  const int full = budget;
  std::uint32_t ttl = ttl_of(place);
  while (true) {
    if (const std::uint32_t now = ttl_of(place); now < ttl) {
      ttl = now;
      budget = full;
    }
    const bool is_endless = budget-- == 0;
    if (is_endless || places_left_-- <= 0)
      return *stop(is_endless && full == kMostPlaces ? Verdict::dropped : Verdict::inconclusive,
                   {"", Layer::underlay, {PlaceKind::loop}, {Reason::loop}})
                  .arrival;
    Next next = std::visit([this](auto& at) { return step(std::move(at)); }, place);
    if (next.arrival) return *next.arrival;
    if (next.places.size() != 1) return follow_copies(std::move(next.places), budget);
    place = std::move(next.places.front());
  }
}

// Several copies of a packet (a flood, several outputs): all are walked, the best outcome is the way's.
Arrival Walker::follow_copies(std::vector<Position> places, int budget) {
  if (places.size() == 1) return follow(std::move(places.front()), budget);
  const std::size_t count = places.size();
  Record before = record_;
  const std::optional<Egress> egress_before = egress_;
  const std::uint32_t length_before = frame_length_;
  const std::optional<EspOverhead> esp_before = esp_;
  Arrival best;
  Record best_record;
  std::optional<Egress> best_egress;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) record_ = i + 1 == count ? std::move(before) : before;
    egress_ = egress_before;
    frame_length_ = length_before;
    esp_ = esp_before;
    Arrival arrival = follow(std::move(places[i]), budget / 2);
    if (i == 0 || counts_before(arrival, record_, best, best_record)) {
      best = std::move(arrival);
      best_record = std::move(record_);
      best_egress = std::move(egress_);
    }
  }
  record_ = std::move(best_record);
  egress_ = std::move(best_egress);
  return best;
}

// Of copies that end alike the one counts that the client takes, then the one that was meant for whoever looked at it, then the one
// that came farthest: a flood shows each frame to devices for which it is not.
bool Walker::counts_before(const Arrival& a, const Record& of_a, const Arrival& b, const Record& of_b) const {
  if (rank(a.verdict) != rank(b.verdict)) return rank(a.verdict) < rank(b.verdict);
  if (client_ && a.verdict == Verdict::delivered) return is_taken_by(*client_, a) && !is_taken_by(*client_, b);
  if (is_stray(a) != is_stray(b)) return is_stray(b);
  return a.verdict == Verdict::dropped && nodes_of(of_a) > nodes_of(of_b);
}

void Walker::see(const Node& node, const std::string& device, bool in, const FlowKey& packet) {
  if (answering_) return;
  record_.sightings.push_back({node.name, device, in, packet, std::nullopt, record_.steps.size()});
  if (node.host_presumed) presume_device(node, device);
}

// An address outside the external bridge's networks may be the bridge's all the same.
void Walker::presume_device(const Node& node, const std::string& device) {
  const host::Link* link = node.host.link(device);
  if (link == nullptr || !link->name_made_up) return;
  Assumption assumption{Supposition::uplink_presumed, {node.name, device}};
  if (link->mac_made_up && !link->addresses.empty())
    assumption = {Supposition::device_presumed, {node.name, device, link->addresses.front().prefix.address}};
  const auto& known = record_.assumptions;
  if (std::none_of(known.begin(), known.end(), [&](const Assumption& a) { return a.says_as(assumption); }))
    record_.assume(std::move(assumption));
}

// A bridge's device shows what PREROUTING has left of the packet, where that has run on the port (br_nf_pre_routing()).
void Walker::see_on_bridge(const AtHost& at, const HostOutcome& outcome, std::size_t before) {
  if (answering_ || (outcome.passed_port && !outcome.on_bridge)) return;
  see(*at.node, at.device, true, outcome.on_bridge ? outcome.on_bridge->first : at.packet);
  record_.sightings.back().step = outcome.on_bridge ? outcome.on_bridge->second : before;
}

// Whoever captures on these devices sees them; their further path is not walked.
void Walker::see_copies(const Node& node, const HostOutcome& outcome) {
  for (const HostOutcome& copy : outcome.copies)
    if (copy.kind == HostOutcome::Kind::transmit) see(node, copy.device, false, copy.packet);
}

// Dumps of a node that are inconsistent prove nothing of it, of its devices either.
Walker::Next Walker::stop(Verdict verdict, Stop where) {
  if (const Node* node = where.node.empty() ? nullptr : cluster_.node(where.node); node != nullptr)
    note_inconsistencies(*node, cluster::Inconsistency::About::node, "", record_);
  Arrival arrival;
  arrival.verdict = verdict;
  if (verdict == Verdict::dropped) record_.add(where.node, where.layer, Lost{where.where, where.why}, where.evidence);
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
  HostOptions options;
  options.packet_length = frame_length() - kEthernetHeader;
  const bool tcp = carried_ == nullptr && sent_.u64(FieldId::nw_proto) == ip_proto::tcp;
  options.may_fragment = options_.may_fragment && !tcp;
  options.esp = esp_;
  if (answering_) options.quoted = quoted_;
  return options;
}

void Walker::take_length(const HostOutcome& outcome) {
  frame_length_ = outcome.packet_length + kEthernetHeader;
  esp_ = outcome.esp;
}

std::uint32_t Walker::frame_length() const {
  constexpr std::uint32_t kLongestError = kEthernetHeader + 576;  // RFC 1812, 4.3.2.3; of IPv6 no device takes less than 1280
  return answering_ ? std::min(frame_length_, kLongestError) : frame_length_;
}

// --- bridges -------------------------------------------------------------------------------------------------------

OvsResult Walker::run_ovs(const Node& node, const Bridge& bridge, std::uint32_t ofport, const FlowKey& packet, Record& record) {
  OvsOptions options;
  options.packet_length = frame_length();
  if (answering_) options.quoted = quoted_;
  options.neighbours = &topology_.neighbours();
  if (bridge.presumed) presume(node, record);
  if (bridge.by_logical_flows || (options_.as_intended && node.ovn.program != nullptr && &bridge == node.integration_bridge()))
    return run_logical_flows({topology_.logical(node), node, network_state_, record, chooser_, options}, bridge, ofport, packet);
  *options.packet_length += tag_bytes(packet);
  OvsEngine engine(sessions_, node, network_state_, record, chooser_, options);
  return engine.run(bridge, ofport, packet);
}

// The node is not in the snapshot itself: what is known of it is what OVN-Kubernetes would have made.
void Walker::presume(const Node& node, Record& record) {
  const auto& tables = node.host.nft.value.tables;
  const bool nft = std::any_of(tables.begin(), tables.end(), [](const netfilter::Table& t) { return t.name == ovnk::kNftTable; });
  Assumption assumption{Supposition::host_presumed, {node.name, std::uint64_t{nft}}};
  const auto& known = record.assumptions;
  if (std::none_of(known.begin(), known.end(), [&](const Assumption& a) { return a.says_as(assumption); }))
    record.assume(std::move(assumption));
}

// A port whose number no dump shows: which flows of table 0 match is then anybody's guess.
Walker::Next Walker::number_missing(const AtPort& at) {
  return gap(*at.node, Layer::ovs, {Input::port_numbers, {at.bridge->name}}, Reason::input_port_number_missing);
}

Walker::Next Walker::step(AtPort at) {
  if (at.ofport == openflow::port::none) return number_missing(at);
  FlowKey packet = at.packet;
  // The userspace datapath receives frames through sockets and taps: marks of the host do not come along.
  if (userspace_datapath(*at.bridge) && !at.by_patch) packet.set(FieldId::pkt_mark, 0);
  return after_ovs(*at.node, run_ovs(*at.node, *at.bridge, at.ofport, packet, record_));
}

Walker::Next Walker::after_ovs(const Node& node, OvsResult result) {
  undecided_ |= result.undecided;
  std::vector<Position> places;
  std::optional<Stop> lost;
  for (const OvsEmission& emission : result.emissions) {
    if (std::optional<Stop> stop = lost_at_port(node, emission)) {
      lost = std::move(stop);
      continue;
    }
    if (emission.whole_up_to && !answering_) record_.limit(*emission.whole_up_to);
    if (emission.kind == OvsEmission::Kind::controller) continue;
    if (emission.kind == OvsEmission::Kind::rejected) return answered_by_ovs(node, emission);
    if (answering_) quoted_ = emission.quoted;  // NAT inside the bridges translates the quoted packet too
    places.push_back(position_of(node, emission));
  }
  if (!places.empty()) return {std::move(places), std::nullopt};
  if (lost && !result.undecided) return stop(Verdict::dropped, std::move(*lost));
  Stop where = result.stop.value_or(Stop{node.name, Layer::ovs, {}, {Reason::no_output}});
  return stop(result.undecided ? Verdict::inconclusive : Verdict::dropped, std::move(where));
}

Position Walker::position_of(const Node& node, const OvsEmission& emission) {
  const Interface& port = *emission.port;
  FlowKey packet = emission.packet;
  if (emission.kind == OvsEmission::Kind::tunnel || openflow::is_tunnel_type(port.type))
    return InTunnel{&node, &port, emission.bridge, packet};
  if (const auto peer = node.port(openflow::patch_peer(port)); port.type == "patch" && peer.port != nullptr) {
    record_.add(node.name, Layer::ovs, CrossPatch{emission.bridge->name, port.name, peer.bridge->name, peer.port->name});
    return AtPort{&node, peer.bridge, number_of(*peer.bridge, *peer.port), packet, true};
  }
  if (userspace_datapath(*emission.bridge)) packet.set(FieldId::pkt_mark, 0);
  if (port.type == "internal" || port.name == emission.bridge->name) {
    if (ends_tunnel(node, *emission.bridge, port, packet)) return AtProcess{&node, port.name, packet, emission.bridge};
    return AtHost{&node, port.name, packet};
  }
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
  return AtDevice{&node, port.name, packet, false, emission.bridge->name};
}

// ovn-controller refused the packet and sent an answer: it is a refusal only if the sender takes it for one.
Walker::Next Walker::answered_by_ovs(const Node& node, const OvsEmission& answer) {
  const std::string bridge = answer.bridge ? answer.bridge->name : "";
  Stop where{node.name, Layer::ovn, {PlaceKind::bridge, {bridge}}, {Reason::ovn_rejects}};
  std::string with;
  for (const Step& s : record_.steps)
    if (const auto* refused = std::get_if<Refused>(&s.kind)) {
      with = refused->with;
      where.where = refused->where;
      where.why = {refused->why.reason, {refused->with}};
      where.evidence = s.evidence;
    }
  if (answering_ || answer.port == nullptr) return stop(Verdict::dropped, std::move(where));
  answering_ = true;
  esp_.reset();
  quoted_ = answer.quoted;
  Arrival back = follow(position_of(node, answer), kMostPlaces);
  answering_ = false;
  Arrival arrival;
  arrival.stop = where;
  arrival.verdict = Verdict::rejected;
  if (back.verdict == Verdict::inconclusive) arrival.verdict = Verdict::inconclusive;
  const bool is_of_it = is_answer_to(back.packet, sent_) || (quoted_ && *quoted_ == tuple_of(sent_));
  if (back.verdict != Verdict::delivered || !back.end.same_place(from_) || !is_of_it) {
    if (arrival.verdict != Verdict::inconclusive) arrival.verdict = Verdict::dropped;
    const bool strange = back.verdict == Verdict::delivered && back.end.same_place(from_) && src_ip(back.packet) != dst_ip(sent_);
    arrival.stop->why.then.push_back(strange ? Cause{Reason::refusal_from_other_address, {src_ip(back.packet), dst_ip(sent_)}}
                                             : Cause{Reason::refusal_lost});
  } else {
    arrival.refusal_accepted = ends_connection(back.packet, with);
    arrival.size_learned = with == "icmp-frag-needed" || with == "icmp6-packet-too-big";
  }
  return {{}, arrival};
}

// --- pods and processes --------------------------------------------------------------------------------------------

// Where dumps show the pod's own device, that decides.
Cause Walker::not_for_pod(const AtPod& at, const PodStack& stack) const {
  if (stack.device != nullptr && !stack.device->is_up()) return {Reason::device_down};
  const MacAddr to = dst_mac(at.packet);
  const auto& mac = stack.device != nullptr && stack.device->mac ? stack.device->mac : at.pod.pod.mac;
  if (mac && to != *mac && !to.is_multicast()) return {Reason::mac_not_of_pod, {to, *mac}};
  const IpAddr address = dst_ip(at.packet);
  const auto& own = at.pod.pod.addresses;
  const bool is_other =
      !own.empty() && std::none_of(own.begin(), own.end(), [&](const Prefix& p) { return p.address == address; });
  const bool is_gone = stack.device != nullptr && !address.is_multicast() && stack.lacks(address);
  return is_other || is_gone ? Cause{Reason::address_not_of_pod, {address}} : Cause{};
}

Walker::Next Walker::step(AtPod at) {
  see(*at.pod.node, at.pod.port->name, false, at.packet);
  if (std::optional<Next> end = check_size(*at.pod.node, at.pod.port->name)) return std::move(*end);
  if (std::optional<Next> end = pass_hook(*at.pod.node, netfilter::Hook::egress, at.pod.port->name, at.packet))
    return std::move(*end);
  note_inconsistencies(*at.pod.node, cluster::Inconsistency::About::port, at.pod.port->name, record_);
  const PodStack stack = pod_stack(*at.pod.node, at.pod.pod);
  if (Cause why = not_for_pod(at, stack); why.reason != Reason::none) {
    Stop end{at.pod.node->name, Layer::host, {PlaceKind::pod, {at.pod.pod.name}}, std::move(why)};
    if (stack.device != nullptr) end.evidence = {stack.device->from};
    return stop(Verdict::dropped, std::move(end));
  }
  if (std::optional<Next> end = filter_in_pod(at.pod, stack, at.packet, may_open(at.packet), false)) return std::move(*end);
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
  arrival.end.bridge = at.taken_by;
  arrival.end.address = dst_ip(at.packet);
  arrival.packet = at.packet;
  return {{}, arrival};
}

// --- hosts ---------------------------------------------------------------------------------------------------------

HostEngine Walker::host(const Node& node) {
  if (node.host_presumed) presume(node, record_);
  return HostEngine(node, network_state_, record_, chooser_, topology_.neighbours(), host_options());
}

// What carries the packets of the sender's network from node to node, where databases do not show what the host does with them.
Stop Walker::with_transport(Stop stop) const {
  const cluster::Transport transport = transport_of(cluster_.objects, from_.pod.network);
  if (stop.why.reason == Reason::network_host_unknown && transport != cluster::Transport::tunnels)
    stop.why.about.emplace_back(std::uint64_t{transport == cluster::Transport::evpn});
  return stop;
}

Walker::Next Walker::step(AtHost at) {
  const auto place = at.node->port(at.device);
  if (place.port != nullptr && !userspace_datapath(*place.bridge))  // a tap takes what it is given
    if (std::optional<Next> end = check_size(*at.node, at.device)) return std::move(*end);
  if (std::optional<Next> higher = climb(at)) return std::move(*higher);
  const host::Link* link = at.node->host.link(at.device);
  const bool is_bridge = link != nullptr && link->kind == "bridge";
  if (!is_bridge) see(*at.node, at.device, true, at.packet);
  const std::size_t before = record_.steps.size();
  HostEngine engine = host(*at.node);
  HostOutcome outcome = engine.receive(at.device, at.packet);
  if (is_bridge) see_on_bridge(at, outcome, before);
  see_copies(*at.node, outcome);
  if (answering_)
    quoted_ = outcome.quoted;
  else if (outcome.kind == HostOutcome::Kind::transmit)
    take_length(outcome);
  switch (outcome.kind) {
    case HostOutcome::Kind::delivered: return {{AtProcess{at.node, at.device, outcome.packet}}, std::nullopt};
    case HostOutcome::Kind::transmit: return {{AtDevice{at.node, outcome.device, outcome.packet}}, std::nullopt};
    case HostOutcome::Kind::dropped:
      if (const host::Link* bridge = is_for_other_device(outcome) ? bridge_of(at.node->host, at.device) : nullptr)
        return forward_by_bridge(at, *bridge);
      return stop(Verdict::dropped, outcome.stop.value_or(Stop{}));
    case HostOutcome::Kind::inconclusive: return stop(Verdict::inconclusive, with_transport(outcome.stop.value_or(Stop{})));
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
  esp_.reset();
  HostEngine engine = host(node);
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
  arrival.refusal_accepted = reached && ends_connection(back.packet, refusal.reject_with);
  arrival.size_learned = reached && refusal.answer_mtu != 0;
  if (reached || is_amid_connection()) arrival.verdict = Verdict::rejected;
  if (back.verdict == Verdict::inconclusive) arrival.verdict = Verdict::inconclusive;
  if (!reached) arrival.stop->why.then.push_back({Reason::error_lost});
  return {{}, arrival};
}

bool Walker::is_amid_connection() const {
  constexpr std::uint64_t kSyn = 0x002, kAck = 0x010;
  return sent_.u64(FieldId::nw_proto) == ip_proto::tcp && (sent_.u64(FieldId::tcp_flags) & (kSyn | kAck)) == kAck;
}

namespace {

// Errors that a UDP socket does not hear of (icmp_err_convert[] of net/ipv4/icmp.c and tab_unreach[] of net/ipv6/icmp.c: not
// fatal), whatever a rule calls them.
bool is_soft(std::string_view with, Family family) {
  if (with.ends_with("ttl-exceeded") || with.ends_with("time-exceeded")) return true;
  const auto error = icmp_error_named(with, family);
  if (!error) return false;
  constexpr std::uint8_t kUnreachable4 = 3, kNetwork = 0, kHost = 1;
  constexpr std::uint8_t kUnreachable6 = 1, kNoRoute = 0, kBeyondScope = 2, kAddress = 3;
  if (family == Family::v4) return error->type == kUnreachable4 && (error->code == kNetwork || error->code == kHost);
  return error->type == kUnreachable6 && (error->code == kNoRoute || error->code == kBeyondScope || error->code == kAddress);
}

}  // namespace

// A reset ends any TCP connection, an ICMP error only one that is not established yet (RFC 5461, 1).
bool Walker::ends_connection(const FlowKey& refusal, std::string_view with) const {
  if (sent_.u64(FieldId::nw_proto) == ip_proto::udp) return !is_soft(with, family_of(sent_));
  return !is_amid_connection() || refusal.u64(FieldId::nw_proto) == ip_proto::tcp;
}

}  // namespace egt::engine
