#include "egtrace/assess/coverage.h"

#include <set>

namespace egt::assess {

Coverage coverage_of(const cluster::Cluster& cluster) {
  Coverage coverage;
  std::set<std::string> absent, present;
  const auto sort_in = [&](const std::string& node) {
    if (!node.empty()) (cluster.handle(node) == nullptr ? absent : present).insert(node);
  };
  for (const cluster::NodeObject& node : cluster.objects.nodes) sort_in(node.name);
  for (const cluster::Pod& pod : cluster.objects.pods) {
    if (pod.addresses.empty()) continue;  // it has ended, or waits
    sort_in(pod.node);
    if (!pod.host_network && absent.contains(pod.node)) ++coverage.absent_pods;
  }
  coverage.absent_nodes.assign(absent.begin(), absent.end());
  coverage.nodes = present.size();
  return coverage;
}

}  // namespace egt::assess
