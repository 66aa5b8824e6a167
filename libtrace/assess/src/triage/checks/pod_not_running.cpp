// Pods that wait to be started, and pods that have ended and to which a service still sends.
#include <fmt/format.h>

#include <map>

#include "triage/checks.h"

namespace egt::assess {
namespace pod_not_running {

constexpr std::size_t kShown = 4;   // pods that a finding names

void report_pending(const std::string& node, const std::vector<const cluster::Pod*>& pods, Findings& out) {
  std::string names;
  std::vector<Provenance> lines;
  for (std::size_t i = 0; i < pods.size() && i < kShown; ++i) {
    names += fmt::format("{} {}", i == 0 ? "" : ",", pods[i]->full_name());
    lines.push_back(pods[i]->from);
  }
  if (pods.size() > kShown) names += fmt::format(" and {} more", pods.size() - kShown);
  out.add(fmt::format("{}{} {} Pending{}: nothing in {} runs yet.", pods.size() == 1 ? "Pod" : "Pods", names, pods.size() == 1 ? "is" : "are",
                      node.empty() ? ", and no node has been chosen" : " on " + node, pods.size() == 1 ? "it" : "them"),
          node, "Pod " + pods.front()->full_name(), lines, fmt::format("oc describe pod -n {} {}.", pods.front()->namespace_, pods.front()->name));
}

// The addresses that ready endpoints of services have.
std::map<IpAddr, const cluster::EndpointSlice*> served(const cluster::Objects& objects) {
  std::map<IpAddr, const cluster::EndpointSlice*> all;
  for (const cluster::EndpointSlice& slice : objects.endpoint_slices)
    for (const cluster::ServiceEndpoint& endpoint : slice.endpoints)
      if (endpoint.ready) all.emplace(endpoint.address, &slice);
  return all;
}

void report_ended(const Facts& f, const cluster::Pod& pod, const std::map<IpAddr, const cluster::EndpointSlice*>& served, Findings& out) {
  for (const IpAddr& address : pod.former_addresses) {
    const auto slice = served.find(address);
    if (slice == served.end() || f.pod_with(address) != nullptr) continue;
    out.weigh(Severity::warning);
    out.add(fmt::format("Pod {} has ended ({}), and service {}/{} still sends to its address {}.", pod.full_name(), pod.phase == cluster::PodPhase::failed ? "Failed" : "Succeeded",
                        slice->second->namespace_, slice->second->service, address.to_string()),
            pod.node, "Pod " + pod.full_name(), {pod.from, slice->second->from},
            fmt::format("oc get endpointslices -n {} -o wide; the log of kube-controller-manager.", slice->second->namespace_));
  }
}

void run(const Facts& f, Findings& out) {
  std::map<std::string, std::vector<const cluster::Pod*>> pending;   // by node
  const auto endpoints = served(f.cluster.objects);
  for (const cluster::Pod& pod : f.cluster.objects.pods) {
    if (pod.phase == cluster::PodPhase::pending) pending[pod.node].push_back(&pod);
    if (pod.has_ended()) report_ended(f, pod, endpoints, out);
  }
  for (const auto& [node, pods] : pending) report_pending(node, pods, out);
}

std::string needs_pods(const Facts& f) {
  return f.cluster.objects.pods.begin() == f.cluster.objects.pods.end() ? "no Pod objects (oc get pods -A -o yaml)" : "";
}

}  // namespace pod_not_running

const Check kPodNotRunning{"pod-not-running", "Pods that do not run", Severity::note, pod_not_running::needs_pods, pod_not_running::run};

}  // namespace egt::assess
