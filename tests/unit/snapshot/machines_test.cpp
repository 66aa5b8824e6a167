// Which machine a dump is of, by what the dumps say rather than by how deep they lie.
#include <gtest/gtest.h>

#include "egtrace/parsers/snapshot.h"
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

std::vector<std::string> names_of_machines(const TemporaryDirectory& d) {
  const auto cluster = read_snapshot({d.path(), {}, 1});
  EXPECT_TRUE(cluster) << cluster.error().message;
  std::vector<std::string> names;
  if (cluster)
    for (const auto& node : cluster->nodes) names.push_back(node->name);
  return names;
}

TEST(Machines, AParentFolderIsNoneAtAnyDepth) {
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
  EXPECT_EQ(names_of_machines(d), (std::vector<std::string>{"rtr", "srv", "w1", "w2"}));
}

TEST(Machines, AFolderWithNoMoreThanTheNextOneIsNone) {
  const TemporaryDirectory d;
  d.file("k8s/nodes.yaml", kTwoNodes);
  for (const char* name : {"w1", "w2"}) {
    d.file(std::string("case/hosts/all/") + name + "/hostname", std::string(name) + "\n");
    d.file(std::string("case/hosts/all/") + name + "/ip_rule", kRulesOfAny);
  }
  EXPECT_EQ(names_of_machines(d), (std::vector<std::string>{"w1", "w2"}));
}

TEST(Machines, AddressesTellThemApartWhereNoneIsNamed) {
  const TemporaryDirectory d;
  d.file("k8s/nodes.yaml", kTwoNodes);
  d.file("infra/a/ip_-o_addr", shown_address("192.0.2.10"));
  d.file("infra/a/ip_rule", kRulesOfAny);
  d.file("infra/b/ip_-o_addr", shown_address("192.0.2.11"));
  d.file("infra/b/ip_rule", kRulesOfAny);
  EXPECT_EQ(names_of_machines(d), (std::vector<std::string>{"a", "b"}));
}

TEST(Machines, FoldersOfOneMachineStayOne) {
  const TemporaryDirectory d;
  d.file("k8s/nodes.yaml", kTwoNodes);
  d.file("w1/host/hostname", "w1\n");
  d.file("w1/host/ip_-o_addr", shown_address("192.0.2.10"));
  d.file("w1/more/ip_rule", kRulesOfAny);
  d.file("w1/more/ip_-o_addr", shown_address("192.0.2.10"));
  EXPECT_EQ(names_of_machines(d), (std::vector<std::string>{"w1"}));
}

TEST(Machines, NamespacesOfPodsAreNone) {
  const TemporaryDirectory d;
  d.file("k8s/nodes.yaml", kTwoNodes);
  d.file("w1/host/hostname", "w1\n");
  d.file("w1/host/ip_-o_addr", shown_address("192.0.2.10"));
  d.file("w1/cart/hostname", "cart-5d9f\n");
  d.file("w1/cart/ip_-o_addr", shown_address("10.128.2.7"));
  d.file("rtr/ip_rule", kRulesOfAny);
  d.file("rtr/ns/blue/ip_-o_addr", shown_address("10.128.2.8"));
  d.file("rtr/ns/red/ip_-o_addr", shown_address("10.128.2.9"));
  EXPECT_EQ(names_of_machines(d), (std::vector<std::string>{"rtr", "w1"}));
}

TEST(Machines, TheirOwnNameCountsBeforeThatOfTheirCollector) {
  const TemporaryDirectory d;
  d.file("k8s/nodes.yaml", kTwoNodes);
  d.file("from-anna/hostname", "w1\n");
  d.file("from-anna/ip_rule", kRulesOfAny);
  d.file("from-bert/hostname", "w2\n");
  d.file("from-bert/ip_rule", kRulesOfAny);
  d.file("edge/hostname", "gw-17\n");   // no node: the folder's name is what the user calls it
  d.file("edge/ip_rule", kRulesOfAny);
  EXPECT_EQ(names_of_machines(d), (std::vector<std::string>{"edge", "w1", "w2.example.org"}));
}

}  // namespace
}  // namespace egt::parsers
