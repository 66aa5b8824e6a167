// A pod whose interface Open vSwitch does not have, or has without a port number: no connectivity at all.
#include <algorithm>

#include "egtrace/engine/workload.h"
#include "triage/checks.h"

namespace egt::assess {
namespace pod_port_unclaimed {

const openflow::Interface* interface_of(const cluster::Node& node, const KnownPod& pod) {
  const std::string id = cluster::logical_port_name(pod.namespace_, pod.name);
  for (const openflow::Bridge& bridge : node.bridges)
    for (const openflow::Interface& port : bridge.interfaces)
      if (const auto found = port.external_ids.find("iface-id"); found != port.external_ids.end() && found->second == id)
        return &port;
  return nullptr;
}

void run(const Facts& f, Findings& out) {
  for (const KnownPod& pod : f.pods) {
    const cluster::Node* node = f.cluster.node(pod.node);
    if (node == nullptr || pod.host_network || pod.object == nullptr) continue;
    if (!engine::shows_pods_of_interfaces(*node)) {
      out.lacks(Lack::interface_rows, {pod.node});
      continue;
    }
    const openflow::Interface* port = interface_of(*node, pod);
    if (port != nullptr && (!port->ofport || *port->ofport < 0xff00)) continue;
    out.about(pod);
    out.add(Claim::pod_port_unclaimed, pod.node, "Pod " + pod.full_name(),
            {pod.full_name(), port != nullptr, cluster::logical_port_name(pod.namespace_, pod.name)},
            {pod.object->from, port != nullptr ? port->from : Provenance{}});
  }
}

}  // namespace pod_port_unclaimed

const Check kPodPortUnclaimed{"pod-port-unclaimed", Severity::error, needs_pods, pod_port_unclaimed::run};

}  // namespace egt::assess
