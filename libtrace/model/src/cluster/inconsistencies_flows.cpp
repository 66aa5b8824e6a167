#include <algorithm>
#include <set>
#include <vector>

#include "inconsistencies.h"

namespace egt::cluster {
namespace {

using openflow::Bridge;
using openflow::FlowIndex;
using openflow::Interface;

constexpr std::size_t kFlowsLookedAt = 512;  // of table 0: dumps may have a million
constexpr FlowIndex kSpreadFlows = 64;       // of all tables

struct Matched {
  std::set<std::uint32_t> ports;
  std::set<std::uint64_t> macs;
  bool metadata = false;               // a logical datapath, in whatever table
  std::vector<std::uint32_t> cookies;  // of flows that do
};

bool matches_exactly(openflow::MatchView match, FieldId field, U128 all) { return openflow::mask_of(match, field) == all; }

Matched matched_by(const openflow::FlowTables& flows) {
  Matched found;
  const std::vector<FlowIndex> first = flows.in_table(0);
  for (std::size_t i = 0; i < std::min(first.size(), kFlowsLookedAt); ++i) {
    const openflow::MatchView match = openflow::match_of(flows.flow(first[i]));
    if (openflow::mask_of(match, FieldId::in_port) != 0)
      if (const auto port = static_cast<std::uint32_t>(openflow::value_of(match, FieldId::in_port)); port < openflow::port::max)
        found.ports.insert(port);
    for (const FieldId field : {FieldId::eth_src, FieldId::eth_dst})
      if (matches_exactly(match, field, 0xffffffffffffULL))
        found.macs.insert(static_cast<std::uint64_t>(openflow::value_of(match, field)));
  }
  const auto count = static_cast<FlowIndex>(flows.size());
  for (FlowIndex i = 0, step = std::max<FlowIndex>(1, count / kSpreadFlows); i < count; i += step) {
    const openflow::FlowEntry& flow = flows.flow(i);
    if (openflow::mask_of(openflow::match_of(flow), FieldId::metadata) == 0) continue;
    found.metadata = true;
    if (flow.cookie != 0 && flow.cookie <= 0xffffffff) found.cookies.push_back(static_cast<std::uint32_t>(flow.cookie));
  }
  return found;
}

// Flows that most of whose ports the bridge lacks are another bridge's.
void look_at_flow_ports(Node& node, const Bridge& bridge, const Matched& matched) {
  const bool numbered = std::any_of(bridge.interfaces.begin(), bridge.interfaces.end(),
                                    [](const Interface& i) { return i.ofport && *i.ofport < openflow::port::max; });
  if (!numbered || matched.ports.empty()) return;
  const auto foreign = static_cast<std::size_t>(
      std::count_if(matched.ports.begin(), matched.ports.end(), [&](std::uint32_t p) { return bridge.by_ofport(p) == nullptr; }));
  if (2 * foreign > matched.ports.size())
    add_bridge_conflict(node, bridge, Conflict::flows_of_other_ports,
                        {bridge.name, std::to_string(matched.ports.size()), std::to_string(foreign)});
}

// Logical datapaths are asked for in the integration bridge alone.
void look_at_metadata(Node& node, const Bridge& bridge, const Matched& matched) {
  const bool elsewhere = std::any_of(node.bridges.begin(), node.bridges.end(), holds_pods);
  if (matched.metadata && elsewhere && !bridge.interfaces.empty() && !holds_pods(bridge))
    add_bridge_conflict(node, bridge, Conflict::flows_of_integration_bridge, {bridge.name});
}

bool has_mac(const Node& node, std::uint64_t mac) {
  const auto is = [&](const auto& device) { return device.mac && device.mac->value == mac; };
  return std::any_of(node.host.links.value.begin(), node.host.links.value.end(), is) ||
         std::any_of(node.bridges.begin(), node.bridges.end(),
                     [&](const Bridge& b) { return std::any_of(b.interfaces.begin(), b.interfaces.end(), is); });
}

// Flows that ask for MACs of another node and for none of this one are the other's.
void look_at_flow_macs(const Cluster& cluster, Node& node, const Bridge& bridge, const Matched& matched) {
  if (std::any_of(matched.macs.begin(), matched.macs.end(), [&](std::uint64_t mac) { return has_mac(node, mac); })) return;
  for (const NodeHandle& other : cluster.nodes) {
    const std::vector<host::Link>& links = other.links().value;
    const auto is_of_other = [&](std::uint64_t mac) {
      return std::any_of(links.begin(), links.end(), [&](const host::Link& l) { return l.mac && l.mac->value == mac; });
    };
    if (other.identity() == &node || std::none_of(matched.macs.begin(), matched.macs.end(), is_of_other) ||
        other.own().bridge(bridge.name) == nullptr)
      continue;
    add_bridge_conflict(node, bridge, Conflict::flows_with_macs_of, {bridge.name, other.name()});
    return;
  }
}

// Without a pod a node may have no logical datapath.
bool has_pod_port(const Bridge& bridge) {
  return std::any_of(bridge.interfaces.begin(), bridge.interfaces.end(),
                     [](const openflow::Interface& i) { return i.external_ids.contains("iface-id"); });
}

// The cookie of a flow of OVN's pipelines is the beginning of its logical flow's UUID.
void look_at_cookies(Node& node, const Bridge& bridge, const Matched& matched) {
  std::vector<std::uint32_t> cookies = matched.cookies;
  std::sort(cookies.begin(), cookies.end());
  cookies.erase(std::unique(cookies.begin(), cookies.end()), cookies.end());
  std::set<std::uint32_t> known;
  bool shown = false;
  for (const std::uint32_t prefix : node.ovn.logical_flows.prefixes()) {
    if (prefix == 0) continue;
    shown = true;
    if (std::binary_search(cookies.begin(), cookies.end(), prefix)) known.insert(prefix);
  }
  const bool none = !matched.metadata && has_pod_port(bridge);
  if (!shown || (10 * known.size() >= cookies.size() && !none)) return;
  add_bridge_conflict(node, bridge, Conflict::flows_without_logical_flows, {bridge.name});
}

}  // namespace

void look_at_flows(const Cluster& cluster, Node& node) {
  const Bridge* integration = node.integration_bridge();
  for (const Bridge& bridge : node.bridges) {
    if (!bridge.flows || bridge.flows_partial || bridge.flows->size() == 0) continue;
    const Matched matched = matched_by(*bridge.flows);
    look_at_flow_ports(node, bridge, matched);
    look_at_metadata(node, bridge, matched);
    look_at_flow_macs(cluster, node, bridge, matched);
    if (&bridge == integration) look_at_cookies(node, bridge, matched);
  }
}

}  // namespace egt::cluster
