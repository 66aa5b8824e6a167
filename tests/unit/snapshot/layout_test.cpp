#include "snapshot/layout.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "egtrace/parsers/snapshot.h"
#include "snapshot/manifest.h"
#include "snapshot/node_dumps.h"
#include "snapshot/session_text.h"
#include "support/run.h"

namespace egt::parsers {
namespace {

using egt::testing::TemporaryDirectory;

constexpr const char* kLayoutRules = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n";
constexpr const char* kOther = "0:\tfrom all lookup local\n100:\tfrom all lookup 7\n32766:\tfrom all lookup main\n";
constexpr const char* kPod =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: ovnkube-node-abc12, namespace: openshift-ovn-kubernetes}\n"
    "spec: {nodeName: worker-0.example.org, hostNetwork: true}\nstatus: {podIP: 192.0.2.1}\n";

const cluster::DumpInfo* info(const cluster::Cluster& c, const std::string& end) {
  for (const cluster::DumpInfo& dump : c.dumps)
    if (dump.path.ends_with(end)) return &dump;
  return nullptr;
}

TEST(Layout, NamesOfMustGather) {
  EXPECT_EQ("ovnkube-node-x7b", read_place("mg/img/network_logs/store.tar.gz/ovnk_database_store/ovnkube-node-x7b_nbdb").pod);
  EXPECT_TRUE(read_place("mg/img/network_logs/leader_sbdb.gz").central);
  const DumpLocation flows = read_place("img/network_logs/worker-0_ovnkube-node-x7b_ovs_ofctl_dump_flows_br_int");
  EXPECT_EQ("worker-0", flows.node);
  EXPECT_EQ("ovs-ofctl dump-flows br-int", flows.command);
  EXPECT_EQ("p", read_place("img/namespaces/ns/pods/p/frr/frr/logs/dump_frr").pod);
}

TEST(Layout, PodsNamespacesAreNotTheHost) {
  EXPECT_EQ("1a2b", read_place("r/sos_commands/networking/namespaces/1a2b/ip_netns_exec_1a2b_iptables-save").netns);
  EXPECT_EQ("1a2b", read_place("r/sos_commands/conntrack/ip_netns_exec_1a2b_conntrack_-L_-o_extended").netns);
  const TemporaryDirectory d;
  d.file("sosreport-w1-2026-03-01-abcdefg/sos_commands/networking/ip_-4_rule_list", kLayoutRules);
  d.file("sosreport-w1-2026-03-01-abcdefg/sos_commands/networking/namespaces/1a2b/ip_netns_exec_1a2b_ip_-4_rule_list", kOther);
  const auto cluster = read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster) << cluster.error().message;
  ASSERT_NE(nullptr, cluster->node("w1"));
  EXPECT_EQ(3U, cluster->node("w1")->host.rules_v4.value.size());
  EXPECT_EQ(1U, cluster->nodes.size());
}

// As `egtrace collect` lays them out: as a node's folder, as an archive of it, and as the folder itself.
TEST(Layout, NamespacesInANodesFolderAreNotTheHost) {
  constexpr const char* kAddr = "2: eth0: <UP> mtu 1500 state UP\n    inet 192.0.2.1/24 scope global eth0\n";
  constexpr const char* kPodAddr = "3: eth0@if9: <UP> mtu 1400 state UP\n    inet 10.128.0.5/23 scope global eth0\n";
  for (const std::string folder : {"case/w1/", "w1/", ""}) {
    const TemporaryDirectory d;
    d.file(folder + "hostname", "w1\n");
    d.file(folder + "ip_-d_addr", kAddr);
    d.file(folder + "netns/web_front-1/ip_netns_exec_web_front-1_ip_-d_addr", kPodAddr);
    d.file(folder + "netns/cni-7/ip_netns_exec_cni-7_ip_rule_list", kOther);
    const auto cluster = read_snapshot({d.path(), {}, 1});
    ASSERT_TRUE(cluster) << cluster.error().message;
    ASSERT_EQ(1U, cluster->nodes.size()) << folder;
    const host::Host& host = cluster->nodes[0]->host;
    ASSERT_EQ(1U, host.links.value.size()) << folder;
    EXPECT_EQ(1U, host.links.value[0].addresses.size());
    EXPECT_FALSE(host.rules_v4.present) << folder;
  }
}

