#include "absent_sender.h"

#include <algorithm>
#include <utility>

#include "dumped_inputs.h"
#include "egtrace/engine/socket_error.h"
#include "egtrace/engine/workload.h"
#include "other_network.h"
#include "report.h"

namespace egt::explain {
namespace {

using engine::Assumption;
using engine::Cause;
using engine::Input;
using engine::MissingInput;
using engine::Reason;

bool has_whole_flows(const cluster::Node& node) {
  const openflow::Bridge* bridge = node.integration_bridge();
  return bridge != nullptr && bridge->flows && !bridge->flows_partial;
}

bool has_whole_flows(const cluster::Cluster& cluster) {
  return std::any_of(cluster.nodes.begin(), cluster.nodes.end(), [](const auto& node) { return has_whole_flows(*node); });
}

// Lines that grep kept, or files cut short: the path may be read off single lines where it cannot be walked.
bool has_excerpts(const cluster::Cluster& cluster) {
  for (const auto& node : cluster.nodes) node.get();  // which shows what its dumps are
  return std::any_of(cluster.dumps.begin(), cluster.dumps.end(), [](const cluster::DumpInfo& d) { return d.partial; });
}

bool has_switch(const cluster::Node& node) {
  return node.ovn.program != nullptr ||
         std::any_of(node.bridges.begin(), node.bridges.end(), [](const openflow::Bridge& b) { return b.flows.has_value(); });
}

// `if_refused`: the assumption on which nothing answers what the sender asks for its next hop. None: the packet's fate is open.
struct Absence {
  Cause why;
  MissingInput missing;
  std::optional<Assumption> if_refused = {};
};

// ovn-controller sets up no flows for a port without iface-id, and no logical port is bound to it. `network`: a user-defined one.
Absence of_pod_without_port(const cluster::Node& node, const std::string& pod, const std::string& network = {}) {
  Absence absence{{Reason::pod_without_port, {pod, node.name}}, {node.name, Input::port_of_pod, {pod}}};
  if (!network.empty()) absence.why.about.push_back(network);
  if (engine::shows_pods_of_interfaces(node)) absence.if_refused = Assumption{engine::Supposition::interfaces_shown, {node.name}};
  return absence;
}

Absence of_unknown_pod(const Resolved& from, bool node_absent) {
  const IpAddr& address = from.addresses.front();
  Cause why = from.node.empty() ? Cause{Reason::pod_unknown, {address}} : Cause{Reason::pod_unknown_on, {address, from.node}};
  if (node_absent) return {std::move(why), {from.node, Input::node_dumps, {}}};
  return {std::move(why), {"", Input::pod_with_address, {address}}};
}

std::optional<Absence> absence_of(const cluster::Cluster& cluster, const Resolved& from, const std::string& sender) {
  const bool absent = !from.node.empty() && cluster.handle(from.node) == nullptr;
  const bool has_node = !from.node.empty() && !absent;
  const bool whole = has_node ? has_whole_flows(*cluster.node(from.node)) : has_whole_flows(cluster);
  if (!whole && has_excerpts(cluster)) return std::nullopt;
  if (from.is_unknown_pod) return of_unknown_pod(from, absent);
  if (absent) return Absence{{Reason::node_not_dumped, {from.node, sender}}, {from.node, Input::node_dumps, {}}};
  if (from.kind == "pod" && has_node && !has_switch(*cluster.node(from.node)))
    return Absence{{Reason::switch_not_dumped, {from.node, sender}}, {from.node, Input::switch_or_database, {"br-int"}}};
  if (from.kind == "pod" && has_node) return of_pod_without_port(*cluster.node(from.node), sender);
  return std::nullopt;
}

// OVN has the port of the pod on that network, so that what Open vSwitch would call it is certain.
bool has_logical_port(const cluster::Node& node, const Resolved& from, const cluster::Objects& objects) {
  const cluster::Pod* pod = object_of(from, objects);
  const cluster::PodAttachment* on = pod != nullptr ? pod->on_network(from.network.name) : nullptr;
  if (on == nullptr) return false;
  const std::string name = cluster::logical_port_name(*pod, *on);
  return std::any_of(node.ovn.ports.begin(), node.ovn.ports.end(), [&](const ovn::LogicalPort& p) { return p.name == name; });
}

PathReport path_of(const Absence& absence, const Resolved& from, const FlowKey& packet, const Words& words) {
  PathReport path;
  path.verdict = absence.if_refused ? Verdict::rejected : Verdict::inconclusive;
  path.refusal_accepted = absence.if_refused && engine::ends_without_neighbour(packet);
  path.confidence = Confidence::assumed;
  path.stopped_at = report_stop({from.node, engine::Layer::ovs, {}, absence.why}, words);
  if (absence.if_refused)
    assume(*absence.if_refused, words, path);
  else
    path.gaps.push_back(gap_besides_dumps(absence.missing, words.cluster()));
  path.summary = path.stopped_at->why;
  return path;
}

}  // namespace

std::optional<PathReport> path_of_absent_sender(const cluster::Cluster& cluster, const Resolved& from, const FlowKey& packet,
                                                const std::string& sender, const Words& words) {
  const std::optional<Absence> absence = absence_of(cluster, from, sender);
  return absence ? std::optional(path_of(*absence, from, packet, words)) : std::nullopt;
}

std::optional<PathReport> path_without_network_port(const cluster::Cluster& cluster, const Resolved& from, const FlowKey& packet,
                                                    const Words& words) {
  const Resolved::OtherNetwork& on = from.network;
  if (!on.without_port || on.perhaps || !on.plugin.empty() || from.network_given) return std::nullopt;
  if (from.node.empty() || cluster.handle(from.node) == nullptr) return std::nullopt;
  const cluster::Node& node = *cluster.node(from.node);
  if (!engine::shows_pods_of_interfaces(node) || !has_logical_port(node, from, cluster.objects)) return std::nullopt;
  return path_of(of_pod_without_port(node, from.name, on.name), from, packet, words);
}

}  // namespace egt::explain
