// A pod whose interface Open vSwitch does not have, or has without a port number: no connectivity at all.
#include <algorithm>
#include <utility>

#include "egtrace/engine/workload.h"
#include "triage/checks.h"

namespace egt::assess {
namespace pod_port_unclaimed {

const openflow::Interface* interface_of(const cluster::Node& node, const std::string& id) {
  for (const openflow::Bridge& bridge : node.bridges)
    for (const openflow::Interface& port : bridge.interfaces)
      if (const auto found = port.external_ids.find("iface-id"); found != port.external_ids.end() && found->second == id)
        return &port;
  return nullptr;
}

// `network`: its key; empty: the default one.
void check_port(const cluster::Node& node, const KnownPod& pod, const std::string& network, const std::string& id,
                Findings& out) {
  const openflow::Interface* port = interface_of(node, id);
  if (port != nullptr && (!port->ofport || *port->ofport < 0xff00)) return;
  out.about(pod);
  Terms terms = {pod.full_name(), port != nullptr, id};
  if (!network.empty()) terms.push_back(network);
  out.add(Claim::pod_port_unclaimed, pod.node, "Pod " + pod.full_name(), std::move(terms),
          {pod.object->from, port != nullptr ? port->from : Provenance{}});
}

void run(const Facts& f, Findings& out) {
  for (const KnownPod& pod : f.all_pods) {
    const cluster::Node* node = f.cluster.node(pod.node);
    if (node == nullptr || pod.host_network || pod.object == nullptr) continue;
    if (!engine::shows_pods_of_interfaces(*node)) {
      out.lacks(Lack::interface_rows, {pod.node});
      continue;
    }
    check_port(*node, pod, {}, cluster::logical_port_name(pod.namespace_, pod.name), out);
    for (const cluster::PodAttachment& on : pod.object->other_networks)
      if (on.of_ovn) check_port(*node, pod, on.network, cluster::logical_port_name(*pod.object, on), out);
  }
}

}  // namespace pod_port_unclaimed

const Check kPodPortUnclaimed{"pod-port-unclaimed", Severity::error, needs_pods, pod_port_unclaimed::run};

}  // namespace egt::assess
