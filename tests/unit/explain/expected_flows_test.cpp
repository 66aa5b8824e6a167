// Every OpenFlow flow that a node must have of its logical flows is missed once it is lost.
#include "../libtrace/explain/src/expected_flows.h"

#include <gtest/gtest.h>

#include <set>
#include <unordered_map>

#include "egtrace/ovn/southbound.h"
#include "support/sample.h"

namespace egt::explain {
namespace {

using Counts = std::unordered_map<std::uint64_t, std::size_t>;

// How many OpenFlow flows of logical flows have each cookie.
Counts installed_flows(const cluster::Node& node) {
  std::set<std::uint64_t> known;
  for (const ovn::LogicalFlow& f : node.ovn.logical_flows) known.insert(f.uuid_prefix.value_or(0));
  const openflow::FlowTables& flows = *node.integration_bridge()->flows;
  Counts counts;
  for (openflow::FlowIndex i = 0; i < flows.size(); ++i)
    if (const std::uint64_t cookie = flows.cookie_of(i); cookie != 0 && known.contains(cookie)) ++counts[cookie];
  return counts;
}

std::set<std::string_view> datapaths_of(const cluster::Node& node) {
  std::set<std::string_view> datapaths;
  for (const ovn::Datapath& d : node.ovn.datapaths)
    if (d.name == "join" || d.name == "transit_switch" || d.name == "ovn_cluster_router" || d.name.find(node.name) != std::string_view::npos)
      datapaths.insert(d.name);
  return datapaths;
}

TEST(ExpectedFlows, EachLostFlowIsMissed) {
  const cluster::Cluster cluster = testing::Sample().read();
  std::size_t nodes = 0;
  for (const auto& node : cluster.nodes) {
    if (node->integration_bridge() == nullptr || !node->ovn.language) continue;
    ++nodes;
    Counts counts = installed_flows(*node);
    const auto datapaths = datapaths_of(*node);
    const auto program = node->ovn.language->program_of(node->ovn);
    ExpectedFlows expected(*node, *program->reader, datapaths);
    EXPECT_TRUE(expected.missing(counts).empty()) << node->name << ": " << expected.missing(counts).size();
    for (auto& [cookie, count] : counts) --count;
    const std::vector<Provenance> missing = expected.missing(counts);
    // Those of distributed ports that no node has, and of more than the ports here, may rightly be fewer.
    EXPECT_LT(counts.size() * 95 / 100, missing.size()) << node->name << ": " << missing.size() << " of " << counts.size();
  }
  EXPECT_EQ(3u, nodes);
}

}  // namespace
}  // namespace egt::explain
