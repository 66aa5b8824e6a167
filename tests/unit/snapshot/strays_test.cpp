// Files that lie where they do not belong, links that became files, and what `sos clean` replaced.
#include <gtest/gtest.h>

#include "egtrace/parsers/snapshot.h"
#include "snapshot/private_map.h"
#include "support/ovsdb_log.h"
#include "support/pack.h"
#include "support/run.h"

namespace egt::parsers {
namespace {

using egt::testing::TemporaryDirectory;

constexpr const char* kStrayRules = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n";
constexpr const char* kStrayOther = "0:\tfrom all lookup local\n100:\tfrom all lookup 7\n32766:\tfrom all lookup main\n";
constexpr const char* kAddresses =
    "2: eth0    inet 192.0.2.10/24 brd 192.0.2.255 scope global eth0\\       valid_lft forever preferred_lft forever\n";

std::string switch_database(const std::string& host) {
  return egt::testing::ovsdb_log(
      {R"({"name":"Open_vSwitch","version":"8.3.1","tables":{"Open_vSwitch":{"columns":{)"
       R"("external_ids":{"type":{"key":"string","value":"string","min":0,"max":"unlimited"}}}}}})",
       R"({"Open_vSwitch":{"9fb1b5a4-6d0f-4d2e-8f0a-000000000001":{"external_ids":["map",[["hostname",")" + host +
           R"("],["system-id","s"]]]}},"_date":1})"});
}

const cluster::DumpInfo* dump_at(const cluster::Cluster& c, const std::string& path) {
  for (const cluster::DumpInfo& dump : c.dumps)
    if (dump.path.ends_with(path)) return &dump;
  return nullptr;
}

TEST(Strays, ADatabaseOfASwitchIsOfTheNodeThatItNames) {
  const TemporaryDirectory d;
  d.file("w1/ip_rule", kStrayRules);
  d.file("w1/conf.db", switch_database("w2.example.org"));
  d.file("w2/ip_rule", kStrayRules);
  d.file("w3/ip_rule", kStrayRules);
  d.file("w3/conf.db", switch_database("elsewhere"));  // no node of that name: then it is where it lies
  const auto cluster = read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_EQ("w2", dump_at(*cluster, "w1/conf.db")->node);
  EXPECT_EQ("w3", dump_at(*cluster, "w3/conf.db")->node);
  const auto shown = read_snapshot({"", {"w1:" + d.path() + "/w1/conf.db", "w2:" + d.path() + "/w2/ip_rule"}, 1});
  ASSERT_TRUE(shown) << shown.error().message;
  EXPECT_EQ("w1", dump_at(*shown, "w1/conf.db")->node);  // the user's word
}

// Other commands that failed are no dumps; that ovn-appctl did not reach ovn-controller is one.
TEST(Strays, AControllerOutOfReachIsShown) {
  const TemporaryDirectory d;
  d.file("w1/ip_rule", kStrayRules);
  d.file("w1/ovn-appctl_-t_ovn-controller_connection-status",
         "2026-11-29T08:00:00Z|00001|daemon_unix|WARN|/var/run/ovn/ovn-controller.pid: open: No such file or directory\n"
         "ovn-appctl: cannot read pidfile \"/var/run/ovn/ovn-controller.pid\" (No such file or directory)\n");
  d.file("w1/ovs-appctl_fdb.show_br-ex",
         "ovs-appctl: cannot connect to \"/var/run/openvswitch/ovs-vswitchd.7.ctl\" (Connection refused)\n");
  const auto cluster = read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster) << cluster.error().message;
  const auto& controller = (*cluster->nodes.begin())->ovn.controller;
  ASSERT_TRUE(controller);
  EXPECT_FALSE(controller->reached);
  EXPECT_FALSE(controller->connected);
  EXPECT_EQ(2U, controller->from.line);
  EXPECT_EQ("unknown", dump_at(*cluster, "fdb.show_br-ex")->kind);
}

