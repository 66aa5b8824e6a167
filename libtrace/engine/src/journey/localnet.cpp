#include "egtrace/engine/localnet.h"

#include <fmt/format.h>

#include <algorithm>

#include "segment.h"

namespace egt::engine {
namespace {

const openflow::Bridge* bridge_behind(const cluster::Node& node, const std::string& localnet) {
  const openflow::Bridge* integration = node.integration_bridge();
  if (integration == nullptr) return nullptr;
  const auto inner = node.port(fmt::format("patch-{}-to-{}", integration->name, localnet));
  const auto outer = node.port(fmt::format("patch-{}-to-{}", localnet, integration->name));
  return inner.port != nullptr && outer.port != nullptr ? outer.bridge : nullptr;
}

}  // namespace

Localnet localnet_of(const cluster::Node& node, std::string_view logical_switch) {
  Localnet found;
  const auto port = std::find_if(node.ovn.ports.begin(), node.ovn.ports.end(), [&](const ovn::LogicalPort& p) {
    return !p.on_router && p.type == "localnet" && p.datapath == logical_switch;
  });
  if (logical_switch.empty() || port == node.ovn.ports.end()) return found;
  found.port = &*port;
  found.bridge = bridge_behind(node, port->name);
  if (found.bridge == nullptr) return found;
  for (const openflow::Interface& i : found.bridge->interfaces)
    if (is_uplink(*found.bridge, i)) found.uplinks.push_back(i.name);
  return found;
}

}  // namespace egt::engine