TEST(Layout, ANamespaceAloneIsItsNode) {
  const TemporaryDirectory d;
  d.file("ip_netns_exec_w1_ip_rule_list", kOther);
  const auto cluster = read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster) << cluster.error().message;
  ASSERT_EQ(1U, cluster->nodes.size());
  EXPECT_TRUE(cluster->nodes[0]->host.rules_v4.present);
}

TEST(Layout, PastedNamespacesAreNotTheHost) {
  const std::string host = "[root@w1 ~]# ip addr\n2: eth0: <UP> mtu 1500 state UP\n    inet 192.0.2.1/24 scope global eth0\n";
  const std::string pod =
      "[root@w1 ~]# ip netns exec cni-7 ip addr\n3: eth0@if9: <UP> mtu 1400 state UP\n"
      "    inet 10.128.0.5/23 scope global eth0\n";
  const std::string typed =
      "[root@w1 ~]# nsenter -t 4211 -n\n[root@w1 ~]# ip addr\n3: eth0@if9: <UP> mtu 1400 state UP\n"
      "    inet 10.128.0.5/23 scope global eth0\n[root@w1 ~]# exit\n";
  for (const std::string& text : {host + pod, pod + host, host + typed, typed + host}) {
    const TemporaryDirectory d;
    d.file("case.txt", text);
    const auto cluster = read_snapshot({d.path(), {}, 1});
    ASSERT_TRUE(cluster) << cluster.error().message;
    ASSERT_EQ(1U, cluster->nodes.size());
    const host::Host& w1 = cluster->nodes[0]->host;
    ASSERT_EQ(1U, w1.links.value.size());
    EXPECT_EQ("192.0.2.1", w1.links.value[0].addresses.at(0).prefix.address.to_string());
  }
}

// Of a lab, in which each node is one.
TEST(Layout, PastedNamespacesAloneAreNodes) {
  const TemporaryDirectory d;
  d.file("case.txt", std::string("$ ip netns exec edge-x ip rule\n") + kOther + "$ ip netns exec edge-y ip rule\n" + kOther);
  const auto cluster = read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster) << cluster.error().message;
  ASSERT_EQ(2U, cluster->nodes.size());
  EXPECT_EQ("edge-x", cluster->nodes[0]->name);
  EXPECT_TRUE(cluster->nodes[0]->host.rules_v4.present);
  EXPECT_TRUE(cluster->nodes[1]->host.rules_v4.present);
}

TEST(Layout, SecondDumpsAreOfAnotherMoment) {
  const auto flows = [](const char* packets) {
    return std::string("NXST_FLOW reply (xid=0x4):\n cookie=0x1, duration=9s, table=0, n_packets=") + packets +
           ", n_bytes=0, priority=1 actions=drop\n";
  };
  for (const std::string folder : {"case/w1/", "w1/", ""}) {
    const TemporaryDirectory d;
    d.file(folder + "hostname", "w1\n");
    d.file(folder + "ovs-ofctl_dump-flows_br-int", flows("1"));
    d.file(folder + "later/ovs-ofctl_dump-flows_br-int", flows("2"));
    const auto cluster = read_snapshot({d.path(), {}, 1});
    ASSERT_TRUE(cluster) << cluster.error().message;
    ASSERT_EQ(1U, cluster->nodes.size()) << folder;
    for (const cluster::DumpInfo& dump : cluster->dumps) {
      if (dump.kind != "ovs-ofctl dump-flows") continue;
      EXPECT_EQ(dump.path.find("later/") != std::string::npos, !dump.superseded_by.empty()) << dump.path;
    }
  }
  EXPECT_TRUE(is_second_dump("later/x"));
  EXPECT_FALSE(is_second_dump("later"));
  EXPECT_FALSE(is_second_dump("a/translater/x"));
  EXPECT_EQ("w1/x", path_in_node("w1/later/x"));
  EXPECT_EQ("w1/netns/p/x", path_in_node("w1/netns/p/x"));
  EXPECT_EQ("ip_netns_exec_p_ip_addr", path_in_node("netns/p/ip_netns_exec_p_ip_addr"));
  EXPECT_EQ("a/w1/ip_netns_exec_p_ip_addr", path_in_node("a/w1/netns/p/ip_netns_exec_p_ip_addr"));
}

