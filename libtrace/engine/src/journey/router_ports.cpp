#include "router_ports.h"

#include <unordered_map>

namespace egt::engine {
namespace {

std::vector<RouterPort> ports_on_routers(const cluster::Node& node) {
  std::vector<RouterPort> ports;
  std::unordered_map<std::string_view, std::string_view> switch_of;
  for (const ovn::LogicalPort& port : node.ovn.ports)
    if (!port.on_router) switch_of.emplace(port.name, port.datapath);
  for (const ovn::LogicalPort& port : node.ovn.ports)
    if (port.on_router) {
      const auto peer = switch_of.find(port.peer);
      ports.push_back({&port, peer == switch_of.end() ? std::string_view() : peer->second});
    }
  return ports;
}

}  // namespace

const std::vector<RouterPort>& RouterPorts::of(const cluster::Node& node) const {
  return per_node_.of(node, [&] { return ports_on_routers(node); });
}

}  // namespace egt::engine
