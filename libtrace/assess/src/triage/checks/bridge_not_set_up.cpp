// The external bridge only switches: ovnkube-node has not written its flows since the node started.
#include <algorithm>

#include "triage/checks.h"

namespace egt::assess {
namespace bridge_not_set_up {

constexpr std::size_t kBootstrapFlows = 3;  // what a bridge has before ovnkube-node starts

bool has_patch(const openflow::Bridge& bridge) {
  return std::any_of(bridge.interfaces.begin(), bridge.interfaces.end(),
                     [](const openflow::Interface& i) { return i.type == "patch"; });
}

bool only_normal(const openflow::Bridge& bridge) {
  const openflow::FlowTables& flows = *bridge.flows;
  for (openflow::FlowIndex i = 0; i < flows.size(); ++i)
    if (flows.actions_text(flows.flow(i)) != "NORMAL") return false;
  return flows.size() > 0;
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    const openflow::Bridge* integration = node->integration_bridge();
    if (integration == nullptr) continue;
    for (const openflow::Bridge& bridge : node->bridges) {
      if (&bridge == integration || !bridge.flows || bridge.flows_partial || !has_patch(bridge)) continue;
      if (bridge.flows->size() > kBootstrapFlows || !only_normal(bridge)) continue;
      out.add(Claim::bridge_not_set_up, node->name, "", {bridge.name, bridge.flows->size()}, {bridge.flows->flow(0).from});
    }
  }
}

}  // namespace bridge_not_set_up

const Check kBridgeNotSetUp{"bridge-not-set-up", Severity::error, always, bridge_not_set_up::run};

}  // namespace egt::assess
