// Whether a process takes what arrives at an address and port.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "egtrace/base/published.h"
#include "egtrace/cluster/per_node.h"
#include "egtrace/engine/journey.h"
#include "egtrace/explain/outcome.h"

namespace egt::explain {

struct ListenerEvidence {
  Listener listener = Listener::unknown;
  Provenance from;                 // the line that shows it; none where the protocol needs no process
  bool unless_redirected = false;  // closed, but for rules of the pod's own network namespace, which no dump shows
};

// Dumps of sockets decide; ready endpoints and connections that were replied to show a listener and never prove that there
// is none. Connections are those that the nodes on the path have seen.
class Listeners {
 public:
  explicit Listeners(const cluster::Cluster& cluster) : cluster_(cluster), connections_(cluster) {}

  // Of the process or pod that a delivered path ends at.
  ListenerEvidence of(const engine::WalkedPath& walked) const;

 private:
  struct SocketAddress {
    IpAddr address;
    std::uint16_t port = 0;
    std::uint8_t proto = 0;
    friend bool operator==(const SocketAddress&, const SocketAddress&) = default;
  };
  struct HashOfSocketAddress {
    std::size_t operator()(const SocketAddress& a) const;
  };
  using ServedAddresses = std::unordered_map<SocketAddress, Provenance, HashOfSocketAddress>;

  // By ready endpoints and connections.
  ListenerEvidence answered(const engine::WalkedPath& walked, const SocketAddress& socket) const;
  ServedAddresses known_endpoints() const;
  static ServedAddresses known_connections(const cluster::Node& node);
  static ListenerEvidence by_sockets(const engine::Endpoint& end, const SocketAddress& socket);

  const cluster::Cluster& cluster_;
  MadeOnce<ServedAddresses> endpoints_;
  cluster::PerNode<ServedAddresses> connections_;
};

}  // namespace egt::explain
