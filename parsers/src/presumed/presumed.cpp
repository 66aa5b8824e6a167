#include "presumed/presumed.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "egtrace/base/parallel.h"
#include "egtrace/openflow/tunnel_type.h"
#include "egtrace/ovn/southbound.h"
#include "egtrace/ovn_kubernetes/names.h"
#include "egtrace/parsers/format.h"
#include "egtrace/parsers/ovn_reader.h"
#include "presumed/generation.h"
#include "presumed/texts.h"

namespace egt::parsers {
namespace {

using cluster::Cluster;
using cluster::Node;
using openflow::Bridge;
using openflow::Interface;
using presumed::NodeFacts;
using presumed::PresumedDump;

constexpr std::size_t kShownOfChassis = 6;  // in the name of a tunnel port (chassis_tunnel_name() of controller/encaps.c)

void load(const PresumedDump& presumed, Cluster& cluster, Node& node) {
  const Format* format = find_format(presumed.kind);
  if (format == nullptr) return;
  const auto text = std::make_shared<const std::string>(presumed.text);
  Dump dump;
  dump.path = fmt::format("{} (presumed) {}", node.name, presumed.command);
  dump.command = presumed.command;
  dump.text = *text;
  dump.source = cluster.sources->add(dump.path, dump.text, text);
  Report report;
  format->load(dump, cluster, node, report);
}

// Of the bridge that ovn-controller programs, or of one that may be it.
bool has_flows(const Node& node) {
  const Bridge* integration = node.integration_bridge();
  if (integration != nullptr) return integration->flows.has_value();
  return std::any_of(node.bridges.begin(), node.bridges.end(), [](const Bridge& b) { return b.flows.has_value(); });
}

// Logical flows, and which chassis has which port: from database files or from lists.
bool can_walk(const Node& node) {
  const auto& typed = node.ovn.southbound;
  const bool flows = !node.ovn.logical_flows.empty() || (typed != nullptr && !typed->logical_flows.get().empty());
  return flows && !node.ovn.ports.empty() && !node.ovn.chassis.empty();
}

std::shared_ptr<const ovn::Program> program_of(const Node& node) {
  const Bridge* bridge = node.integration_bridge();
  return ovn_lang::program_of(node.ovn, bridge != nullptr && bridge->flows ? &*bridge->flows : nullptr);
}

// --- ports ---------------------------------------------------------------------------------------------------------

Interface patch(const std::string& name, const std::string& peer, std::uint32_t number) {
  Interface port;
  port.name = name;
  port.type = "patch";
  port.ofport = number;
  port.options["peer"] = peer;
  return port;
}

std::string inner_patch(const std::string& localnet) { return ovnk::patch_port(ovnk::kIntegrationBridge, localnet); }
std::string outer_patch(const std::string& localnet) { return ovnk::patch_port(localnet, ovnk::kIntegrationBridge); }

// The management port of the default network, or of another one: k8s-NODE, k8s-PREFIX_NODE (GetNetworkScopedK8sMgmtIntfName() of
// go-controller/pkg/util/multi_network.go).
bool is_management(const ovn::LogicalPort& port, const std::string& node) {
  if (!port.name.starts_with(ovnk::kManagementPort) || port.external_ids.contains("pod")) return false;
  return ovnk::behind(ovnk::kManagementPort, port.name) == node || port.name.ends_with("_" + node);
}

// Where the host or another switch stands behind a port: of EVPN, a bridge of the host's.
bool is_of_host(const ovn::LogicalPort& port, const std::string& node) {
  return is_management(port, node) || port.name.starts_with(ovnk::kEvpnLogicalPort);
}

// int-NODE: behind it is the bridge of the hybrid overlay, which sends to Windows nodes and which no database shows
// (go-controller/hybrid-overlay/pkg/controller/ovn_node_linux.go).
constexpr std::string_view kHybridPatch = "int", kHybridPeer = "ext";
bool is_of_hybrid_overlay(const ovn::LogicalPort& port, const std::string& node) {
  return port.name.starts_with(ovnk::kHybridPort) && port.name.substr(ovnk::kHybridPort.size()) == node &&
         !port.external_ids.contains("pod");
}

// As the CNI or ovnkube-node names the port.
std::string device_of(const ovn::LogicalPort& port, const std::string& node, const NodeFacts& facts) {
  if (ovnk::behind(ovnk::kManagementPort, port.name) == node) return std::string(ovnk::kDefaultManagementDevice);
  for (const presumed::OtherNetwork& other : facts.other_networks)
    if (other.has_host() && other.logical_port == port.name) return other.device;
  return port.name;
}

// The CNI plugs pods in, whether OVN knows of them or not.
void add_unbound_pods(const cluster::Objects& objects, const Node& node, Bridge& bridge, std::uint32_t& number) {
  std::set<std::string> plugged;
  for (const Interface& port : bridge.interfaces) plugged.insert(port.name);
  for (const cluster::Pod& pod : objects.pods) {
    if (pod.node != node.name || pod.host_network || pod.addresses.empty()) continue;
    const auto plug = [&](const std::string& name, const std::optional<MacAddr>& mac) {
      if (plugged.contains(name)) return;
      Interface port;
      port.name = name;
      port.ofport = number++;
      port.external_ids["iface-id"] = name;
      port.mac = mac;
      port.from = pod.from;
      bridge.interfaces.push_back(std::move(port));
    };
    plug(cluster::logical_port_name(pod.namespace_, pod.name), pod.mac);
    if (const cluster::PodAttachment* primary = pod.primary()) plug(cluster::logical_port_name(pod, *primary), primary->mac);
  }
}

// Those of localnets behind other bridges (secondary networks, Uplinks), of which nothing shows the other end.
void add_open_localnets(const Node& node, const NodeFacts& facts, Bridge& bridge, std::uint32_t& number) {
  for (const ovn::LogicalPort& port : node.ovn.ports) {
    const auto is_known = [&](const presumed::OtherNetwork& other) { return other.localnet == port.name; };
    if (port.on_router || port.type != "localnet" || port.name == facts.localnet ||
        std::any_of(facts.other_networks.begin(), facts.other_networks.end(), is_known))
      continue;
    bridge.interfaces.push_back(patch(inner_patch(port.name), outer_patch(port.name), number++));
    bridge.interfaces.back().from = port.from;
  }
}

// The ports that ovn-controller and the CNI plug in: of pods bound here, of the host, tunnels to the other chassis.
Bridge integration_bridge(const Node& node, const NodeFacts& facts, const cluster::Objects& objects) {
  Bridge bridge;
  bridge.name = ovnk::kIntegrationBridge;
  std::uint32_t number = 1;
  const ovn::Chassis* own = ovn::own_chassis(node.ovn, node.name);
  for (const ovn::LogicalPort& logical : node.ovn.ports) {
    const bool here = own != nullptr && (logical.chassis == own->name || logical.chassis == own->hostname);
    if (logical.on_router || !logical.type.empty() || !here) continue;
    if (is_of_hybrid_overlay(logical, node.name)) {
      bridge.interfaces.push_back(patch(std::string(kHybridPatch), std::string(kHybridPeer), number++));
      bridge.interfaces.back().external_ids["iface-id"] = logical.name;
      continue;
    }
    Interface port;
    port.name = device_of(logical, node.name, facts);
    port.type = is_of_host(logical, node.name) ? "internal" : "";
    port.ofport = number++;
    port.external_ids["iface-id"] = logical.name;
    port.mac = logical.mac;
    port.from = logical.from;
    bridge.interfaces.push_back(std::move(port));
  }
  add_unbound_pods(objects, node, bridge, number);
  for (const ovn::Chassis& c : node.ovn.chassis) {
    if (&c == own || c.encap_ips.empty()) continue;
    Interface port;
    port.name = fmt::format("ovn-{}-0", c.name.substr(0, kShownOfChassis));
    port.type = "geneve";
    port.ofport = number++;
    port.options = {{"key", "flow"}, {"remote_ip", c.encap_ips.front().to_string()}};
    port.from = c.from;
    bridge.interfaces.push_back(std::move(port));
  }
  if (!facts.localnet.empty())
    bridge.interfaces.push_back(patch(inner_patch(facts.localnet), outer_patch(facts.localnet), number++));
  for (const presumed::OtherNetwork& other : facts.other_networks)
    bridge.interfaces.push_back(patch(inner_patch(other.localnet), outer_patch(other.localnet), number++));
  add_open_localnets(node, facts, bridge, number);
  return bridge;
}

Interface named(const std::string& name, const char* type, std::uint32_t number, const NodeFacts& facts) {
  Interface port;
  port.name = name;
  port.type = type;
  port.ofport = number;
  port.mac = facts.mac;
  return port;
}

void add_external_bridge(Cluster& cluster, Node& node, const NodeFacts& facts) {
  load(presumed::bridge_flows(facts, cluster.objects), cluster, node);
  Bridge* bridge = node.bridge(facts.bridge);
  if (bridge == nullptr) return;
  bridge->presumed = true;
  bridge->flows_partial = false;
  bridge->has_groups = true;
  bridge->interfaces = {named(facts.bridge, "internal", openflow::port::local, facts),
                        named(presumed::uplink_name(facts), "", presumed::kUplinkPort, facts),
                        patch(outer_patch(facts.localnet), inner_patch(facts.localnet), presumed::kPatchPort)};
  std::uint32_t number = presumed::kPatchPort;
  for (const presumed::OtherNetwork& other : facts.other_networks)
    bridge->interfaces.push_back(patch(outer_patch(other.localnet), inner_patch(other.localnet), ++number));
}

// --- nodes ---------------------------------------------------------------------------------------------------------

void walk_logical_flows(Node& node) {
  node.ovn.program = program_of(node);
  for (Bridge& bridge : node.bridges)
    if (&bridge == node.integration_bridge()) bridge.by_logical_flows = true;
}

void presume_switch(Cluster& cluster, Node& node, const NodeFacts& facts) {
  if (node.integration_bridge() == nullptr) node.bridges.push_back(integration_bridge(node, facts, cluster.objects));
  walk_logical_flows(node);
  if (facts.mac && !facts.localnet.empty() && !facts.tagged && node.bridge(facts.bridge) == nullptr)
    add_external_bridge(cluster, node, facts);
}

void mark_made_up_devices(Node& node, const NodeFacts& facts) {
  for (host::Link& link : node.host.links.value) {
    link.mac_made_up = std::any_of(facts.other_addresses.begin(), facts.other_addresses.end(),
                                   [&](const Prefix& address) { return presumed::name_of_device(address) == link.name; });
    link.name_made_up = link.mac_made_up || link.name == presumed::uplink_name(facts);
  }
}

void presume_host(Cluster& cluster, Node& node, const NodeFacts& facts) {
  if (!facts.mac || facts.addresses.empty()) return;
  presumed::Egress egress = presumed::egress_of(node, facts, cluster.objects);
  const auto dumped = std::make_shared<const host::Host>(node.host);
  for (const PresumedDump& dump : presumed::host_dumps(facts, egress.known, cluster.objects, *dumped)) load(dump, cluster, node);
  node.open_egress = std::move(egress.open);
  mark_made_up_devices(node, facts);
  node.host.settle_routes();
  node.host.nft.present = true;
  if (facts.nft_alone) node.host.iptables_v4.present = node.host.iptables_v6.present = true;  // it has none
  node.host_presumed = true;
  node.dumped_host = dumped;
}

}  // namespace

void presume_nodes(Cluster& cluster, bool as_intended, unsigned jobs) {
  std::vector<Node*> with_flows;
  const std::optional<presumed::HostRules> shown = presumed::rules_of_others(cluster);
  for (const auto& node : cluster.nodes) {
    if (!can_walk(*node)) continue;
    if (has_flows(*node)) {
      with_flows.push_back(node.get());
      continue;
    }
    NodeFacts facts = presumed::facts_of(*node, cluster.objects);
    facts.nft_alone = shown.value_or(presumed::rules_by_release(*node)) == presumed::HostRules::nft;
    presume_switch(cluster, *node, facts);
    if (!node->host.links.present) presume_host(cluster, *node, facts);
  }
  if (!as_intended) return;
  for_each_index(with_flows.size(), jobs, 1, [&](std::size_t i) { with_flows[i]->ovn.program = program_of(*with_flows[i]); });
}

}  // namespace egt::parsers
