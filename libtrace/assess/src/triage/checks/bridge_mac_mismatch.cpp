// The gateway router answers with a MAC address that the external bridge no longer has (a NIC or bond was changed).
#include "egtrace/ovn_kubernetes/names.h"
#include "triage/checks.h"

namespace egt::assess {
namespace bridge_mac_mismatch {

// The device that has the router port's address: OVN-Kubernetes gives the gateway router the node's own.
const host::Link* device_with(const cluster::Node& node, const ovn::LogicalPort& port) {
  for (const Prefix& p : port.addresses)
    if (!p.address.is_link_local())
      if (const host::Link* link = node.host.owner_of(p.address)) return link;
  return nullptr;
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes)
    for (const ovn::LogicalPort& port : node->ovn.ports) {
      if (!port.on_router || !ovnk::has_prefixes(port.name, ovnk::kRouterToExternal, ovnk::kGatewayRouter) || !port.mac) continue;
      const host::Link* link = device_with(*node, port);
      if (link == nullptr || !link->mac || *link->mac == *port.mac) continue;
      out.add(Claim::bridge_mac_mismatch, node->name, "", {*port.mac, link->name, *link->mac}, {port.from, link->from});
    }
}

}  // namespace bridge_mac_mismatch

const Check kBridgeMacMismatch{"bridge-mac-mismatch", Severity::error, always, bridge_mac_mismatch::run};

}  // namespace egt::assess
