// Pods on a switch with a localnet port, on a node where no bridge is mapped to its physical network: they reach each other there,
// and nothing else.
#include <set>

#include "egtrace/engine/localnet.h"
#include "egtrace/engine/workload.h"
#include "triage/checks.h"

namespace egt::assess {
namespace localnet_not_mapped {

// Switches that have ports of pods plugged in here: such as ovn-controller claims.
std::set<std::string> switches_of_pods(const cluster::Node& node, const openflow::Bridge& integration) {
  std::set<std::string> plugged, switches;
  for (const openflow::Interface& port : integration.interfaces)
    if (engine::is_workload(port)) plugged.insert(port.external_ids.at("iface-id"));
  for (const ovn::LogicalPort& port : node.ovn.ports)
    if (!port.on_router && port.type.empty() && plugged.contains(port.name)) switches.insert(port.datapath);
  return switches;
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    const openflow::Bridge* integration = node->integration_bridge();
    if (integration == nullptr) continue;
    for (const std::string& name : switches_of_pods(*node, *integration)) {
      const engine::Localnet localnet = engine::localnet_of(*node, name);
      if (localnet.mapping != engine::Localnet::Mapping::not_mapped) continue;
      out.add(Claim::localnet_not_mapped, node->name, "", {name, localnet.port->name}, {localnet.port->from});
    }
  }
}

}  // namespace localnet_not_mapped

const Check kLocalnetNotMapped{"localnet-not-mapped", Severity::error, always, localnet_not_mapped::run};

}  // namespace egt::assess
