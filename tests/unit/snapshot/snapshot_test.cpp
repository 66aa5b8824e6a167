#include "egtrace/parsers/snapshot.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "egtrace/parsers/content.h"
#include "support/run.h"

namespace egt::parsers {
namespace {

using cluster::Cluster;
using cluster::DumpInfo;
using egt::testing::TemporaryDirectory;

constexpr const char* kIpRules = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n";
constexpr const char* kRoutes =
    "default via 10.0.0.254 dev eth0 proto static \n10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.1 \n";
constexpr const char* kBridgeFlows =
    "NXST_FLOW reply (xid=0x4):\n"
    " cookie=0x1, duration=1.5s, table=0, n_packets=0, n_bytes=0, idle_age=1, priority=100,ip actions=drop\n";

SnapshotRequest at(const std::string& path) { return {path, {}, 2}; }

const DumpInfo* info_of_dump(const Cluster& c, const std::string& path) {
  for (const DumpInfo& dump : c.dumps) {
    if (dump.path == path) return &dump;
  }
  return nullptr;
}

TEST(Snapshot, FoldersNameNodes) {
  const TemporaryDirectory d;
  d.file("w1/ip_rule", kIpRules);
  d.file("w1/ovs-ofctl_dump-flows_br-x", kBridgeFlows);
  d.file("r1/ip_route_show_table_all", kRoutes);
  d.file("notes/README", "nothing to see\n");
  const auto cluster = read_snapshot(at(d.path()));
  ASSERT_TRUE(cluster) << cluster.error().message;
  ASSERT_EQ(2U, cluster->nodes.size());
  const cluster::Node* w1 = cluster->node("w1");
  ASSERT_NE(nullptr, w1);
  EXPECT_TRUE(w1->host.rules_v4.present);
  ASSERT_NE(nullptr, w1->bridge("br-x"));
  EXPECT_TRUE(w1->bridge("br-x")->flows.has_value());
  EXPECT_EQ(std::vector{cluster::Role::cluster_node}, w1->roles);
  ASSERT_NE(nullptr, info_of_dump(*cluster, "notes/README"));
  EXPECT_EQ("unknown", info_of_dump(*cluster, "notes/README")->kind);
  EXPECT_EQ("w1", info_of_dump(*cluster, "w1/ip_rule")->node);
  EXPECT_EQ(3U, info_of_dump(*cluster, "w1/ip_rule")->understood);
}

// Bytes of packets make lines that look like an excerpt of iptables-save, and its folder a node.
TEST(Snapshot, CapturesAreNoDumps) {
  std::string capture("\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00\x01\x00\x00\x00", 24);
  for (int i = 0; i < 20; ++i) capture += std::string("\xb0\x59\x01\x00\x12\x00\x00\x00\n:\x8d\xd2 \xe9 [0:0]\n*raw\n", 28);
  const TemporaryDirectory d;
  d.file("w1/ip_rule", kIpRules);
  d.file("pcap/w1__eth0.pcap", capture);
  const auto cluster = read_snapshot(at(d.path()));
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_EQ(cluster->nodes.size(), 1U);
  const auto* info = info_of_dump(*cluster, "pcap/w1__eth0.pcap");
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(info->kind, "unknown");
  EXPECT_TRUE(info->not_understood.empty());
}

TEST(Snapshot, FlatDirectoryIsNamedByItsHostname) {
  const TemporaryDirectory d;
  d.file("ip_rule", kIpRules);
  d.file("hostname", "worker-7\n");
  const auto cluster = read_snapshot(at(d.path()));
  ASSERT_TRUE(cluster) << cluster.error().message;
  ASSERT_EQ(1U, cluster->nodes.size());
  EXPECT_EQ("worker-7", cluster->nodes[0]->name);
}

TEST(Snapshot, WithoutANameItIsNode) {
  const TemporaryDirectory d;
  const auto cluster = read_snapshot(at(d.file("rules.txt", kIpRules)));
  ASSERT_TRUE(cluster) << cluster.error().message;
  ASSERT_EQ(1U, cluster->nodes.size());
  EXPECT_EQ("node", cluster->nodes[0]->name);
  EXPECT_TRUE(cluster->nodes[0]->host.rules_v4.present);
  EXPECT_FALSE(cluster->nodes[0]->host.rules_v4.partial);
}

TEST(Snapshot, PastedFileKeepsItsLineNumbersAndIsPartial) {
  const TemporaryDirectory d;
  const std::string text = "What we saw:\n" + std::string("30:\tfrom all fwmark 0x1745ec lookup 7\n") +
                           "172.22.0.0/16 via 10.133.0.1 dev ovn-k8s-mp0\n" +
                           "-A X -s 10.0.0.9/32 -o br-ex -j SNAT --to-source 192.0.2.1\n";
  const auto cluster = read_snapshot(at(d.file("runbook.txt", text)));
  ASSERT_TRUE(cluster) << cluster.error().message;
  ASSERT_EQ(1U, cluster->nodes.size());
  const host::Host& host = cluster->nodes[0]->host;
  ASSERT_TRUE(host.rules_v4.present);
  EXPECT_TRUE(host.rules_v4.partial);
  ASSERT_EQ(1U, host.rules_v4.value.size());
  EXPECT_EQ("30:\tfrom all fwmark 0x1745ec lookup 7", cluster->sources->line_text(host.rules_v4.value[0].from));
  EXPECT_EQ(2U, host.rules_v4.value[0].from.line);
}

TEST(Snapshot, WordsOfOcAndErrorsInASessionAreNoLinesOfDumps) {
  const TemporaryDirectory d;
  const std::string text = "[root@b ~]# oc debug node/w1 -- chroot /host ip rule\nStarting pod/w1-debug ...\n" +
                           std::string(kIpRules) +
                           "\nRemoving debug pod ...\n[root@b ~]# oc debug node/w1\nsh-5.1# nft list ruleset\n"
                           "bash: nft: command not found\n";
  const auto cluster = read_snapshot(at(d.file("session.log", text)));
  ASSERT_TRUE(cluster) << cluster.error().message;
  ASSERT_EQ(1U, cluster->nodes.size());
  EXPECT_EQ("w1", cluster->nodes[0]->name);
  EXPECT_FALSE(cluster->nodes[0]->host.nft.present);
  for (const cluster::DumpInfo& dump : cluster->dumps) EXPECT_TRUE(dump.not_understood.empty()) << dump.kind;
}

TEST(Snapshot, DocumentThatQuotesAnObjectIsReadBlockByBlock) {
  const TemporaryDirectory d;
  const std::string text =
      "How the egress IP is set up\n\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: red\n\n"
      "On the node:\n\n[root@w1 ~]# ip rule\n" +
      std::string(kIpRules);
  const auto cluster = read_snapshot(at(d.file("guide.txt", text)));
  ASSERT_TRUE(cluster) << cluster.error().message;
  ASSERT_NE(nullptr, cluster->node("w1"));
  EXPECT_EQ(3U, cluster->node("w1")->host.rules_v4.value.size());
  EXPECT_EQ(1U, cluster->objects.namespaces.size());
}

TEST(Snapshot, PromptsOfSeveralHostsMakeSeveralNodes) {
  const TemporaryDirectory d;
  const std::string text = std::string("[root@a ~]# ip rule\n") + kIpRules + "[root@b ~]# ip rule\n" + kIpRules;
  const auto cluster = read_snapshot(at(d.file("session.log", text)));
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_NE(nullptr, cluster->node("a"));
  EXPECT_NE(nullptr, cluster->node("b"));
}

TEST(Snapshot, BestDumpOfATopicIsRead) {
  const TemporaryDirectory d;
  d.file("w1/ip_route", "default via 10.0.0.254 dev eth0 \n");
  d.file("w1/ip_route_show_table_all", kRoutes);
  const auto cluster = read_snapshot(at(d.path()));
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_EQ("w1/ip_route_show_table_all", info_of_dump(*cluster, "w1/ip_route")->superseded_by);
  EXPECT_EQ("", info_of_dump(*cluster, "w1/ip_route_show_table_all")->superseded_by);
}

constexpr const char* kOvnFlows =
    "NXST_FLOW reply (xid=0x4):\n"
    " cookie=0x1, duration=9s, table=0, n_packets=0, n_bytes=0, idle_age=9, priority=100,in_port=1 "
    "actions=load:0x1->OXM_OF_METADATA[],resubmit(,8)\n"
    " cookie=0x2, duration=9s, table=8, n_packets=0, n_bytes=0, idle_age=9, priority=50,metadata=0x1 actions=drop\n";

// However a second dump of a bridge is called, it neither adds its flows to the first nor makes a bridge of its own.
TEST(Snapshot, SecondDumpOfABridgeIsKeptForComparison) {
  const std::string earlier = std::string(kOvnFlows).substr(0, std::string(kOvnFlows).find(" cookie=0x2"));
  for (const char* name : {"flows", "br-int (2).txt", "aaa.log", "ovs-ofctl_dump-flows_br-int.1",
                           "ovs-ofctl_dump-flows_br-int.bak", "ovs-ofctl_dump-flows_br-int (1).txt", "br-int.flows.dump"}) {
    const TemporaryDirectory d;
    d.file("w1/ovs-ofctl_dump-flows_br-int", kOvnFlows);
    d.file(std::string("w1/") + name, earlier);
    const auto cluster = read_snapshot(at(d.path()));
    ASSERT_TRUE(cluster) << cluster.error().message;
    ASSERT_EQ(1U, cluster->nodes[0]->bridges.size()) << name;
    EXPECT_EQ(2U, cluster->nodes[0]->bridges[0].flows->size()) << name;
    EXPECT_FALSE(cluster->nodes[0]->bridges[0].flows_partial) << name;
    EXPECT_EQ("w1/ovs-ofctl_dump-flows_br-int", info_of_dump(*cluster, std::string("w1/") + name)->superseded_by) << name;
  }
}

TEST(Snapshot, FewLinesOfGrepDoNotReplaceTheWhole) {
  const TemporaryDirectory d;
  d.file("w1/ovs-ofctl_dump-flows_br-int", kOvnFlows);
  d.file("w1/zz.txt", std::string(kOvnFlows).substr(std::string(kOvnFlows).find(" cookie=0x2")));
  const auto cluster = read_snapshot(at(d.path()));
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_EQ(2U, cluster->nodes[0]->bridges[0].flows->size());
  EXPECT_FALSE(cluster->nodes[0]->bridges[0].flows_partial);
}

TEST(Snapshot, BridgesOfFilesWithoutCommandAreTold) {
  const TemporaryDirectory d;
  d.file("w1/one.txt", kOvnFlows);
  d.file("w1/two.br-x.txt", kBridgeFlows);
  d.file("w1/ports",
         "OFPT_FEATURES_REPLY (xid=0x2): dpid:0000000000000001\n LOCAL(br-x): addr:02:00:00:00:00:01\n     config:     0\n"
         "     state:      0\n     speed: 0 Mbps now, 0 Mbps max\n");
  const auto cluster = read_snapshot(at(d.path()));
  ASSERT_TRUE(cluster) << cluster.error().message;
  const cluster::Node& node = *cluster->nodes[0];
  ASSERT_EQ(2U, node.bridges.size());
  for (const openflow::Bridge& b : node.bridges) EXPECT_TRUE(b.flows) << b.name;
  EXPECT_EQ("", info_of_dump(*cluster, "w1/one.txt")->superseded_by);
  EXPECT_EQ("", info_of_dump(*cluster, "w1/two.br-x.txt")->superseded_by);
}

TEST(Snapshot, CutDumpsArePartial) {
  const TemporaryDirectory d;
  d.file("w1/ovs-ofctl_dump-flows_br-x", "NXST_FLOW reply (xid=0x4): flags=[more]\n" + std::string(kBridgeFlows).substr(27));
  d.file("w2/ip_rule", std::string(kIpRules).substr(0, 40));
  const auto cluster = read_snapshot(at(d.path()));
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_TRUE(info_of_dump(*cluster, "w1/ovs-ofctl_dump-flows_br-x")->partial);
  EXPECT_TRUE(info_of_dump(*cluster, "w2/ip_rule")->partial);
  EXPECT_GE(cluster->diagnostics.size(), 2U);
}

TEST(Snapshot, DumpArguments) {
  const TemporaryDirectory d;
  const std::string rules = d.file("a.txt", kIpRules);
  SnapshotRequest request;
  request.dumps = {"w9:" + rules};
  const auto cluster = read_snapshot(request);
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_NE(nullptr, cluster->node("w9"));
  EXPECT_FALSE(parse_dump_argument("w9:nonsense=" + rules));
  const auto plain = parse_dump_argument(rules);
  ASSERT_TRUE(plain);
  EXPECT_EQ("", plain->node);
}

TEST(Snapshot, SettingsDecide) {
  const TemporaryDirectory d;
  d.file("egtrace.yaml", "nodes: [{name: edge, path: x, roles: [gateway]}]\nlinks: [[edge/eth0, other/eth1]]\n");
  d.file("x/ip_rule", kIpRules);
  const auto cluster = read_snapshot(at(d.path()));
  ASSERT_TRUE(cluster) << cluster.error().message;
  ASSERT_NE(nullptr, cluster->node("edge"));
  EXPECT_EQ(std::vector{cluster::Role::gateway}, cluster->node("edge")->roles);
  EXPECT_EQ(1U, cluster->declared_links.size());
  d.file("egtrace.yaml", "nodes: [{nam: edge}]\n");
  const auto bad = read_snapshot(at(d.path()));
  ASSERT_FALSE(bad);
  EXPECT_NE(std::string::npos, bad.error().message.find("egtrace.yaml:1: unknown key")) << bad.error().message;
}

TEST(Snapshot, UnusableInputIsOneClearError) {
  const TemporaryDirectory d;
  EXPECT_FALSE(read_snapshot(at(d.path() + "/none")));
  EXPECT_FALSE(read_snapshot(at(d.path())));
  EXPECT_FALSE(read_snapshot(at(d.file("empty", ""))));
  EXPECT_FALSE(read_snapshot(at(d.file("binary", std::string("\0\1\2\3", 4)))));
  EXPECT_FALSE(read_snapshot(at(d.file("prose", "Nothing of use.\n"))));
  EXPECT_FALSE(read_snapshot(at("/dev/null")));
}

TEST(Snapshot, LoopsFifosAndDanglingLinksDoNoHarm) {
  const TemporaryDirectory d;
  d.file("w1/ip_rule", kIpRules);
  std::filesystem::create_symlink("..", d.path() + "/w1/up");
  std::filesystem::create_symlink("nowhere", d.path() + "/w1/gone");
  ASSERT_EQ(0, ::mkfifo((d.path() + "/w1/pipe").c_str(), 0600));
  const auto cluster = read_snapshot(at(d.path()));
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_EQ(1U, cluster->nodes.size());
}

TEST(Snapshot, CommandOfPath) {
  EXPECT_EQ("ip_rule", command_of_path("/a/b/ip_rule.txt.gz"));
  EXPECT_EQ("ovs-ofctl_dump-flows_br-int", command_of_path("ovs-ofctl_dump-flows_br-int"));
}

TEST(Snapshot, SampleIsUnderstood) {
  const auto cluster = read_snapshot(at(std::string(EGTRACE_SOURCE_DIR) + "/samples/egressip-secondary"));
  ASSERT_TRUE(cluster) << cluster.error().message;
  ASSERT_EQ(5U, cluster->nodes.size());
  std::size_t routers = 0, cluster_nodes = 0;
  for (const auto& node : cluster->nodes) {
    routers += node->roles == std::vector{cluster::Role::router} ? 1 : 0;
    cluster_nodes += node->roles == std::vector{cluster::Role::cluster_node} ? 1 : 0;
  }
  EXPECT_EQ(1U, routers);
  EXPECT_EQ(3U, cluster_nodes);
  for (const DumpInfo& dump : cluster->dumps) {
    EXPECT_TRUE(dump.not_understood.empty()) << dump.path;
    EXPECT_NE(dump.kind, "unknown") << dump.path;
  }
}

}  // namespace
}  // namespace egt::parsers
