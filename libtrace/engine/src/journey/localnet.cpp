#include "egtrace/engine/localnet.h"

#include <algorithm>

#include "egtrace/engine/workload.h"
#include "egtrace/ovn_kubernetes/names.h"
#include "segment.h"

namespace egt::engine {
namespace {

using Mapping = Localnet::Mapping;

// Ports that ovn-controller makes: without any, the list may be of other ports.
bool lists_patch_ports(const openflow::Bridge& bridge) {
  return std::any_of(bridge.interfaces.begin(), bridge.interfaces.end(),
                     [](const openflow::Interface& i) { return i.type == "patch"; });
}

// Interfaces as the database has them, the bridge's own among them: more than those of some pods.
bool lists_interfaces(const cluster::Node& node, const openflow::Bridge& bridge) {
  return bridge.by_name(bridge.name) != nullptr && shows_pods_of_interfaces(node);
}

void find_bridge(const cluster::Node& node, Localnet& localnet) {
  const openflow::Bridge* integration = node.integration_bridge();
  if (integration == nullptr) return;
  const auto inner = node.port(ovnk::patch_port(integration->name, localnet.port->name));
  const auto outer = node.port(ovnk::patch_port(localnet.port->name, integration->name));
  if (inner.port != nullptr && outer.port != nullptr) {
    localnet.mapping = Mapping::mapped;
    localnet.bridge = outer.bridge;
  } else if (inner.port == nullptr && outer.port == nullptr) {
    localnet.lacks_all_patch_ports = !lists_patch_ports(*integration);
    if (!localnet.lacks_all_patch_ports || lists_interfaces(node, *integration)) localnet.mapping = Mapping::not_mapped;
  }
}

}  // namespace

Localnet localnet_of(const cluster::Node& node, std::string_view logical_switch) {
  Localnet found;
  const auto port = std::find_if(node.ovn.ports.begin(), node.ovn.ports.end(), [&](const ovn::LogicalPort& p) {
    return !p.on_router && p.type == "localnet" && p.datapath == logical_switch;
  });
  if (logical_switch.empty() || port == node.ovn.ports.end()) return found;
  found.port = &*port;
  find_bridge(node, found);
  if (found.bridge == nullptr) return found;
  for (const openflow::Interface& i : found.bridge->interfaces)
    if (is_uplink(*found.bridge, i)) found.uplinks.push_back(i.name);
  return found;
}

}  // namespace egt::engine
