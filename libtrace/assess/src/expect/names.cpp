#include "egtrace/assess/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "common/glob.h"
#include "common/targets.h"
#include "egtrace/base/text.h"
#include "egtrace/explain/suggest.h"

namespace egt::assess {
namespace {

using Names = std::vector<std::string>;

Names node_names(const cluster::Cluster& cluster) {
  std::set<std::string> names;
  for (const auto& node : cluster.nodes) names.insert(node->name);
  for (const std::string& name : cluster_nodes(cluster)) names.insert(name);
  return {names.begin(), names.end()};
}

// Of hosts and of Open vSwitch.
Names device_names(const cluster::Cluster& cluster) {
  std::set<std::string> names;
  for (const auto& node : cluster.nodes) {
    for (const host::Link& link : node->host.links.value) names.insert(link.name);
    for (const openflow::Bridge& bridge : node->bridges) {
      names.insert(bridge.name);
      for (const openflow::Interface& port : bridge.interfaces) names.insert(port.name);
    }
  }
  return {names.begin(), names.end()};
}

// Whether all nodes of the cluster are in the snapshot with their devices: only then can a name be wrong for certain.
bool knows_devices(const cluster::Cluster& cluster) {
  const Names nodes = cluster_nodes(cluster);
  return !nodes.empty() && std::all_of(nodes.begin(), nodes.end(), [&](const std::string& name) {
    const cluster::Node* node = cluster.node(name);
    return node != nullptr && node->host.links.present && !node->host.links.partial;
  });
}

std::string_view without_exclusion(std::string_view pattern) {
  consume(pattern, "!");
  return pattern;
}

std::optional<Error> unknown_among(const char* key, const Names& patterns, const Names& known) {
  for (const std::string& pattern : patterns) {
    const std::string_view name = without_exclusion(pattern);
    if (std::any_of(known.begin(), known.end(), [&](const std::string& k) { return glob_match(name, k); })) continue;
    return Error{fmt::format("{}: the snapshot has no {}{}", key, name, explain::did_you_mean(name, known))};
  }
  return std::nullopt;
}

// IP, CIDR, IP:PORT, [IPv6]:PORT.
bool is_address(std::string_view text) {
  if (Prefix::parse(text) || IpAddr::parse(text)) return true;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  const auto port = parse_decimal(text.substr(colon + 1));
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);
  const auto ip = IpAddr::parse(host);
  return port && *port <= 0xffff && ip && ip->is_v4() != bracketed;
}

std::optional<Error> no_address(const char* key, const Names& patterns) {
  for (const std::string& pattern : patterns)
    if (const std::string_view text = without_exclusion(pattern); text != "none" && !is_address(text))
      return Error{fmt::format("{}: '{}' is no address; write IP, CIDR, IP:PORT, [IPv6]:PORT or none", key, text)};
  return std::nullopt;
}

// "node:NAME" and "device:NAME" of --contains and --avoids.
Names of_kind(std::string_view kind, const expect::Expectation& e) {
  Names names;
  for (const auto* list : {&e.contains, &e.avoids})
    for (const std::string& item : *list)
      if (item.starts_with(kind)) names.push_back(item.substr(kind.size()));
  return names;
}

}  // namespace

std::optional<Error> find_mistake(const expect::Expectation& e, const cluster::Cluster& cluster) {
  if (auto mistake = no_address("snat", e.snat)) return mistake;
  if (auto mistake = no_address("dnat", e.dnat)) return mistake;
  const Names nodes = node_names(cluster);
  if (auto mistake = unknown_among("node", e.nodes, nodes)) return mistake;
  if (auto mistake = unknown_among("node", of_kind("node:", e), nodes)) return mistake;
  if (!knows_devices(cluster)) return std::nullopt;
  const Names devices = device_names(cluster);
  if (auto mistake = unknown_among("device", e.devices, devices)) return mistake;
  return unknown_among("device", of_kind("device:", e), devices);
}

}  // namespace egt::assess
