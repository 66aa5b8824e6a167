#include "listener.h"

#include <algorithm>

#include "egtrace/cluster/cluster.h"

namespace egt::explain {
namespace {

std::uint8_t protocol_number(std::string_view name) {
  return name == "UDP" ? ip_proto::udp : name == "SCTP" ? ip_proto::sctp : ip_proto::tcp;
}

}  // namespace

std::size_t Listeners::HashOfPlace::operator()(const Place& p) const {
  const std::uint64_t ends = low64(p.address.value) ^ high64(p.address.value) * 0x9e3779b97f4a7c15ULL;
  return std::hash<std::uint64_t>()(ends ^ (std::uint64_t{p.port} << 8 | p.proto) * 0xff51afd7ed558ccdULL);
}

ListenerEvidence Listeners::of(const engine::Course& course) const {
  const Tuple t = tuple_of(course.received);
  if (course.verdict != engine::Verdict::delivered || course.left_snapshot) return {};
  if (!has_ports(course.received)) return {Listener::known, {}};   // the kernel answers echo requests
  const Place place{t.dst, t.dport, t.proto};
  if (course.end.kind == engine::Endpoint::Kind::process && course.end.node != nullptr)
    if (const ListenerEvidence found = by_sockets(*course.end.node, place); found.listener != Listener::unknown) return found;
  const Known& known = known_.get_or([&] { return find_known(); });
  const auto found = known.find(place);
  return found != known.end() ? ListenerEvidence{Listener::known, found->second} : ListenerEvidence{};
}

Listeners::Known Listeners::find_known() const {
  Known known;
  add_endpoints(known);
  add_connections(known);
  return known;
}

// The readiness probe of an endpoint reached the pod; its port is the one that the slice names.
void Listeners::add_endpoints(Known& known) const {
  for (const cluster::EndpointSlice& slice : cluster_.objects.endpoint_slices)
    for (const cluster::ServiceEndpoint& endpoint : slice.endpoints)
      for (const cluster::EndpointPort& port : slice.ports)
        if (endpoint.ready && port.port != 0)
          known.try_emplace({endpoint.address, port.port, protocol_number(port.protocol)}, slice.from);
}

// Somebody answered. A connection that was being closed was taken once, which says nothing of now.
void Listeners::add_connections(Known& known) const {
  for (const auto& node : cluster_.nodes)
    for (const auto* part : {&node->host.conntrack, &node->host.ovs_conntrack})
      for (const host::ConntrackEntry& e : part->value) {
        const bool answered = e.reply_known && !e.unreplied && e.reply.sport != 0;
        const bool alive = e.original.proto != ip_proto::tcp || e.state == "ESTABLISHED";
        if (answered && alive) known.try_emplace({e.reply.src, e.reply.sport, e.reply.proto}, e.from);
      }
}

ListenerEvidence Listeners::by_sockets(const cluster::Node& node, const Place& place) const {
  const auto& sockets = node.host.sockets;
  if (!sockets.present) return {};
  bool perhaps = false;
  for (const host::ListeningSocket& s : sockets.value.listening) {
    const host::Accepts accepts = s.accepts(place.proto, place.address, place.port);
    if (accepts == host::Accepts::yes) return {Listener::known, s.from};
    perhaps |= accepts == host::Accepts::perhaps;
  }
  const bool complete = !sockets.partial && sockets.value.is_complete(place.proto, place.address.family);
  return complete && !perhaps ? ListenerEvidence{Listener::closed, sockets.from} : ListenerEvidence{};
}

}  // namespace egt::explain
