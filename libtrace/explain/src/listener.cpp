#include "listener.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/visited_nodes.h"

namespace egt::explain {
namespace {

std::uint8_t protocol_number(std::string_view name) {
  return name == "UDP" ? ip_proto::udp : name == "SCTP" ? ip_proto::sctp : ip_proto::tcp;
}

}  // namespace

std::size_t Listeners::HashOfSocketAddress::operator()(const SocketAddress& a) const {
  const std::uint64_t ends = low64(a.address.value) ^ high64(a.address.value) * 0x9e3779b97f4a7c15ULL;
  return std::hash<std::uint64_t>()(ends ^ (std::uint64_t{a.port} << 8 | a.proto) * 0xff51afd7ed558ccdULL);
}

ListenerEvidence Listeners::of(const engine::WalkedPath& walked) const {
  const Tuple t = tuple_of(walked.received);
  if (walked.verdict != engine::Verdict::delivered || walked.left_snapshot) return {};
  if (!has_ports(walked.received)) return {Listener::known, {}};  // the kernel answers echo requests
  const SocketAddress socket{t.dst, t.dport, t.proto};
  const ListenerEvidence by_process = by_sockets(walked.end, socket);
  if (by_process.listener != Listener::unknown && !by_process.unless_redirected) return by_process;
  const ListenerEvidence by_answers = answered(walked, socket);
  if (by_process.listener == Listener::unknown) return by_answers;
  // A pod that answers at a port on which nothing listens: it redirects the connection, or one of the dumps is older.
  return by_answers.listener == Listener::unknown ? by_process : ListenerEvidence{};
}

ListenerEvidence Listeners::answered(const engine::WalkedPath& walked, const SocketAddress& socket) const {
  const ServedAddresses& endpoints = endpoints_.get_or([&] { return known_endpoints(); });
  if (const auto found = endpoints.find(socket); found != endpoints.end()) return {Listener::known, found->second};
  std::set<std::string_view> nodes = engine::visited_nodes(walked.record);
  if (walked.end.node != nullptr) nodes.insert(walked.end.node->name);
  for (const std::string_view name : nodes)
    if (const cluster::Node* node = cluster_.node(name)) {
      const ServedAddresses& connections = connections_.of(*node, [&] { return known_connections(*node); });
      if (const auto found = connections.find(socket); found != connections.end()) return {Listener::known, found->second};
    }
  return {};
}

// The readiness probe of an endpoint reached the pod; its port is the one that the slice names.
Listeners::ServedAddresses Listeners::known_endpoints() const {
  ServedAddresses known;
  for (const cluster::EndpointSlice& slice : cluster_.objects.endpoint_slices)
    for (const cluster::ServiceEndpoint& endpoint : slice.endpoints)
      for (const cluster::EndpointPort& port : slice.ports)
        if (endpoint.ready && port.port != 0)
          known.try_emplace({endpoint.address, port.port, protocol_number(port.protocol)}, slice.from);
  return known;
}

// Those with a reply: a process listens. One that is being closed was accepted once, which shows nothing of now.
Listeners::ServedAddresses Listeners::known_connections(const cluster::Node& node) {
  ServedAddresses known;
  for (const auto* part : {&node.host.conntrack, &node.host.ovs_conntrack})
    for (const host::ConntrackEntry& e : part->value) {
      const bool answered = e.reply_known && !e.unreplied && e.reply.sport != 0;
      const bool alive = e.original.proto != ip_proto::tcp || e.state == "ESTABLISHED";
      if (answered && alive) known.try_emplace({e.reply.src, e.reply.sport, e.reply.proto}, e.from);
    }
  return known;
}

ListenerEvidence Listeners::by_sockets(const engine::Endpoint& end, const SocketAddress& socket) {
  const bool is_pod = end.kind == engine::Endpoint::Kind::pod;
  if (end.node == nullptr || end.kind == engine::Endpoint::Kind::outside) return {};
  const cluster::NetworkNamespace* of_pod = is_pod ? end.node->namespace_of(socket.address) : nullptr;
  if (is_pod && of_pod == nullptr) return {};
  const host::Part<host::Sockets>& sockets = is_pod ? of_pod->host.sockets : end.node->host.sockets;
  if (!sockets.present) return {};
  bool perhaps = false;
  for (const host::ListeningSocket& s : sockets.value.listening) {
    const host::Accepts accepts = s.accepts(socket.proto, socket.address, socket.port);
    if (accepts == host::Accepts::yes) return {Listener::known, s.from};
    perhaps |= accepts == host::Accepts::perhaps;
  }
  const bool complete = !sockets.partial && sockets.value.is_complete(socket.proto, socket.address.family);
  return complete && !perhaps ? ListenerEvidence{Listener::closed, sockets.from, is_pod} : ListenerEvidence{};
}

}  // namespace egt::explain
