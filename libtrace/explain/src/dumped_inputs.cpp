#include "dumped_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "egtrace/explain/phrases.h"

namespace egt::explain {
namespace {

using engine::Input;

template <class T>
bool is_whole(const host::Part<T>& part) {
  return part.present && !part.partial;
}

bool has_all(const cluster::Node& node, bool (*has)(const openflow::Bridge&)) {
  return !node.bridges.empty() && std::all_of(node.bridges.begin(), node.bridges.end(), has);
}

bool is_dumped(Input input, const cluster::Node& node) {
  switch (input) {
    case Input::neighbour_mac: return is_whole(node.host.neighbours);
    case Input::devices:
    case Input::addresses:
    case Input::device:
    case Input::device_mac:
    case Input::tunnel_device: return is_whole(node.host.links);
    case Input::mac_binding: return node.ovn.complete_tables.contains("SB MAC_Binding");
    case Input::groups:
    case Input::group: return has_all(node, [](const openflow::Bridge& b) { return b.has_groups; });
    case Input::mac_table: return has_all(node, [](const openflow::Bridge& b) { return b.has_fdb; });
    default: return false;
  }
}

// A device that has an address without a neighbour entry answers when asked.
std::string command_beyond(Input input, const engine::Details& about) {
  if (input != Input::neighbour_mac || about.size() < 2) return {};
  const auto* address = std::get_if<IpAddr>(&about[0]);
  const auto* device = std::get_if<std::string>(&about[1]);
  if (address == nullptr || device == nullptr) return {};
  return address->is_v4() ? fmt::format("arping -c 3 -I {} {}", *device, address->to_string())
                          : fmt::format("ping -6 -c 3 {}%{}; ip -6 neigh", address->to_string(), *device);
}

}  // namespace

Gap gap_besides_dumps(const engine::MissingInput& missing, const cluster::Cluster& cluster) {
  Gap gap = gap_of(missing);
  const auto* input = std::get_if<Input>(&missing.what);
  const cluster::Node* node = cluster.node(missing.node);
  const bool is_presumed = node != nullptr && node->host_presumed;  // what it has is in no dump
  if (input != nullptr && node != nullptr && !(is_presumed && *input == Input::device) && is_dumped(*input, *node))
    gap.command = command_beyond(*input, missing.about);
  return gap;
}

}  // namespace egt::explain
