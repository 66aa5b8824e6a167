#include "ovn_flows.h"

#include <algorithm>

#include "egtrace/engine/missing_tunnel.h"
#include "egtrace/engine/visited_nodes.h"

namespace egt::explain {
namespace {

using engine::Step;
using engine::TableMatch;
using engine::TableMiss;

bool is_of_ovn(const TableMatch& match, const cluster::Node& node, const Names& names) {
  return match.on == node.integration_bridge() || (match.cookie != 0 && names.has_logical_flow(node, match.cookie));
}

bool is_of_ovn(const Step& step, const cluster::Node& node, const Names& names) {
  if (const auto* match = std::get_if<TableMatch>(&step.kind)) return is_of_ovn(*match, node, names);
  const auto* miss = std::get_if<TableMiss>(&step.kind);
  const openflow::Bridge* integration = node.integration_bridge();
  return miss != nullptr && integration != nullptr && miss->bridge == integration->name;
}

// The last value that the path wrote into the logical output port.
std::uint64_t logical_output(const engine::Record& record) {
  for (auto step = record.steps.rbegin(); step != record.steps.rend(); ++step)
    for (auto change = step->changed.rbegin(); change != step->changed.rend(); ++change)
      if (change->field == FieldId::reg15) return low64(change->after);
  return 0;
}

}  // namespace

std::vector<std::string> nodes_of_ovn(const engine::WalkedPath& walked, const cluster::Cluster& cluster, const Names& names) {
  std::vector<std::string> nodes;
  for (const std::string_view name : engine::visited_nodes(walked.record)) {
    const cluster::Node* node = cluster.node(name);
    const bool has_flows =
        node != nullptr && std::any_of(walked.record.steps.begin(), walked.record.steps.end(),
                                       [&](const Step& s) { return s.node == name && is_of_ovn(s, *node, names); });
    if (has_flows) nodes.emplace_back(name);
  }
  return nodes;
}

std::optional<engine::Assumption> assumed_of_physical_flows(const engine::WalkedPath& walked, const cluster::Cluster& cluster,
                                                            const Names& names) {
  if (walked.verdict != engine::Verdict::dropped || !walked.stop) return std::nullopt;
  const auto& steps = walked.record.steps;
  const auto last =
      std::find_if(steps.rbegin(), steps.rend(), [](const Step& s) { return std::holds_alternative<TableMatch>(s.kind); });
  if (last == steps.rend()) return std::nullopt;
  const auto& match = std::get<TableMatch>(last->kind);
  const cluster::Node* node = cluster.node(last->node);
  const engine::Details here = {std::string(match.bridge), std::uint64_t{match.table}};
  const engine::Stop& stop = *walked.stop;
  const bool stops_here = stop.node == last->node && stop.where.kind == engine::PlaceKind::table && stop.where.about == here;
  if (node == nullptr || match.on != node->integration_bridge() || !stops_here) return std::nullopt;
  const std::vector<const ovn::LogicalFlow*> flows = names.logical_flows(*node, match.cookie);
  const bool by_logical_flow = std::any_of(
      flows.begin(), flows.end(), [](const ovn::LogicalFlow* f) { return f->stage.find("port_sec") == std::string_view::npos; });
  if (by_logical_flow || engine::chassis_without_tunnel(*node, match.metadata, logical_output(walked.record)) != nullptr)
    return std::nullopt;
  return engine::Assumption{
      engine::Supposition::physical_flows_whole, {std::string(match.bridge), last->node}, {}, last->evidence};
}

}  // namespace egt::explain
