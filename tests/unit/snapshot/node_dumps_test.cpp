// Which node a dump is of, by what the dumps say rather than by how deep they lie.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "egtrace/parsers/snapshot.h"
#include "support/ovsdb_log.h"
#include "support/run.h"

namespace egt::parsers {
namespace {

using egt::testing::TemporaryDirectory;

constexpr const char* kRulesOfAny = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n";
constexpr const char* kTwoNodes =
    "apiVersion: v1\nkind: NodeList\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: w1\n"
    "- apiVersion: v1\n  kind: Node\n  metadata:\n    name: w2.example.org\n";

std::string shown_address(const std::string& ip) {
  return "2: eth0    inet " + ip + "/24 brd 192.0.2.255 scope global eth0\\       valid_lft forever preferred_lft forever\n";
}

std::vector<std::string> names_of_nodes(const TemporaryDirectory& d) {
  const auto cluster = read_snapshot({d.path(), {}, 1});
  EXPECT_TRUE(cluster) << cluster.error().message;
  std::vector<std::string> names;
  if (cluster)
    for (const auto& node : cluster->nodes) names.push_back(node->name);
  return names;
}

TEST(Nodes, AParentFolderIsNoneAtAnyDepth) {
  const TemporaryDirectory d;
  d.file("k8s/nodes.yaml", kTwoNodes);
  for (const char* name : {"w1", "w2"}) {
    d.file(std::string("all/nodes/") + name + "/hostname", std::string(name) + "\n");
    d.file(std::string("all/nodes/") + name + "/ip_rule", kRulesOfAny);
  }
  d.file("all/infra/rtr/hostname", "rtr.example.org\n");
  d.file("all/infra/rtr/ip_rule", kRulesOfAny);
  d.file("all/infra/srv/hostname", "srv\n");
  d.file("all/infra/srv/ip_rule", kRulesOfAny);
  EXPECT_EQ(names_of_nodes(d), (std::vector<std::string>{"rtr", "srv", "w1", "w2"}));
}

TEST(Nodes, AFolderWithNoMoreThanTheNextOneIsNone) {
  const TemporaryDirectory d;
  d.file("k8s/nodes.yaml", kTwoNodes);
  for (const char* name : {"w1", "w2"}) {
    d.file(std::string("case/hosts/all/") + name + "/hostname", std::string(name) + "\n");
    d.file(std::string("case/hosts/all/") + name + "/ip_rule", kRulesOfAny);
  }
  EXPECT_EQ(names_of_nodes(d), (std::vector<std::string>{"w1", "w2"}));
}

TEST(Nodes, NamesOfFilesTellThemApartWhereHostnamesShowThem) {
  const TemporaryDirectory d;
  d.file("nodes.yaml", kTwoNodes);
  for (const char* name : {"w1", "w2", "w2-b"}) {
    d.file(std::string("all/") + name + "_hostname.txt", std::string(name) + ".example.org\n");
    d.file(std::string("all/") + name + "_ip_rule.txt", kRulesOfAny);
  }
  EXPECT_EQ(names_of_nodes(d), (std::vector<std::string>{"w1", "w2", "w2-b"}));
}

TEST(Nodes, AddressesTellThemApartWhereNoneIsNamed) {
  const TemporaryDirectory d;
  d.file("k8s/nodes.yaml", kTwoNodes);
  d.file("infra/a/ip_-o_addr", shown_address("192.0.2.10"));
  d.file("infra/a/ip_rule", kRulesOfAny);
  d.file("infra/b/ip_-o_addr", shown_address("192.0.2.11"));
  d.file("infra/b/ip_rule", kRulesOfAny);
  EXPECT_EQ(names_of_nodes(d), (std::vector<std::string>{"a", "b"}));
}

TEST(Nodes, FoldersOfOneNodeStayOne) {
  const TemporaryDirectory d;
  d.file("k8s/nodes.yaml", kTwoNodes);
  d.file("w1/host/hostname", "w1\n");
  d.file("w1/host/ip_-o_addr", shown_address("192.0.2.10"));
  d.file("w1/more/ip_rule", kRulesOfAny);
  d.file("w1/more/ip_-o_addr", shown_address("192.0.2.10"));
  EXPECT_EQ(names_of_nodes(d), (std::vector<std::string>{"w1"}));
}

TEST(Nodes, NamespacesOfPodsAreNone) {
  const TemporaryDirectory d;
  d.file("k8s/nodes.yaml", kTwoNodes);
  d.file("w1/host/hostname", "w1\n");
  d.file("w1/host/ip_-o_addr", shown_address("192.0.2.10"));
  d.file("w1/cart/hostname", "cart-5d9f\n");
  d.file("w1/cart/ip_-o_addr", shown_address("10.128.2.7"));
  d.file("rtr/ip_rule", kRulesOfAny);
  d.file("rtr/ns/blue/ip_-o_addr", shown_address("10.128.2.8"));
  d.file("rtr/ns/red/ip_-o_addr", shown_address("10.128.2.9"));
  EXPECT_EQ(names_of_nodes(d), (std::vector<std::string>{"rtr", "w1"}));
}

TEST(Nodes, TheirOwnNameCountsBeforeThatOfTheirCollector) {
  const TemporaryDirectory d;
  d.file("k8s/nodes.yaml", kTwoNodes);
  d.file("from-anna/hostname", "w1\n");
  d.file("from-anna/ip_rule", kRulesOfAny);
  d.file("from-bert/hostname", "w2\n");
  d.file("from-bert/ip_rule", kRulesOfAny);
  d.file("edge/hostname", "gw-17\n");  // no node: the folder's name is what the user calls it
  d.file("edge/ip_rule", kRulesOfAny);
  EXPECT_EQ(names_of_nodes(d), (std::vector<std::string>{"edge", "w1", "w2.example.org"}));
}

TEST(Nodes, ThatNothingTellsApartAreCalledLikeNodes) {
  const TemporaryDirectory d;
  d.file("k8s/nodes.yaml", kTwoNodes);
  for (const char* name : {"w1", "w2.example.org"}) d.file(std::string("case/all/") + name + "/ip_rule", kRulesOfAny);
  EXPECT_EQ(names_of_nodes(d), (std::vector<std::string>{"w1", "w2.example.org"}));
}

// ---- must-gathers

void gather(const TemporaryDirectory& d, const std::string& root, const std::string& day, const std::string& of_switch) {
  d.file(root + "timestamp", day + " 12:00:00.123456 +0000 UTC m=+0.1\n" + day + " 12:03:00.5 +0000 UTC m=+180.1\n");
  d.file(root + "cluster-scoped-resources/core/nodes/w1.yaml",
         "apiVersion: v1\nkind: Node\nmetadata:\n  name: w1\n  labels: {day: d" + day + "}\n");
  d.file(root + "network_logs/ovnkube-node-x7b_nbdb",
         egt::testing::northbound_log(
             {R"({"Logical_Switch":{"11111111-2222-3333-4444-555555555555":{"name":")" + of_switch + R"("}}})"}));
}

std::vector<std::string> switches_of(const Snapshot& snapshot) {
  std::vector<std::string> names;
  for (const auto& node : snapshot.cluster.nodes)
    for (const ovn::Row& row : node->ovn.rows)
      if (row.table == "Logical_Switch") names.push_back(ovn::text_of(row, "name"));
  return names;
}

Snapshot opened(const TemporaryDirectory& d) {
  SnapshotRequest request;
  request.path = d.path();
  auto snapshot = open_snapshot(request);
  EXPECT_TRUE(snapshot);
  return snapshot ? std::move(*snapshot) : Snapshot{};
}

TEST(MustGathers, TheNewestOfAClusterCounts) {
  const TemporaryDirectory d;
  gather(d, "must-gather.local.2/img/", "2026-03-01", "old");
  gather(d, "must-gather.local.1/img/", "2026-03-02", "new");
  const Snapshot snapshot = opened(d);
  EXPECT_EQ(switches_of(snapshot), std::vector<std::string>{"new"});
  ASSERT_EQ(1u, snapshot.collection.missing.size());
  EXPECT_EQ(
      "must-gather.local.2/img/: an older must-gather of the same cluster than must-gather.local.1/img/, which is read alone; "
      "name it by "
      "itself to ask about it",
      snapshot.collection.missing.front());
}

// What the network's own gathering has besides belongs to the rest, and so do the images of one call.
TEST(MustGathers, PartsOfOneAreNone) {
  for (const auto& [rest, network] :
       {std::pair("must-gather.local.1/img/", "must-gather.local.2/img/"),
        std::pair("must-gather.local.1/quay-io-x-sha256-aaa/", "must-gather.local.1/quay-io-y-sha256-bbb/")}) {
    const TemporaryDirectory d;
    gather(d, network, "2026-03-01", "only");
    d.file(std::string(rest) + "timestamp", "2026-03-01 11:00:00.1 +0000 UTC m=+0.1\n");
    d.file(std::string(rest) + "cluster-scoped-resources/core/nodes/w1.yaml",
           "apiVersion: v1\nkind: Node\nmetadata:\n  name: w1\n");
    for (const char* name : {"a", "b", "c"})
      d.file(fmt::format("{}namespaces/{}/core/pods.yaml", rest, name),
             fmt::format("apiVersion: v1\nkind: PodList\nitems:\n- metadata: {{name: p, namespace: {}}}\n", name));
    const Snapshot snapshot = opened(d);
    EXPECT_EQ(switches_of(snapshot), std::vector<std::string>{"only"});
    EXPECT_TRUE(snapshot.collection.missing.empty()) << snapshot.collection.missing.front();
    EXPECT_EQ(3u, snapshot.cluster.objects.pods.size());
  }
}

}  // namespace
}  // namespace egt::parsers
