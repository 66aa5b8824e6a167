#include "pod_start.h"

#include <utility>

#include "device_checks.h"
#include "egtrace/engine/pod_sides.h"
#include "egtrace/engine/socket_error.h"
#include "inconsistencies.h"
#include "pod_rules.h"

namespace egt::engine {

using cluster::Node;

// To the neighbour or to its gateway.
Next PodStart::run() {
  if (start_.answers)
    if (std::optional<Arrival> open = send_by_other_network(dst_ip(frame_))) return std::move(*open);
  note_inconsistencies(*pod_.node, cluster::Inconsistency::About::port, pod_.port->name, walk_.record);
  if (std::optional<Arrival> end = check_link()) return std::move(*end);
  PodNextHop hop = walk_.topology.pod_neighbours().next_hop(*pod_.node, pod_.pod, dst_ip(frame_));
  const PodStack stack = pod_stack(*pod_.node, pod_.pod);
  if (stack.device != nullptr)
    if (std::optional<Arrival> end = route(stack, hop)) return std::move(*end);
  const bool opens = may_open(walk_, frame_) && !start_.answers;
  if (std::optional<Arrival> end = PodRules(walk_, pod_, stack, true).pass(frame_, opens)) return std::move(*end);
  if (std::optional<Arrival> end = set_macs(stack, hop)) return std::move(*end);
  if (!pod_.port->ofport)
    return walk_.log.gap(*pod_.node, Layer::ovs, {Input::port_number, {pod_.port->name}}, Reason::pod_port_number_missing);
  if (std::optional<Arrival> end = resolve(stack, hop.address)) return std::move(*end);
  if (std::optional<Arrival> end = check_size(stack)) return std::move(*end);
  if (const host::Link* link = pod_.node->host.link(pod_.port->name); link != nullptr)
    if (std::optional<Arrival> end = enter_veth(walk_, *link, stop_at_device(*pod_.node, link->name, {}))) return std::move(*end);
  return enter_bridge();
}

// What a pod answers to the address of one of its networks goes where its routes lead, which may be another one. Replaces the port
// by that one's.
std::optional<Arrival> PodStart::send_by_other_network(const IpAddr& to) {
  const std::size_t slash = pod_.pod.name.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const cluster::Pod* object = walk_.cluster.objects.pods.find(pod_.pod.name.substr(0, slash), pod_.pod.name.substr(slash + 1));
  if (object == nullptr || object->other_networks.empty()) return std::nullopt;
  const cluster::PodWay way = way_towards(walk_.cluster.objects, *object, to, seen_networks(walk_.topology.workloads()));
  const std::string network = way.on != nullptr ? way.on->network : std::string();
  if (!way.has_route || network == pod_.pod.network) return std::nullopt;
  if (way.on != nullptr && !way.on->of_ovn) {
    walk_.record.gap({pod_.node->name, Input::pod_devices, {pod_.pod.name, way.on->device}});
    walk_.log.note_undecided(true);
    Arrival open;
    open.stop =
        stop_at_pod(pod_, {Reason::network_not_of_ovn, {pod_.pod.name, network, plugin_of(walk_.cluster.objects, *way.on)}});
    return open;
  }
  const PodSide side{object, way.on};
  const Workload* other = walk_.topology.workloads().with_id(side.port_name(), pod_.node->name);
  if (other == nullptr) return std::nullopt;
  walk_.record.assume({Supposition::pod_sends_by_network, {pod_.pod.name, to, network.empty() ? "default" : network}});
  pod_.bridge = other->bridge;
  pod_.port = other->port;
  pod_.pod = other->network;
  return std::nullopt;
}

// A veth has no carrier where its other end is down: the pod resolves its gateway in vain, and gives up.
std::optional<Arrival> PodStart::check_link() {
  const host::Link* link = pod_.node->host.link(pod_.port->name);
  if (link == nullptr || link->is_up()) return std::nullopt;
  Arrival refused = refuse(stop_at_pod(pod_, {Reason::device_down}, {link->from}), "EHOSTUNREACH");
  refused.refusal_accepted = ends_without_neighbour(frame_);
  return refused;
}

// What the pod's own addresses, routes and neighbours change of the packet and of where it goes.
std::optional<Arrival> PodStart::route(const PodStack& stack, PodNextHop& hop) {
  const Node& node = *start_.from.node;
  if (start_.answers && stack.shows(dst_ip(frame_)))  // an answer to itself
    return walk_.log.stop(Verdict::dropped, stop_at_pod(pod_, {Reason::reply_unexpected}, {stack.device->from}));
  PodRoute route = pod_route(stack, frame_);
  choose_source(route);
  route_mtu_ = route.mtu;
  if (route.mac) hop = {route.mac, *route.next_hop, false};
  const bool elsewhere = route.next_hop && route.device != stack.device->name;
  const bool as_usual = !route.next_hop || *route.next_hop == hop.address || route.next_hop->is_link_local();
  if (route.error == nullptr && !elsewhere && as_usual) return std::nullopt;
  for (Assumption& a : route.assumptions) {
    a.node = node.name;
    walk_.record.assume(std::move(a));
  }
  Stop where = stop_at_pod(start_.from, std::move(route.why), std::move(route.evidence));
  if (route.error != nullptr)  // of what answers no process hears
    return start_.answers ? walk_.log.stop(Verdict::dropped, std::move(where)) : refuse(std::move(where), route.error);
  Details about{start_.from.pod.name, dst_ip(start_.packet)};
  if (elsewhere) {
    walk_.record.gap({node.name, Input::pod_devices, {start_.from.pod.name, route.device}});
    about.emplace_back(std::move(route.device));
    where.why = {Reason::pod_sends_by_other, std::move(about)};
    return walk_.log.stop(Verdict::inconclusive, std::move(where));
  }
  hop = {walk_.topology.pod_neighbours().find_mac(node, start_.from.pod, *route.next_hop), *route.next_hop, false};
  if (hop.mac) return std::nullopt;
  walk_.record.gap({node.name, Input::owner_of_address, {*route.next_hop}});
  about.emplace_back(*route.next_hop);
  where.why = {Reason::pod_next_hop_unknown, std::move(about)};
  return walk_.log.stop(Verdict::inconclusive, std::move(where));
}

void PodStart::choose_source(PodRoute& route) {
  if (route.source && start_.answers) {
    route.error = "EADDRNOTAVAIL";
    route.why = {Reason::source_not_own, {src_ip(frame_)}};
  } else if (route.source) {
    walk_.record.assume({Supposition::pod_socket_unbound,
                         {start_.from.pod.name, *route.source, src_ip(frame_)},
                         {},
                         route.evidence,
                         start_.from.node->name});
    set_src_ip(frame_, *route.source);
  }
}

std::optional<MacAddr> PodStart::own_mac(const PodStack& stack) const {
  return stack.device != nullptr && stack.device->mac ? stack.device->mac : pod_.pod.mac;
}

std::optional<Arrival> PodStart::set_macs(const PodStack& stack, const PodNextHop& hop) {
  const auto smac = start_.smac ? start_.smac : own_mac(stack);
  const auto dmac = start_.dmac ? start_.dmac : hop.mac;
  if (!smac || !dmac) {
    walk_.record.gap({pod_.node->name, Input::pod_macs, {pod_.pod.name}});
    return walk_.log.stop(Verdict::inconclusive, stop_at_pod(pod_, {Reason::frame_macs_unknown}));
  }
  if (!start_.dmac && hop.by_convention) walk_.record.assume({Supposition::derived_mac, {hop.address, *dmac}});
  frame_.set(FieldId::eth_src, smac->value);
  frame_.set(FieldId::eth_dst, dmac->value);
  return std::nullopt;
}

// The flows answer, or lose what the pod asks. Its next hop by a link-local address is not the one of OVN's convention.
std::optional<Arrival> PodStart::resolve(const PodStack& stack, const IpAddr& hop) {
  const IpAddr from = src_ip(frame_), to = dst_ip(frame_);
  const bool asks = !start_.dmac && hop.family == from.family && !hop.is_link_local() && !from.is_link_local() &&
                    !to.is_multicast() && !(to.is_v4() && to.as_v4() == 0xffffffff);
  const auto mac = own_mac(stack);
  if (!asks || !mac || stack.neighbour(hop) != nullptr) return std::nullopt;
  const PortAsker asker{pod_.node, pod_.bridge, pod_.port, *mac, from};
  const auto& answer = walk_.topology.neighbours().answer_to_pod(asker, hop);
  if (!answer) return std::nullopt;
  if (answer->undecided) {
    walk_.record.assume(
        {Supposition::neighbour_discovery_passes, {hop, pod_.node->name, pod_.port->name}, {}, {pod_.port->from}});
    return std::nullopt;
  }
  if (answer->mac) {
    frame_.set(FieldId::eth_dst, answer->mac->value);
    return std::nullopt;
  }
  Record so_far = walk_.record;
  Arrival lost = lose_discovery(hop, *answer);
  if (stack.host != nullptr && stack.host->neighbours.present) return lost;
  walk_.sender.lost_discovery = LostDiscovery{std::move(lost), std::exchange(walk_.record, std::move(so_far))};
  return std::nullopt;
}

Arrival PodStart::lose_discovery(const IpAddr& hop, const FlowAnswer& answer) {
  const std::string& device = pod_.port->name;
  const auto evidence = answer.evidence.empty() ? std::vector<Provenance>{pod_.port->from} : answer.evidence;
  walk_.record.assume({Supposition::no_other_device_answers, {hop, pod_.node->name, device}, {}, evidence});
  Stop where{pod_.node->name,
             Layer::ovs,
             {PlaceKind::neighbour, {hop, device}},
             {Reason::neighbour_discovery_lost, {pod_.pod.name}},
             evidence};
  if (start_.answers) return walk_.log.stop(Verdict::dropped, std::move(where));
  Arrival refused = refuse(std::move(where), "EHOSTUNREACH");
  refused.refusal_accepted = ends_without_neighbour(frame_);
  return refused;
}

// TCP sends segments that fit.
std::optional<Arrival> PodStart::check_size(const PodStack& stack) {
  const PodMtu mtu = route_mtu_.bytes != 0 ? route_mtu_ : mtu_of(stack, *pod_.node, *pod_.port);
  if (mtu.bytes == 0) return std::nullopt;
  walk_.record.limit({mtu.bytes, pod_.node->name, mtu.device, mtu.from});
  const std::uint32_t bytes = walk_.packet.ip_length();
  if (bytes <= mtu.bytes || frame_.u64(FieldId::nw_proto) == ip_proto::tcp) return std::nullopt;
  if (walk_.options.may_fragment) {
    walk_.record.assume({Supposition::fragmented, {pod_.pod.name, mtu.device, std::uint64_t{mtu.bytes}}, {}, {mtu.from}});
    walk_.packet.set_frame_length(mtu.bytes + kEthernetHeader);
    return std::nullopt;
  }
  if (mtu.is_of_host)
    walk_.record.assume(
        {Supposition::pod_mtu, {pod_.pod.name, std::uint64_t{mtu.bytes}}, {pod_.node->name, mtu.device}, {mtu.from}});
  Arrival refused =
      refuse(stop_at_pod(pod_, {Reason::mtu_exceeded, {std::uint64_t{bytes}, std::uint64_t{mtu.bytes}, mtu.device}}, {mtu.from}),
             "EMSGSIZE");
  refused.size_learned = true;
  return refused;
}

// A process hears of it at once.
Arrival PodStart::refuse(Stop where, const char* error) {
  walk_.record.add(where.node, Layer::host, Refused{where.where, where.why, error}, where.evidence);
  Arrival refused;
  refused.verdict = Verdict::rejected;
  refused.refusal_accepted = true;
  refused.stop = std::move(where);
  return refused;
}

Next PodStart::enter_bridge() {
  const std::string& device = pod_.port->name;
  walk_.log.see(*pod_.node, device, true, frame_);
  FlowKey frame = frame_;
  if (!userspace_datapath(*pod_.bridge))  // that has read the frame from the device before the hook
    if (std::optional<Next> stopped = pass_hook(walk_, *pod_.node, netfilter::Hook::ingress, device, frame))
      return std::move(*stopped);
  return AtPort{pod_.node, pod_.bridge, *pod_.port->ofport, std::move(frame)};
}

}  // namespace egt::engine
