#include "position.h"

#include <algorithm>

namespace egt::engine {
namespace {

bool has_role(const cluster::Node& node, cluster::Role role) {
  return std::find(node.roles.begin(), node.roles.end(), role) != node.roles.end();
}

}  // namespace

Layer layer_of(const cluster::Node& node) {
  return node.roles.empty() || has_role(node, cluster::Role::cluster_node) ? Layer::host : Layer::router;
}

bool userspace_datapath(const openflow::Bridge& bridge) { return bridge.datapath_type == "netdev"; }

std::uint32_t number_of(const openflow::Bridge& bridge, const openflow::Interface& port) {
  if (port.ofport) return *port.ofport;
  return port.name == bridge.name ? openflow::port::local : openflow::port::none;
}

Stop stop_at_device(const cluster::Node& node, const std::string& device, Cause why, std::vector<Provenance> evidence) {
  return {node.name, Layer::underlay, {PlaceKind::device, {device}}, std::move(why), std::move(evidence)};
}

Stop stop_at_pod(const Endpoint& pod, Cause why, std::vector<Provenance> evidence) {
  return {pod.node->name, Layer::host, {PlaceKind::pod, {pod.pod.name}}, std::move(why), std::move(evidence)};
}

}  // namespace egt::engine
