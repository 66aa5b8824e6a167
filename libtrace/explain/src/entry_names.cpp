#include "egtrace/explain/entry_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "egtrace/explain/suggest.h"

namespace egt::explain {
namespace {

using cluster::Cluster;
using cluster::Node;

// Of the host and of Open vSwitch.
void add_devices(const Node& node, std::set<std::string>& names) {
  for (const host::Link& link : node.host.links.value) names.insert(link.name);
  for (const openflow::Bridge& bridge : node.bridges)
    for (const openflow::Interface& port : bridge.interfaces) names.insert(port.name);
}

bool shows_devices(const Node& node) {
  return node.host.links.present && (node.host.link_list_complete || !node.host.links.partial);
}

bool shows_all_devices(const Cluster& cluster) {
  const auto& nodes = cluster.objects.nodes;
  return !cluster.nodes.empty() &&
         std::all_of(cluster.nodes.begin(), cluster.nodes.end(), [](const auto& node) { return shows_devices(*node); }) &&
         std::all_of(nodes.begin(), nodes.end(), [&](const auto& object) { return cluster.node(object.name) != nullptr; });
}

std::string suggestion(const std::string& name, const std::set<std::string>& known) {
  return did_you_mean(name, std::vector<std::string>(known.begin(), known.end()));
}

}  // namespace

std::optional<UnknownEntry> unknown_entry(const Cluster& cluster, const std::string& arrive_at, const std::string& in_dev) {
  using Key = UnknownEntry::Key;
  const Node* node = arrive_at.empty() ? nullptr : cluster.node(arrive_at);
  std::set<std::string> known;
  if (!arrive_at.empty() && node == nullptr) {
    for (const auto& n : cluster.nodes) known.insert(n->name);
    return UnknownEntry{Key::arrive_at, fmt::format("the snapshot has no node {}{}", arrive_at, suggestion(arrive_at, known))};
  }
  if (in_dev.empty() || (node != nullptr ? !shows_devices(*node) : !shows_all_devices(cluster))) return std::nullopt;
  for (const auto& n : cluster.nodes)
    if (node == nullptr || node == n.get()) add_devices(*n, known);
  if (known.contains(in_dev)) return std::nullopt;
  return UnknownEntry{Key::in_dev, fmt::format("{} has no device {}{}", node != nullptr ? node->name : "the snapshot", in_dev,
                                               suggestion(in_dev, known))};
}

}  // namespace egt::explain