TEST(Layout, AFolderLaterBesideAnotherIsANode) {
  const TemporaryDirectory d;
  d.file("earlier/ip_rule_list", kLayoutRules);
  d.file("later/ip_rule_list", kOther);
  const auto cluster = read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_NE(nullptr, cluster->node("earlier"));
  EXPECT_NE(nullptr, cluster->node("later"));
}

// egtrace-collect.tsv mentions files in later/, too, and that a command printed nothing because there was nothing.
TEST(Layout, TheLogOfCollectSaysHowCommandsEnded) {
  const TemporaryDirectory d;
  d.file("w1/egtrace-collect.tsv",
         "# egtrace collect 1: time\tstatus\tbytes\tcut\tfile\tcommand\n1700000000\t0\t0\t0\tip_neigh\tip neigh\n"
         "1700000000\t1\t0\t0\tnft_list_ruleset\tnft list "
         "ruleset\n1700000009\t124\t90\t0\tlater/ovs-ofctl_dump-flows_br-int\tovs-ofctl dump-flows br-int\n");
  d.file("w1/hostname", "w1\n");
  d.file("w1/ip_neigh", "");
  d.file("w1/nft_list_ruleset", "");
  d.file("w1/later/ovs-ofctl_dump-flows_br-int",
         "NXST_FLOW reply (xid=0x4):\n cookie=0x1, table=0, n_packets=1, priority=1 actions=drop\n");
  const auto cluster = read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_FALSE(info(*cluster, "ip_neigh")->partial);
  EXPECT_TRUE(info(*cluster, "nft_list_ruleset")->partial);
  EXPECT_TRUE(info(*cluster, "later/ovs-ofctl_dump-flows_br-int")->partial);
}

TEST(Layout, ReportsNameTheirHost) {
  EXPECT_EQ("worker-0", host_of_report("sosreport-worker-0-2026-03-01-abcdefg"));
  EXPECT_EQ("worker-0-label", host_of_report("sosreport-worker-0-label-2026-03-01-abcdefg.tar.xz"));
  EXPECT_EQ("worker-0", host_of_report("sosreport-worker-0-20260301120000"));
  EXPECT_EQ("", host_of_report("backup"));
}

TEST(Layout, NewestReportOfAHostCounts) {
  const TemporaryDirectory d;
  d.file("sosreport-w1-2026-03-01-abcdefg/sos_commands/networking/ip_-4_rule_list", kOther);
  d.file("sosreport-w1-2026-03-02-abcdefg/sos_commands/networking/ip_-4_rule_list", kLayoutRules);
  const auto cluster = read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster) << cluster.error().message;
  ASSERT_EQ(1U, cluster->nodes.size());
  for (const auto& rule : cluster->nodes[0]->host.rules_v4.value) EXPECT_NE(100U, rule.priority);
}

TEST(Layout, SosreportAndMustGatherAreOneSnapshot) {
  const TemporaryDirectory d;
  d.file("sos/sosreport-worker-0-2026-03-01-abcdefg/sos_commands/networking/ip_-4_rule_list", kLayoutRules);
  d.file("mg/img/namespaces/openshift-ovn-kubernetes/pods/ovnkube-node-abc12/ovnkube-node-abc12.yaml", kPod);
  d.file("mg/img/namespaces/openshift-ovn-kubernetes/pods/ovnkube-node-abc12/sbdb/ip_route",
         "default via 192.0.2.254 dev eth0 \n");
  const auto cluster = read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster) << cluster.error().message;
  ASSERT_EQ(1U, cluster->nodes.size());
  EXPECT_EQ("worker-0.example.org", cluster->nodes[0]->name);
  EXPECT_TRUE(cluster->nodes[0]->host.rules_v4.present);
}

