// Pods that wait to be started, and pods that have ended and to which a service still sends.
#include <map>

#include "triage/checks.h"

namespace egt::assess {
namespace pod_not_running {

void report_pending(const std::string& node, const std::vector<const cluster::Pod*>& pods, Findings& out) {
  Term::Few named;
  std::vector<Provenance> lines;
  for (const cluster::Pod* pod : pods) {
    named.push_back({pod->full_name(), {}});
    if (lines.size() < kNamed) lines.push_back(pod->from);
  }
  out.add(Claim::pods_pending, node, "Pod " + pods.front()->full_name(), {named, pods.front()->namespace_, pods.front()->name},
          lines);
}

// The addresses that ready endpoints of services have.
std::map<IpAddr, const cluster::EndpointSlice*> served(const cluster::Objects& objects) {
  std::map<IpAddr, const cluster::EndpointSlice*> all;
  for (const cluster::EndpointSlice& slice : objects.endpoint_slices)
    for (const cluster::ServiceEndpoint& endpoint : slice.endpoints)
      if (endpoint.ready) all.emplace(endpoint.address, &slice);
  return all;
}

void report_ended(const Facts& f, const cluster::Pod& pod, const std::map<IpAddr, const cluster::EndpointSlice*>& served,
                  Findings& out) {
  for (const IpAddr& address : pod.former_addresses) {
    const auto slice = served.find(address);
    if (slice == served.end() || f.pod_with(address) != nullptr) continue;
    out.weigh(Severity::warning);
    out.add(Claim::ended_pod_served, pod.node, "Pod " + pod.full_name(),
            {pod.full_name(), pod.phase == cluster::PodPhase::failed, slice->second->namespace_, slice->second->service, address},
            {pod.from, slice->second->from});
  }
}

void run(const Facts& f, Findings& out) {
  std::map<std::string, std::vector<const cluster::Pod*>> pending;  // by node
  const auto endpoints = served(f.cluster.objects);
  for (const cluster::Pod& pod : f.cluster.objects.pods) {
    if (pod.phase == cluster::PodPhase::pending) pending[pod.node].push_back(&pod);
    if (pod.has_ended()) report_ended(f, pod, endpoints, out);
  }
  for (const auto& [node, pods] : pending) report_pending(node, pods, out);
}

}  // namespace pod_not_running

const Check kPodNotRunning{"pod-not-running", Severity::note, needs_pods, pod_not_running::run};

}  // namespace egt::assess