// A sosreport has the files by which services shall set what the dumps show.
TEST(Strays, ConfigurationIsNotWhatIsInEffect) {
  const TemporaryDirectory d;
  const std::string rules = "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -j DROP\nCOMMIT\n";
  d.file("sosreport-w1/sos_commands/networking/ip_rule", kStrayRules);
  d.file("sosreport-w1/sos_commands/host/hostname", "w1\n");
  d.file("sosreport-w1/etc/hostname", "w1\n");
  d.file("sosreport-w1/etc/sysconfig/iptables", rules);
  d.file("sosreport-w1/etc/nftables/main.nft",
         "table inet t {\n\tchain c {\n\t\ttype filter hook input priority 0;\n\t\tdrop\n\t}\n}\n");
  d.file("sosreport-w1/etc/sysctl.conf", "# sysctl net.ipv4.ip_forward\nnet.ipv4.ip_forward = 0\n");
  d.file("sosreport-w1/usr/lib/sysctl.d/50-default.conf", "net.ipv4.conf.all.rp_filter = 1\n");
  d.file("sosreport-w1/etc/sysconfig/network-scripts/route-eth0", "10.0.0.0/8 via 192.0.2.1 dev eth0\n");
  const auto cluster = read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster) << cluster.error().message;
  ASSERT_EQ(1U, cluster->nodes.size());
  const cluster::Node& node = **cluster->nodes.begin();
  EXPECT_EQ("w1", node.name);
  EXPECT_FALSE(node.host.iptables_v4.present || node.host.iptables_v6.present || node.host.nft.present);
  EXPECT_FALSE(node.host.routes_v4.present);
  for (const char* left : {"etc/sysconfig/iptables", "etc/nftables/main.nft", "etc/sysctl.conf", "sysctl.d/50-default.conf",
                           "network-scripts/route-eth0"}) {
    ASSERT_NE(nullptr, dump_at(*cluster, left)) << left;
    EXPECT_EQ("unknown", dump_at(*cluster, left)->kind) << left;
  }
  const auto chosen = read_snapshot({"", {"w1:iptables-save=" + d.path() + "/sosreport-w1/etc/sysconfig/iptables"}, 1});
  ASSERT_TRUE(chosen) << chosen.error().message;
  EXPECT_TRUE((*chosen->nodes.begin())->host.iptables_v4.present);  // the user's word
}

TEST(Strays, WhatIsInItsPlaceCountsBeforeACopyElsewhere) {
  const TemporaryDirectory d;
  d.file("w1/ip_addr", kStrayOther);
  d.file("w1/a.yaml", switch_database("x1"));
  d.file("w1/conf.db", switch_database("x2"));
  d.file("w1/ip_rule", kStrayRules);
  const auto cluster = read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_EQ("", dump_at(*cluster, "w1/ip_rule")->superseded_by);
  EXPECT_TRUE(dump_at(*cluster, "w1/a.yaml")->superseded_by.ends_with("conf.db"));
  EXPECT_TRUE(dump_at(*cluster, "w1/ip_addr")->superseded_by.ends_with("ip_rule"));
}

TEST(Strays, NodesAreNotNamedByWhatTheirArchivesArePackedWith) {
  const TemporaryDirectory d;
  d.file("w1.tar.xz", egt::testing::pack({{"w1/ip_rule", kStrayRules}}, "xz"));
  d.file("w2.example.tgz", egt::testing::pack({{"ip_rule", kStrayRules}}, "gz"));
  const auto cluster = read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster) << cluster.error().message;
  ASSERT_EQ(2U, cluster->nodes.size());
  EXPECT_EQ("w1", cluster->nodes[0]->name);
  EXPECT_EQ("w2.example", cluster->nodes[1]->name);
}

TEST(Strays, DoNotMakeARouterANodeOfTheCluster) {
  const auto is_node = [](const std::string& name) {
    const TemporaryDirectory d;
    d.file("r1/" + name,
           "OFPT_FEATURES_REPLY (xid=0x2): dpid:0000525400000001\nn_tables:254, n_buffers:0\n"
           " 1(eth0): addr:52:54:00:00:00:01\n     config:     0\n     state:      0\n");
    d.file("r1/ip_rule", kStrayRules);
    const auto cluster = read_snapshot({d.path(), {}, 1});
    return cluster && cluster->nodes.at(0)->roles == std::vector{cluster::Role::cluster_node};
  };
  EXPECT_FALSE(is_node("ip_neigh"));
  EXPECT_TRUE(is_node("ovs-ofctl_show_br-int"));
}

