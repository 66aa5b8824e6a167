// A pod's device whose MTU is not that of the pods' network: packets of a size between the two are lost.
#include "egtrace/engine/workload.h"
#include "triage/checks.h"

namespace egt::assess {
namespace pod_mtu {

void run(const Facts& f, Findings& out) {
  const engine::Workloads workloads(f.cluster);
  for (const KnownPod& pod : f.pods) {
    const cluster::Node* node = f.cluster.node(pod.node);
    if (node == nullptr || pod.host_network) continue;
    const engine::Workload* device = workloads.with_id(cluster::logical_port_name(pod.namespace_, pod.name), pod.node);
    const host::Link* management = management_device(*node);
    const host::Link* link = device != nullptr ? node->host.link(device->port->name) : nullptr;
    if (link == nullptr || management == nullptr || link->mtu == 0 || management->mtu == 0 || link->mtu == management->mtu)
      continue;
    out.about(pod);
    out.add(Claim::pod_mtu, pod.node, "Pod " + pod.full_name(),
            {pod.full_name(), link->name, link->mtu, management->name, management->mtu}, {link->from, management->from});
  }
}

}  // namespace pod_mtu

const Check kPodMtu{"pod-mtu", Severity::warning, needs_pods, pod_mtu::run};

}  // namespace egt::assess
