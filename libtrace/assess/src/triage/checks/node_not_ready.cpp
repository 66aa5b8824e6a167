// A node whose condition Ready is not True: services leave its pods out, and egress IPs move away from it.
#include <fmt/format.h>

#include "triage/checks.h"

namespace egt::assess {
namespace node_not_ready {

void run(const Facts& f, Findings& out) {
  bool any = false;
  for (const cluster::NodeObject& node : f.cluster.objects.nodes) {
    any |= node.ready.has_value();
    if (node.ready.value_or(true)) continue;
    out.add(fmt::format("Node {} is not Ready{}: services leave out its pods, and egress IPs move to other nodes.", node.name,
                        node.why_not_ready.empty() ? "" : fmt::format(" ({})", node.why_not_ready)),
            node.name, "Node " + node.name, {node.from},
            fmt::format("oc describe node {0}; the log of kubelet there (journalctl -u kubelet).", node.name));
  }
  if (!any) out.lacks("the conditions of Node objects (oc get nodes -o yaml)");
}

std::string needs_nodes(const Facts& f) {
  return f.cluster.objects.nodes.begin() == f.cluster.objects.nodes.end() ? "no Node objects (oc get nodes -o yaml)" : "";
}

}  // namespace node_not_ready

const Check kNodeNotReady{"node-not-ready", "A node that is not Ready", Severity::warning, node_not_ready::needs_nodes,
                          node_not_ready::run};

}  // namespace egt::assess