TEST(Strays, LinksThatBecameFilesAreFollowed) {
  const TemporaryDirectory d;
  const std::string report = "sosreport-w1-2026-03-01-abcdefg/";
  d.file(report + "sos_commands/networking/ip_-o_addr", kAddresses);
  d.file(report + "ip_addr", "sos_commands/networking/ip_-o_addr");
  d.file(report + "ip_route", "sos_commands/networking/ip_route_show_table_all");
  const auto cluster = read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster) << cluster.error().message;
  ASSERT_NE(nullptr, cluster->node("w1"));
  ASSERT_EQ(1U, cluster->node("w1")->host.links.value.size());
  EXPECT_EQ(1U, cluster->node("w1")->host.links.value[0].addresses.size());
  EXPECT_FALSE(cluster->node("w1")->host.routes_v4.present);
  for (const cluster::DumpInfo& dump : cluster->dumps) EXPECT_TRUE(dump.not_understood.empty()) << dump.path;
  bool shown = false;
  for (const Diagnostic& diagnostic : cluster->diagnostics)
    shown |= diagnostic.message.find("which is not here") != std::string::npos;
  EXPECT_TRUE(shown);
}

TEST(Strays, FlowsWithoutTheirFirstTablesAreAPart) {
  const std::string header = "NXST_FLOW reply (xid=0x4):\n",
                    zero = " cookie=0x1, duration=1.0s, table=0, n_packets=0, n_bytes=0, actions=resubmit(,8)\n",
                    eight = " cookie=0x2, duration=1.0s, table=8, n_packets=0, n_bytes=0, actions=drop\n";
  const auto partial = [](const std::string& text) {
    const TemporaryDirectory d;
    d.file("sosreport-w1-2026-03-01-abcdefg/sos_commands/openvswitch/ovs-ofctl_dump-flows_br-int", text);
    const auto cluster = read_snapshot({d.path(), {}, 1});
    return cluster && cluster->dumps.at(0).partial;
  };
  EXPECT_FALSE(partial(header + zero + eight));
  EXPECT_FALSE(partial(zero + eight));
  EXPECT_TRUE(partial(eight + eight));
  EXPECT_TRUE(partial(zero + header + eight));
  EXPECT_FALSE(partial("ovs-ofctl: a remark\n" + header + zero + eight));
  EXPECT_TRUE(partial(zero.substr(20) + eight));
}

TEST(Strays, RoutesThatBeginWithinALineAreAPart) {
  const TemporaryDirectory d;
  d.file("w1/ip_route", "10.0.0.0/8 via 192.0.2.1 dev eth0\ndefault via 192.0.2.1 dev eth0\n");
  d.file("w2/ip_route", "2.0.2.1 dev eth0 proto static\ndefault via 192.0.2.1 dev eth0\n");
  d.file("w4/ip_route", " \n10.0.0.0/8 via 192.0.2.1 dev eth0 \ndefault via 192.0.2.1 dev eth0 \n");
  d.file("w3/ip_route", "eth0 proto static\ndefault via 192.0.2.1 dev eth0\n");
  const auto cluster = read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_FALSE(dump_at(*cluster, "w1/ip_route")->partial);
  EXPECT_FALSE(dump_at(*cluster, "w2/ip_route")->partial);  // may be whole
  EXPECT_TRUE(dump_at(*cluster, "w3/ip_route")->partial);
  EXPECT_TRUE(dump_at(*cluster, "w4/ip_route")->partial);
}

