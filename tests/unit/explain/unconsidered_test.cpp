#include <gtest/gtest.h>

#include <memory>

#include "egtrace/explain/inspect.h"

namespace egt::explain {
namespace {

std::unique_ptr<cluster::Node> node_with(SourceTable& sources) {
  auto node = std::make_unique<cluster::Node>();
  node->name = "n1";
  const SourceId list =
      sources.add("n1/ovs-vsctl_list_port", "_uuid : 1\nbond_mode : balance-slb\nlacp : []\nname : bond0\n", nullptr);
  ovn::Row row;
  row.table = "Port";
  row.database = "OVS";
  row.columns = {{"bond_mode", "balance-slb"}, {"lacp", "[]"}, {"name", "bond0"}};
  row.from = {list, 1};
  node->ovs_rows.add(row);
  return node;
}

TEST(Unconsidered, TellsWhatIsSetAndWhere) {
  cluster::Cluster cluster;
  cluster.nodes.push_back(node_with(*cluster.sources));
  const auto all = report_unconsidered(cluster);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].node, "n1");
  EXPECT_EQ(all[0].what, "bonds");
  EXPECT_EQ(all[0].lines, 1U);
  ASSERT_EQ(all[0].first.size(), 1U);
  EXPECT_EQ(all[0].first[0].line, 2U);
  EXPECT_EQ(all[0].first[0].text, "bond_mode : balance-slb");
}

TEST(Unconsidered, CountsTheRulesThatChangeSets) {
  cluster::Cluster cluster;
  auto node = std::make_unique<cluster::Node>();
  netfilter::Rule rule;
  rule.statements.push_back(netfilter::SetUpdate{"seen"});
  netfilter::Chain chain;
  chain.rules = {rule, rule, netfilter::Rule{}};
  netfilter::Table table;
  table.chains.push_back(chain);
  node->host.nft.value.tables.push_back(table);
  cluster.nodes.push_back(std::move(node));
  const auto all = report_unconsidered(cluster);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].what, "rules that change sets");
  EXPECT_EQ(all[0].lines, 2U);
  EXPECT_TRUE(all[0].first.empty());
}

}  // namespace
}  // namespace egt::explain
