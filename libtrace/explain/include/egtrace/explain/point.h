// Where a packet starts or ends, as users write it: "ns/pod", "deploy/name", "10.0.0.1:80", "svc:ns/name:http",
// "node:worker-1", "external:192.0.2.1", "port:IFACE-ID", each with an optional "@NODE". See the POINT section of the manual.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/result.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/journey.h"

namespace egt::explain {

// The parts of the text, not yet looked up in a snapshot.
struct Point {
  enum class Kind : std::uint8_t { pod, ip, service, node, external, port };
  Kind kind = Kind::ip;
  std::string text;              // as the user wrote it
  std::string namespace_, name;  // pod, service; name alone: node, port, a pod of whichever namespace has it
  std::string made_by;           // pod: "deploy", "sts", ...: `name` is that of what made it
  std::string port_name;         // service: "http"
  std::optional<IpAddr> ip;      // ip, external
  std::optional<std::uint16_t> port;
  std::string at_node;
  std::string network;  // pod: key of a NetworkAttachmentDefinition, or its name; empty: the primary network
  friend bool operator==(const Point&, const Point&) = default;
};

// `default_namespace` completes "pod/NAME", "deploy/NAME" and "NAME".
Result<Point> parse_point(std::string_view text, std::string_view default_namespace = {});

// What a point means in this snapshot.
struct Resolved {
  std::string kind;               // pod | service | node | external | ip: the JSON's "kind"
  std::string name, node;         // as far as known
  std::vector<IpAddr> addresses;  // of both families where there are both
  std::optional<std::uint16_t> port;
  std::optional<engine::Endpoint> place;  // where packets start; absent when only the address is known
  bool choose_source = false;             // a process whose kernel chooses
  bool is_unknown_pod = false;            // an address of the pods' networks that no pod of the snapshot has
  // The pod's network; empty: the cluster's default one. `perhaps`: it has a port there, and no dump shows which of its networks
  // is the primary one. `without_port`: no dump shows its port there.
  struct OtherNetwork {
    std::string name;
    bool perhaps = false, without_port = false;
    std::string plugin = {};  // that has made it; empty: OVN-Kubernetes has
    std::string device = {};  // in the pod, as far as it is known
  } network = {};
  bool network_given = false;  // the point names the pod's network
  // Names of all that may be meant, where an address is one of several nodes or pods and nothing tells which; `place` is of the
  // first.
  std::vector<std::string> candidates = {};
};

// Errors name what is nearest to an unknown pod, node or service. `network`: where addresses are looked up first, which several
// networks may use; null: in all of them.
Result<Resolved> resolve(const Point& point, const cluster::Cluster& cluster, const engine::Workloads& workloads,
                         const std::string* network = nullptr);

}  // namespace egt::explain
