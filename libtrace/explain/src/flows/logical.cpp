#include "flows/logical.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "flows/meanings.h"

namespace egt::explain {
namespace {

class LogicalCount {
 public:
  LogicalCount(const cluster::Cluster& cluster, const FlowQuery& query) : query_(query), meanings_(cluster) {}

  void add(const cluster::Node& node) {
    for (const ovn::LogicalFlow& flow : node.ovn.logical_flows)
      for (const std::string& key : keys_of(node, flow)) seen_[key].insert(identity_of(node, flow));
  }

  std::vector<FlowSum> take() const {
    std::vector<FlowSum> sums;
    for (const auto& [key, flows] : seen_) {
      FlowSum& sum = sums.emplace_back();
      sum.key = key;
      sum.flows = flows.size();
    }
    std::sort(sums.begin(), sums.end(),
              [](const FlowSum& a, const FlowSum& b) { return std::tie(b.flows, a.key) < std::tie(a.flows, b.key); });
    return sums;
  }

 private:
  // Where a list has no UUIDs: its line.
  static std::string identity_of(const cluster::Node& node, const ovn::LogicalFlow& flow) {
    if (flow.uuid.empty()) return fmt::format("{} {} {}", node.name, flow.from.source, flow.from.line);
    return std::string(flow.uuid);
  }

  std::vector<std::string> keys_of(const cluster::Node& node, const ovn::LogicalFlow& flow) const {
    switch (query_.by) {
      case FlowSumKey::object: return meanings_.of(node, flow).objects;
      case FlowSumKey::acl: return meanings_.acls(node, flow);
      case FlowSumKey::datapath: return {std::string(flow.datapath)};
      case FlowSumKey::table: return {fmt::format("{} {} {}", flow.ingress ? "ingress" : "egress", flow.table, flow.stage)};
      default: return {};
    }
  }

  const FlowQuery& query_;
  FlowMeanings meanings_;
  std::unordered_map<std::string, std::unordered_set<std::string>> seen_;
};

}  // namespace

FlowListing count_logical_flows(const cluster::Cluster& cluster, const FlowQuery& query) {
  LogicalCount count(cluster, query);
  FlowListing out;
  out.kind = FlowKind::logical;
  for (const auto& node : cluster.nodes) {
    if (!query.node.empty() && node.name() != query.node) continue;
    out.dumps += node->ovn.has_logical_flows ? 1 : 0;
    count.add(*node);
  }
  out.sums = count.take();
  if (query.top && out.sums.size() > *query.top) out.sums.resize(*query.top);
  return out;
}

}  // namespace egt::explain
