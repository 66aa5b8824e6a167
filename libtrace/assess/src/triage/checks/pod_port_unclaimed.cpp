// A pod whose interface Open vSwitch does not have, or has without a port number: no connectivity at all.
#include <fmt/format.h>

#include <algorithm>

#include "egtrace/engine/workload.h"
#include "triage/checks.h"

namespace egt::assess {
namespace pod_port_unclaimed {

const openflow::Interface* interface_of(const cluster::Node& node, const KnownPod& pod) {
  const std::string id = cluster::logical_port_name(pod.namespace_, pod.name);
  for (const openflow::Bridge& bridge : node.bridges)
    for (const openflow::Interface& port : bridge.interfaces)
      if (const auto found = port.external_ids.find("iface-id");
          found != port.external_ids.end() && found->second == id)
        return &port;
  return nullptr;
}

void run(const Facts& f, Findings& out) {
  for (const KnownPod& pod : f.pods) {
    const cluster::Node* node = f.cluster.node(pod.node);
    if (node == nullptr || pod.host_network || pod.object == nullptr) continue;
    if (!engine::shows_pods_of_interfaces(*node)) {
      out.lacks(fmt::format("interfaces of {} (ovs-vsctl list interface)", pod.node));
      continue;
    }
    const openflow::Interface* port = interface_of(*node, pod);
    if (port != nullptr && (!port->ofport || *port->ofport < 0xff00)) continue;
    out.about(pod);
    out.add(fmt::format("Pod {} runs on {}, but Open vSwitch there has {}.", pod.full_name(), pod.node,
                        port == nullptr ? "no interface of it" : "no port number for its interface"),
            pod.node, fmt::format("Pod {}", pod.full_name()),
            {pod.object->from, port != nullptr ? port->from : Provenance{}},
            fmt::format("ovs-vsctl --columns=name,ofport,error find interface external_ids:iface-id={} on {}.",
                        cluster::logical_port_name(pod.namespace_, pod.name), pod.node));
  }
}

std::string lacks(const Facts& f) {
  return f.cluster.objects.pods.empty() ? "no Pod objects (oc get pods -A -o yaml)" : "";
}

}  // namespace pod_port_unclaimed

const Check kPodPortUnclaimed{"pod-port-unclaimed", "A pod without a port of Open vSwitch", Severity::error,
                              pod_port_unclaimed::lacks, pod_port_unclaimed::run};

}  // namespace egt::assess
