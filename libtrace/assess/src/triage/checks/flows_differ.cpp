// Flows of the integration bridge that do not follow from the logical flows: ovn-controller stands still, or they were changed
// by hand.
#include <algorithm>

#include "egtrace/explain/agreement.h"
#include "triage/checks.h"
#include "triage/lagging_flows.h"

namespace egt::assess {
namespace flows_differ {

constexpr std::size_t kShown = 4;

std::vector<Provenance> first_of(const std::vector<Provenance>& lines) {
  return {lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(std::min(lines.size(), kShown))};
}

void judge(const cluster::Node& node, const explain::Agreement& agreement, Findings& out) {
  const std::string bridge = node.integration_bridge()->name;
  const bool harms = explain_flow_drops(node, out);
  const bool lack = !agreement.missing.empty();
  const std::vector<Provenance>& lines = lack ? agreement.missing : agreement.orphaned;
  out.weigh(harms ? Severity::error : Severity::warning);
  out.add(lack ? Claim::flows_missing : Claim::flows_orphaned, node.name, "",
          {bridge, lines.size(), node.ovn.controller.has_value()}, first_of(lines));
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    if (node->integration_bridge() == nullptr) continue;
    if (node->ovn.controller && !node->ovn.controller->connected) continue;  // the finding of that names what differs
    const auto& agreement = f.explainer.agreement(*node);
    if (agreement && !agreement->complete()) judge(*node, *agreement, out);
    if (!agreement) out.lacks(Lack::flows_of_either_kind, {node->name});
  }
}

}  // namespace flows_differ

const Check kFlowsDiffer{"flows-differ", Severity::error, always, flows_differ::run};

}  // namespace egt::assess
