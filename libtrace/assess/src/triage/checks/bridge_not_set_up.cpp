// The external bridge only switches: ovnkube-node has not written its flows since the node started.
#include <algorithm>
#include <string>

#include "egtrace/ovn_kubernetes/names.h"
#include "triage/checks.h"

namespace egt::assess {
namespace bridge_not_set_up {

constexpr std::size_t kBootstrapFlows = 3;  // what a bridge has before ovnkube-node starts

// Of a localnet port that stands on a switch with a router, as gateway routers have them. A secondary network's leads to a
// bridge that OVN-Kubernetes does not set up, and which only switches.
bool is_of_gateway(const cluster::Node& node, const std::string& localnet) {
  const auto& ports = node.ovn.ports;
  const auto port = std::find_if(ports.begin(), ports.end(), [&](const ovn::LogicalPort& p) { return p.name == localnet; });
  if (port == ports.end()) return !localnet.ends_with(ovnk::kLocalnetPort);
  return std::any_of(ports.begin(), ports.end(),
                     [&](const ovn::LogicalPort& p) { return !p.on_router && p.datapath == port->datapath && !p.peer.empty(); });
}

bool has_patch(const cluster::Node& node, const openflow::Bridge& bridge, const openflow::Bridge& integration) {
  const std::string_view begin = ovnk::kPatch;
  const std::string end = ovnk::named(ovnk::kPatchTo, integration.name);
  return std::any_of(bridge.interfaces.begin(), bridge.interfaces.end(), [&](const openflow::Interface& i) {
    if (i.type != "patch") return false;
    if (!i.name.starts_with(begin) || !i.name.ends_with(end)) return true;
    return is_of_gateway(node, i.name.substr(begin.size(), i.name.size() - begin.size() - end.size()));
  });
}

bool only_normal(const openflow::Bridge& bridge) {
  const openflow::FlowTables& flows = *bridge.flows;
  for (openflow::FlowIndex i = 0; i < flows.size(); ++i)
    if (openflow::actions_text(flows.flow(i)) != "NORMAL") return false;
  return flows.size() > 0;
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    const openflow::Bridge* integration = node->integration_bridge();
    if (integration == nullptr) continue;
    for (const openflow::Bridge& bridge : node->bridges) {
      if (&bridge == integration || !bridge.flows || bridge.flows_partial || !has_patch(*node, bridge, *integration)) continue;
      if (bridge.flows->size() > kBootstrapFlows || !only_normal(bridge)) continue;
      out.add(Claim::bridge_not_set_up, node->name, "", {bridge.name, bridge.flows->size()}, {bridge.flows->flow(0).from});
    }
  }
}

}  // namespace bridge_not_set_up

const Check kBridgeNotSetUp{"bridge-not-set-up", Severity::error, always, bridge_not_set_up::run};

}  // namespace egt::assess