// What a cut between two lines left looks whole; the addresses show.
TEST(Strays, RoutesThatLackADevicesNetworkAreAPart) {
  const std::string connected = "192.0.2.0/24 dev eth0 proto kernel scope link src 192.0.2.10\n",
                    gateway = "default via 192.0.2.1 dev eth0\n",
                    own = "local 192.0.2.10 dev eth0 table local proto kernel scope host src 192.0.2.10\n",
                    loopback = "local 127.0.0.0/8 dev lo table local proto kernel scope host src 127.0.0.1\n";
  const auto partial = [](const std::string& flags, const std::string& routes, const std::string& more = "") {
    const TemporaryDirectory d;
    d.file("w1/ip_a", "2: eth0: <" + flags +
                          "> mtu 1500 qdisc noqueue state UP group default qlen 1000\n"
                          "    link/ether 52:54:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n"
                          "    inet 192.0.2.10/24 brd 192.0.2.255 scope global " +
                          more +
                          "eth0\n"
                          "       valid_lft forever preferred_lft forever\n");
    d.file("w1/ip_route_show_table_all", routes);
    const auto cluster = read_snapshot({d.path(), {}, 1});
    return cluster && cluster->nodes.at(0)->host.routes_v4.partial;
  };
  const std::string up = "BROADCAST,MULTICAST,UP,LOWER_UP";
  EXPECT_FALSE(partial(up, gateway + connected + loopback + own));
  EXPECT_TRUE(partial(up, gateway + loopback + own));
  EXPECT_TRUE(partial(up, gateway + connected + loopback));
  EXPECT_FALSE(partial(up, gateway + loopback + own, "noprefixroute "));
  EXPECT_FALSE(partial("BROADCAST,MULTICAST", gateway + loopback));
  EXPECT_FALSE(partial(
      up, gateway + "192.0.2.0/24 dev vrf7 table 7 proto kernel scope link src 192.0.2.10\nblackhole 192.0.2.0/24\n" + own));
}

TEST(Strays, DevicesAreNotDownForFlagsThatWereCutOff) {
  const TemporaryDirectory d;
  const std::string header =
      "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP mode DEFAULT group default qlen 1000\n"
      "    link/ether 52:54:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n";
  d.file("w1/ip_-d_link", header + "3: eth1");
  d.file("w1/copy_ip_-d_link", header + header.substr(0, 15));
  const auto cluster = read_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(cluster) << cluster.error().message;
  ASSERT_NE(nullptr, cluster->nodes.at(0)->host.link("eth0"));
  EXPECT_TRUE(cluster->nodes.at(0)->host.link("eth0")->is_up());
}

constexpr const char* kMap =
    R"({"hostname_map":{"w1":"host0"},"ip_map":{"10.1.0.0/16":"100.0.0.0/16","10.1.2.3":"100.0.0.1/16","192.0.2.7":"172.17.0.1"},)"
    R"("ipv6_map":{"version":1,"networks":{"fd01::/64":{"obfuscated":"fd53::/64","hosts":{"fd01::2":"fd53::0001"}},)"
    R"("fd02::/64":{"obfuscated":"fd53::/64","hosts":{"fd02::2":"fd53::0002"}}}},)"
    R"("mac_map":{"01:00:00:00:00:00":"53:4f:53:00:00:02","0a:58:0a:01:02:03":"53:4f:53:00:00:01"},"keyword_map":{},"username_map":{}})";