TEST(Layout, TailsOfDumpsArePartial) {
  const TemporaryDirectory d;
  const std::string flows = " cookie=0x1, duration=1.5s, table=9, n_packets=0, n_bytes=0, idle_age=1, priority=1 actions=drop\n";
  d.file("r/sos_commands/host/hostname", "w1\n");
  d.file("r/sos_strings/openvswitch/ovs-ofctl_dump-flows_br-x.tailed", "ons=drop\n" + flows);
  std::filesystem::create_directories(d.path() + "/r/sos_commands/openvswitch");
  std::filesystem::create_symlink("../../sos_strings/openvswitch/ovs-ofctl_dump-flows_br-x.tailed",
                                  d.path() + "/r/sos_commands/openvswitch/ovs-ofctl_dump-flows_br-x");
  const auto snapshot = open_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  ASSERT_EQ(1U, snapshot->cluster.nodes.size());
  ASSERT_NE(nullptr, snapshot->cluster.nodes[0]->bridge("br-x"));
  EXPECT_TRUE(snapshot->cluster.nodes[0]->bridge("br-x")->flows_partial);
}

TEST(Layout, FailedCommandsAreNoDumps) {
  const TemporaryDirectory d;
  d.file("w1/ip_rule", kLayoutRules);
  d.file("w1/ovs-ofctl_dump-flows_br-x", "ovs-ofctl: br-x is not a bridge or a socket\n");
  d.file("w1/ovs-ofctl_dump-flows_br-y",
         "2026-03-01T12:00:00Z|00001|vconn|WARN|unix:/run/br-y.mgmt: version negotiation failed (we support version 0x01)\n"
         "ovs-ofctl: br-y: failed to connect to socket (Broken pipe)\n");
  const auto cluster = read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_EQ(nullptr, cluster->node("w1")->bridge("br-x"));
  EXPECT_EQ(nullptr, cluster->node("w1")->bridge("br-y"));
  EXPECT_EQ("unknown", info(*cluster, "dump-flows_br-x")->kind);
  EXPECT_EQ(2U, cluster->diagnostics.size());
}

TEST(Noise, IsTakenAwayAtBothEnds) {
  const std::string text = "Starting pod/w1-debug ...\nTo use host binaries, run `chroot /host`\n" + std::string(kLayoutRules) +
                           "\nRemoving debug pod ...\n";
  const Quiet quiet = without_session_text(text);
  EXPECT_EQ(2U, quiet.skipped_lines);
  EXPECT_TRUE(quiet.text.starts_with("0:\t"));
  EXPECT_EQ("", quiet.failed);
  EXPECT_EQ("", quiet.ended);
  EXPECT_EQ("Dump terminated", without_session_text(std::string(kLayoutRules) + "Dump terminated\n").ended);
  EXPECT_EQ(kLayoutRules, without_session_text(kLayoutRules).text);
  EXPECT_EQ("", without_session_text("").failed);
  EXPECT_EQ("", without_session_text("conntrack v1.4.7 (conntrack-tools): 0 flow entries have been shown.\n").failed);
}

TEST(Manifest, TellsCommandsTimesAndTroubles) {
  const auto manifest = parse_manifest(
      R"({"components":{"report":{"plugins":{"openvswitch":{"commands":[
      {"command":"ovs-ofctl","exec":"/usr/bin/ovs-ofctl dump-flows br_x","filepath":"sos_commands/openvswitch/f","truncated":true,
       "return_code":0,"start_time":1700000000.5,"end_time":1700000001.5},
      {"exec":"nft list ruleset","filepath":"sos_commands/firewall_tables/n","truncated":false,"return_code":124}]}}}}})");
  ASSERT_TRUE(manifest);
  const RanCommand& flows = manifest->by_file.at("sos_commands/openvswitch/f");
  EXPECT_EQ("ovs-ofctl dump-flows br_x", flows.command);
  EXPECT_TRUE(flows.truncated);
  EXPECT_EQ(1700000001, flows.time);
  EXPECT_TRUE(manifest->by_file.at("sos_commands/firewall_tables/n").timed_out);
  EXPECT_FALSE(parse_manifest("{\"components\":"));
  EXPECT_TRUE(parse_manifest("[1, {\"components\": 3}]"));
}

}  // namespace
}  // namespace egt::parsers
