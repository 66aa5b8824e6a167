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
  struct Place {
    IpAddr address;
    std::uint16_t port = 0;
    std::uint8_t proto = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct HashOfPlace {
    std::size_t operator()(const Place& p) const;
  };
  using Known = std::unordered_map<Place, Provenance, HashOfPlace>;

  // By ready endpoints and connections.
  ListenerEvidence answered(const engine::WalkedPath& walked, const Place& place) const;
  Known known_endpoints() const;
  static Known known_connections(const cluster::Node& node);
  static ListenerEvidence by_sockets(const engine::Endpoint& end, const Place& place);

  const cluster::Cluster& cluster_;
  MadeOnce<Known> endpoints_;
  cluster::PerNode<Known> connections_;
};

}  // namespace egt::explain
