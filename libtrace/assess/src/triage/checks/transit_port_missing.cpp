// The transit switch of a zone lacks the port of another zone's router, or the port is bound to no chassis.
#include <algorithm>

#include "egtrace/ovn_kubernetes/names.h"
#include "triage/checks.h"

namespace egt::assess {
namespace transit_port_missing {

void run(const Facts& f, Findings& out) {
  const std::vector<std::string> names = cluster_nodes(f.cluster);
  for (const auto& node : f.cluster.nodes) {
    if (!is_cluster_node(*node)) continue;
    const auto& ports = node->ovn.ports;
    // Without zones there is no transit switch.
    const auto any = std::find_if(ports.begin(), ports.end(),
                                  [](const ovn::LogicalPort& p) { return p.name.starts_with(ovnk::kTransitToRouter); });
    if (any == ports.end() ||
        !(node->ovn.complete_tables.contains("NB Logical_Switch_Port") || node->ovn.complete_tables.contains("SB Port_Binding")))
      continue;
    for (const std::string& other : names) {
      const auto port = std::find_if(ports.begin(), ports.end(), [&](const ovn::LogicalPort& p) {
        return ovnk::behind(ovnk::kTransitToRouter, p.name) == other;
      });
      if (port != ports.end()) continue;
      out.add(Claim::transit_port_missing, node->name, "", {other}, {any->from});
    }
  }
}

}  // namespace transit_port_missing

const Check kTransitPortMissing{"transit-port-missing", Severity::error, always, transit_port_missing::run};

}  // namespace egt::assess
