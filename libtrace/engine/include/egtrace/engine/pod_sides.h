// On which of its networks a pod is meant, and which pods have which address there.
#pragma once

#include <algorithm>

#include "egtrace/cluster/pod_networks.h"
#include "egtrace/engine/journey.h"
#include "egtrace/engine/workload.h"

namespace egt::engine {

// Where nothing names another one: its primary network, or the default one. Explanations, checks, the audit and triage ask here.
inline PodSide usual_side(const cluster::Pod& pod) { return {&pod, pod.primary()}; }

// As dumps of the pod's own network namespace show it, whatever its ports have. Null: none does.
const host::Address* address_in_pod(const cluster::Node& node, const PodNetwork& pod, const IpAddr& address);

// By the index of Kubernetes objects, and by ports of pods. The workloads must outlive it.
inline cluster::SeenNetworks seen_networks(const Workloads& workloads) {
  return {[&workloads](const std::string& network, const IpAddr& address) {
            const auto& sides = workloads.objects_with(address);
            return std::any_of(sides.begin(), sides.end(),
                               [&](const PodSide& side) { return side.on != nullptr && side.on->network == network; });
          },
          [&workloads](const cluster::Pod& pod, const cluster::PodAttachment& on) {
            const Workload* port = workloads.with_id(PodSide{&pod, &on}.port_name(), pod.node);
            return port != nullptr ? port->network.addresses : std::vector<Prefix>();
          }};
}

}  // namespace egt::engine
