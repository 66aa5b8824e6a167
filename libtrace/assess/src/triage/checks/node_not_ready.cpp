// A node whose condition Ready is not True: services leave its pods out, and egress IPs move away from it.
#include "triage/checks.h"

namespace egt::assess {
namespace node_not_ready {

void run(const Facts& f, Findings& out) {
  bool any = false;
  for (const cluster::NodeObject& node : f.cluster.objects.nodes) {
    any |= node.ready.has_value();
    if (node.ready.value_or(true)) continue;
    out.add(Claim::node_not_ready, node.name, "Node " + node.name, {if_any(node.why_not_ready)}, {node.from});
  }
  if (!any) out.lacks(Lack::node_conditions);
}

}  // namespace node_not_ready

const Check kNodeNotReady{"node-not-ready", Severity::warning, needs_nodes, node_not_ready::run};

}  // namespace egt::assess