TEST(PrivateMap, GivesBackWhatWasReplaced) {
  const auto map = PrivateMap::parse(kMap);
  ASSERT_TRUE(map);
  EXPECT_EQ("nw_src=10.1.0.0/16,dl_dst=01:00:00:00:00:00/01:00:00:00:00:00",
            map->original_of("nw_src=100.0.0.0/16,dl_dst=53:4f:53:00:00:02/53:4f:53:00:00:02"));
  EXPECT_EQ("via 10.1.2.3 dev br-ex", map->original_of("via 100.0.0.1/16 dev br-ex"));
  EXPECT_EQ("10.1.2.3:80", map->original_of("100.0.0.1:80"));
  EXPECT_EQ("nat(dst=10.1.2.3:80)", map->original_of("nat(dst=100.0.0.1/16:80)"));
  EXPECT_EQ("10.1.2.3/255.255.0.0", map->original_of("100.0.0.1/255.255.0.0"));
  EXPECT_EQ("set_field:fd01::2->ipv6_src,mod_dl_src:0a:58:0a:01:02:03,output:1",
            map->original_of("set_field:fd53::0001->ipv6_src,mod_dl_src:53:4f:53:00:00:01,output:1"));
  EXPECT_EQ("fd53::/64 fd02::2", map->original_of("fd53::/64 fd53::0002"));  // two networks became one
  EXPECT_EQ("GR_w1 w1 172.17.0.10 1100.0.0.1", map->original_of("GR_w1 host0 172.17.0.10 1100.0.0.1"));
  const auto alike = PrivateMap::parse(R"({"mac_map":{},"ip_map":{"10.1.2.3/24":"100.0.0.1/24","10.7.2.3/16":"100.0.0.1/16"}})");
  ASSERT_TRUE(alike);
  EXPECT_EQ("10.1.2.3/24 10.7.2.3/16 100.0.0.1", alike->original_of("100.0.0.1/24 100.0.0.1/16 100.0.0.1"));
  EXPECT_FALSE(PrivateMap::parse("{}"));
  EXPECT_FALSE(PrivateMap::parse(R"({"mac_map":[],"ip_map")"));
  EXPECT_TRUE(PrivateMap::parse(R"({"mac_map":[],"ip_map":7,"ipv6_map":{"networks":[]}})"));
}

TEST(PrivateMap, LiesBesideTheReport) {
  const TemporaryDirectory d;
  d.file("w1/ip_-o_addr", "2: eth0    inet 100.0.0.1/16 scope global eth0\\       valid_lft forever preferred_lft forever\n");
  d.file("w1/ip_neigh", "100.0.0.9/16 dev eth0 lladdr 53:4f:53:00:00:01 REACHABLE\n");
  d.file("report-private_map", kMap);
  const auto snapshot = open_snapshot({d.path(), {}, 1});
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  EXPECT_EQ("sos clean", snapshot->collection.obfuscated_by);
  EXPECT_TRUE(snapshot->collection.translated_back);
  const cluster::Node* node = snapshot->cluster.node("w1");
  ASSERT_NE(nullptr, node);
  EXPECT_EQ("10.1.2.3", node->host.links.value.at(0).addresses.at(0).prefix.address.to_string());
}

// Cleaned each for itself, two reports have the same replacements for different things.
TEST(PrivateMap, OfAReportIsForThatReport) {
  const auto neighbours = [](const TemporaryDirectory& d) {
    const auto snapshot = open_snapshot({d.path(), {}, 1});
    std::string all;
    for (const auto& node : snapshot->cluster.nodes)
      for (const host::Neighbour& n : node->host.neighbours.value) all += n.address.to_string() + " ";
    return all;
  };
  const std::string first = "sosreport-w1-2026-03-01-aaaaaaa", second = "sosreport-w2-2026-03-01-bbbbbbb",
                    third = "sosreport-w3-2026-03-01-ccccccc";
  const TemporaryDirectory d;
  for (const std::string& report : {first, second, third})
    d.file(report + "/sos_commands/networking/ip_neigh", "100.0.0.9 dev eth0 lladdr 53:4f:53:00:00:01 REACHABLE\n");
  d.file(first + "-private_map", R"({"mac_map":{},"ip_map":{"10.1.2.9":"100.0.0.9"}})");
  d.file(second + "-private_map", R"({"mac_map":{},"ip_map":{"10.7.7.7":"100.0.0.9"}})");
  EXPECT_EQ("10.1.2.9 10.7.7.7 100.0.0.9 ", neighbours(d));
  d.file("sosreport-cluster-private_map", R"({"mac_map":{},"ip_map":{"10.3.3.3":"100.0.0.9"}})");
  EXPECT_EQ("10.1.2.9 10.7.7.7 10.3.3.3 ", neighbours(d));
}

}  // namespace
}  // namespace egt::parsers
