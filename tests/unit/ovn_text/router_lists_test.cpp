#include <gtest/gtest.h>

#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

constexpr const char* kPolicies =
    "Routing Policies\n"
    "      1004 inport == \"rtos-n\" && ip4.dst == 192.168.66.24 /* allow drop */         reroute                10.132.0.2\n"
    "       102          ip4.src == $aset && ip4.dst == 10.0.0.0/8           allow               pkt_mark=1008\n"
    "       100                             ip4.src == 10.132.0.13         reroute                100.64.0.3, 100.88.0.4\n"
    "        51                                 ip4.src == 5.5.5.5         reroute               100.64.0.77               "
    "bfd,pkt_mark=7\n"
    "        50                                ip6.src == fd00::/8            drop\n";

constexpr const char* kChains =
    "Routing Policies\n"
    "Chain <Default>:\n"
    "        50                                ip6.src == fd00::/8            jump -> inner\n"
    "\nChain inner:\n"
    "        10                                                  1         reroute                   fd00::1 lrp0\n";

constexpr const char* kRoutes =
    "IPv4 Routes\n"
    "Route Table <main>:\n"
    "               9.9.9.0/24                   discard dst-ip\n"
    "               10.0.0.0/8               100.64.0.10 dst-ip ecmp ecmp-symmetric-reply\n"
    "                0.0.0.0/0                   1.2.3.4 dst-ip lrp0 (learned) bfd\n"
    "               10.1.0.0/8                           src-ip lrp1\n"
    "\n"
    "Route Table rt1:\n"
    "               8.8.8.0/24                100.64.0.2 dst-ip\n"
    "\n"
    "IPv6 Routes\n"
    "Route Table <main>:\n"
    "                fd01::/48                   fd98::1 src-ip\n";

constexpr const char* kNats =
    "TYPE             GATEWAY_PORT          EXTERNAL_IP        EXTERNAL_PORT    LOGICAL_IP          EXTERNAL_MAC         "
    "LOGICAL_PORT\n"
    "dnat                                   1.1.1.1            1000-2000        10.0.0.7\n"
    "dnat_and_snat                          192.168.199.100                     10.0.0.5            0a:00:00:00:00:01    port "
    "one\n"
    "dnat_and_snat                          2001:db8:1111:2                     fd01:1234:5678:9abc:def0:1234:5678:9abc\n"
    "snat                                   192.168.99.24                       10.132.0.0/14\n";

constexpr const char* kNatsWithMatch =
    "TYPE             GATEWAY_PORT          MATCH                 EXTERNAL_IP        EXTERNAL_PORT    LOGICAL_IP          "
    "EXTERNAL_MAC         LOGICAL_PORT\n"
    "snat             lrp0                  ip4.dst == 1.1.1.1    192.168.99.24                       10.132.0.13\n";

constexpr const char* kNatsOf2020 =
    "TYPE             EXTERNAL_IP        LOGICAL_IP            EXTERNAL_MAC         LOGICAL_PORT\n"
    "snat             192.168.99.24      10.132.0.13\n";

constexpr const char* kBalancers =
    "UUID                                    LB                  PROTO      VIP                        IPs\n"
    "46f714f3-3652-4541-86d2-d5830a0ac4a3    a name longer th               1.1.1.1                    2.2.2.2\n"
    "8ed1ce07-708c-4196-a6e8-d066fe4f6d1f    lb0                 tcp        10.0.0.10:80               10.1.1.1:80,10.1.1.2:80\n"
    "                                                            tcp        [fd00:1234:5678::10]:80    [fd01::1]:80\n"
    "23a7f75b-58c0-4c27-9199-c18fdf655150    lbe                 udp        3.3.3.3:53                 \n";

constexpr const char* kAcls =
    "from-lport  2000 (tcp.dst == {80, 443} && (ip4)) drop log(name=nm,severity=info)\n"
    "from-lport  2001 (ip) reject [after-lb]\n"
    "  to-lport  1001 (ip4.src==10.132.0.2) allow-related\n";

constexpr const char* kZones =
    "7515db6f-0f3e-499b-87b9-3eee77051985_snat 3\n"
    "demo-web_web-2 20\n"
    "name with blank 65535\n";

Formats list_formats() { return Formats(ovn_formats()); }

struct Sample {
  const char* text;
  const char* kind;
  const char* command;
};
constexpr Sample kSamples[] = {
    {kPolicies, "ovn-nbctl lr-policy-list", "ovn-nbctl lr-policy-list ovn_cluster_router"},
    {kChains, "ovn-nbctl lr-policy-list", "ovn-nbctl lr-policy-list ovn_cluster_router"},
    {kRoutes, "ovn-nbctl lr-route-list", "ovn-nbctl_lr-route-list_GR_n"},
    {kNats, "ovn-nbctl lr-nat-list", "ovn-nbctl_lr-nat-list_GR_n"},
    {kNatsWithMatch, "ovn-nbctl lr-nat-list", "ovn-nbctl_lr-nat-list_GR_n"},
    {kNatsOf2020, "ovn-nbctl lr-nat-list", "ovn-nbctl_lr-nat-list_GR_n"},
    {kBalancers, "ovn-nbctl lb-list", "ovn-nbctl lb-list"},
    {kAcls, "ovn-nbctl acl-list", "ovn-nbctl acl-list n"},
    {kZones, "ovn-appctl ct-zone-list", "ovn-appctl -t ovn-controller ct-zone-list"},
};

std::string column(const ovn::Row& row, const std::string& name) {
  return std::string(row.columns.find(name).value_or("(absent)"));
}

TEST(RouterLists, PrintBackAndAreKnownByTheirContent) {
  Formats f = list_formats();
  for (const Sample& s : kSamples) {
    const Dump dump = f.dump(s.text);
    EXPECT_EQ(f.kind(dump), s.kind);
    const Printed run = f.reprint(dump);
    EXPECT_EQ(run.out, s.text);
    EXPECT_TRUE(run.report.not_understood.empty()) << s.text;
    for (const Diagnostic& d : run.report.diagnostics) ADD_FAILURE() << s.kind << ":" << d.at.line << " " << d.message;
    EXPECT_EQ(run.report.lines, run.report.understood + run.report.ignored);
  }
}

TEST(RouterLists, LoadBalancersThatGrepLeftWithoutHeading) {
  Formats f = list_formats();
  cluster::Cluster c;
  const std::string text =
      "8ed1ce07-708c-4196-a6e8-d066fe4f6d1f    lb0                 tcp        10.0.0.10:80               "
      "10.1.1.1:80,10.1.1.2:80\n"
      "                                                            tcp        [fd00:1234:5678::10]:80    [fd01::1]:80\n";
  const Dump dump = f.dump(text, "ovn-nbctl lb-list", true);
  EXPECT_TRUE(f.load(dump, c).not_understood.empty());
  EXPECT_EQ(f.reprint(dump).out, text);
  const ovn::Rows& rows = c.node("n")->ovn.rows;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(column(rows[0], "name"), "lb0");
  EXPECT_EQ(column(rows[0], "vips"), R"({"10.0.0.10:80"="10.1.1.1:80,10.1.1.2:80", "[fd00:1234:5678::10]:80"="[fd01::1]:80"})");
}

TEST(RouterLists, Policies) {
  Formats f = list_formats();
  cluster::Cluster c;
  f.load(f.dump(kPolicies, kSamples[0].command), c);
  const ovn::Rows& rows = c.node("n")->ovn.rows;
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(column(rows[0], "match"), R"("inport == \"rtos-n\" && ip4.dst == 192.168.66.24 /* allow drop */")");
  EXPECT_EQ(column(rows[0], "nexthops"), R"(["10.132.0.2"])");
  EXPECT_EQ(column(rows[0], "router"), "ovn_cluster_router");
  EXPECT_EQ(column(rows[1], "options"), R"({pkt_mark="1008"})");
  EXPECT_EQ(column(rows[2], "nexthops"), R"(["100.64.0.3", "100.88.0.4"])");
  EXPECT_EQ(column(rows[4], "action"), "drop");
  EXPECT_EQ(c.node("n")->ovn.complete_tables.count("NB Logical_Router_Policy of ovn_cluster_router"), 1u);
}

TEST(RouterLists, ChainsOfPolicies) {
  Formats f = list_formats();
  cluster::Cluster c;
  f.load(f.dump(kChains), c);
  const ovn::Rows& rows = c.node("n")->ovn.rows;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(column(rows[0], "jump_chain"), "inner");
  EXPECT_EQ(column(rows[1], "chain"), "inner");
}

TEST(RouterLists, CollapsedBlanksOfPastedPoliciesAreUnderstood) {
  Formats f = list_formats();
  cluster::Cluster c;
  const std::string text = "Routing Policies\n100 ip4.src == 10.132.0.13 reroute 100.64.0.3, 100.88.0.4 pkt_mark=7\n";
  const Dump dump = f.dump(text, "", true);
  EXPECT_TRUE(f.load(dump, c).not_understood.empty());
  EXPECT_EQ(column(c.node("n")->ovn.rows[0], "nexthops"), R"(["100.64.0.3", "100.88.0.4"])");
  const Printed run = f.reprint(dump);
  EXPECT_EQ(run.out, text);
  EXPECT_EQ(run.report.diagnostics.size(), 1u);
}

TEST(RouterLists, Routes) {
  Formats f = list_formats();
  cluster::Cluster c;
  f.load(f.dump(kRoutes, kSamples[2].command), c);
  const ovn::Rows& rows = c.node("n")->ovn.rows;
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(column(rows[0], "nexthop"), "discard");
  EXPECT_EQ(column(rows[2], "output_port"), "lrp0");
  EXPECT_EQ(column(rows[3], "policy"), "src-ip");
  EXPECT_EQ(column(rows[4], "route_table"), "rt1");
  EXPECT_EQ(column(rows[5], "router"), "GR_n");
}

TEST(RouterLists, RowsOfTheDatabaseAndOfTheListAreOne) {
  Formats f = list_formats(), g(ovsdb_formats());
  const char* nat =
      "_uuid               : c13182b0-b6f5-41c2-b4f4-78b172a152af\nexternal_ids        : {}\n"
      "external_ip         : \"192.168.99.24\"\nexternal_mac        : []\nexternal_port_range : \"\"\n"
      "logical_ip          : \"10.132.0.0/14\"\nlogical_port        : []\ntype                : snat\n";
  for (const bool list_first : {false, true}) {
    cluster::Cluster c;
    const Dump table = g.dump(nat, "ovn-nbctl list nat"), list = f.dump(kNats, kSamples[3].command);
    if (!list_first) g.load(table, c);
    f.load(list, c);
    if (list_first) g.load(table, c);
    unsigned same = 0;
    for (const ovn::Row& row : c.node("n")->ovn.rows)
      if (column(row, "logical_ip") == "\"10.132.0.0/14\"") {
        ++same;
        EXPECT_EQ(row.uuid, "c13182b0-b6f5-41c2-b4f4-78b172a152af");
        EXPECT_EQ(column(row, "router"), "GR_n");
      }
    EXPECT_EQ(same, 1u);
  }
}

TEST(RouterLists, AnAddressThatMayBeCutIsSaidNotUsed) {
  Formats f = list_formats();
  cluster::Cluster c;
  const Report report = f.load(f.dump(kNats, kSamples[3].command), c);
  ASSERT_EQ(report.diagnostics.size(), 1u);
  EXPECT_EQ(report.diagnostics[0].at.line, 4u);
  EXPECT_EQ(c.node("n")->ovn.rows.size(), 3u);
  EXPECT_TRUE(c.node("n")->ovn.complete_tables.empty());
  EXPECT_EQ(column(c.node("n")->ovn.rows[1], "logical_port"), "\"port one\"");
}

// Of a loop over routers: each listing has headings of its own, and the name of none of them is known.
TEST(RouterLists, RowsAreReadByTheHeadingsAboveThem) {
  Formats f = list_formats();
  cluster::Cluster c;
  const std::string text = std::string(kNatsWithMatch) + kNatsOf2020;
  const Dump dump = f.dump(text, kSamples[3].command);
  EXPECT_EQ(f.reprint(dump).out, text);
  const std::string json = f.json(dump);
  EXPECT_NE(json.find(R"("EXTERNAL_PORT")"), std::string::npos) << json;
  f.load(dump, c);
  const ovn::Rows& rows = c.node("n")->ovn.rows;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(column(rows[0], "match"), R"("ip4.dst == 1.1.1.1")");
  for (const ovn::Row& row : rows) {
    EXPECT_EQ(column(row, "external_ip"), R"("192.168.99.24")");
    EXPECT_EQ(column(row, "logical_ip"), R"("10.132.0.13")");
    EXPECT_EQ(column(row, "router"), "(absent)");
  }
  EXPECT_TRUE(c.node("n")->ovn.complete_tables.empty());
}

TEST(RouterLists, SeveralListingsAreOfNoRouterThatIsKnown) {
  Formats f = list_formats();
  for (const Sample& s : {kSamples[0], kSamples[2]}) {
    cluster::Cluster one, two;
    f.load(f.dump(s.text, s.command), one);
    const std::string twice = std::string(s.text) + s.text;
    f.load(f.dump(twice, s.command), two);
    EXPECT_FALSE(one.node("n")->ovn.complete_tables.empty()) << s.command;
    EXPECT_TRUE(two.node("n")->ovn.complete_tables.empty()) << s.command;
    for (const ovn::Row& row : two.node("n")->ovn.rows) EXPECT_EQ(column(row, "router"), "(absent)") << s.command;
  }
}

TEST(RouterLists, LoadBalancersHaveAllTheirVips) {
  Formats f = list_formats();
  cluster::Cluster c;
  f.load(f.dump(kBalancers), c);
  const ovn::Rows& rows = c.node("n")->ovn.rows;
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(column(rows[0], "name"), "(absent)");  // cut by the tool
  EXPECT_EQ(column(rows[1], "vips"), R"({"10.0.0.10:80"="10.1.1.1:80,10.1.1.2:80", "[fd00:1234:5678::10]:80"="[fd01::1]:80"})");
  EXPECT_EQ(column(rows[2], "vips"), R"({"3.3.3.3:53"=""})");
}

TEST(RouterLists, Zones) {
  Formats f = list_formats();
  cluster::Cluster c;
  f.load(f.dump(kZones), c);
  EXPECT_EQ(c.node("n")->ovn.ct_zones.at("demo-web_web-2"), 20);
}

TEST(RouterLists, NumbersAndNamesAloneAreNoZones) {
  Formats f = list_formats();
  EXPECT_EQ(f.kind(f.dump("alpha 1\nbeta 2\n")), "(none)");
}

// Two words that any tool could print: whose they are says the command.
TEST(RouterLists, ConnectionOfOvnController) {
  Formats f = list_formats();
  const std::string kind = "ovn-appctl connection-status";
  for (const char* command : {"ovn-appctl -t ovn-controller connection-status", "ovn-appctl_-t_ovn-controller_connection-status",
                              "ovn-appctl_-t_.var.run.ovn.ovn-controller.1234.ctl_connection-status"})
    for (const bool connected : {true, false}) {
      const std::string text = connected ? "connected\n" : "not connected\n";
      const Dump dump = f.dump(text, command);
      EXPECT_EQ(kind, f.kind(dump)) << command;
      EXPECT_EQ(text, f.reprint(dump).out);
      cluster::Cluster c;
      f.load(dump, c);
      const auto& connection = c.node("n")->ovn.controller;
      ASSERT_TRUE(connection);
      EXPECT_EQ(connected, connection->connected);
      EXPECT_EQ(1U, connection->from.line);
    }
  EXPECT_NE(kind, f.kind(f.dump("connected\n")));
  EXPECT_NE(kind, f.kind(f.dump("not connected\n", "ovn-appctl -t ovn-northd sb-connection-status")));
  EXPECT_NE(kind, f.kind(f.dump("reconnecting\n", "ovn-appctl -t ovn-controller connection-status")));
}

// As ovn-appctl 23.03 prints it, without a pidfile and with the socket of a process that is gone.
TEST(RouterLists, OvnControllerOutOfReach) {
  Formats f = list_formats();
  const std::string command = "ovn-appctl -t ovn-controller connection-status";
  for (const std::string text :
       {"2026-01-02T03:04:05Z|00001|daemon_unix|WARN|/var/run/ovn/ovn-controller.pid: open: No such file or directory\n"
        "ovn-appctl: cannot read pidfile \"/var/run/ovn/ovn-controller.pid\" (No such file or directory)\n",
        "ovs-appctl: cannot connect to \"/var/run/ovn/ovn-controller.7.ctl\" (Connection refused)\n"}) {
    const Dump dump = f.dump(text, command);
    EXPECT_EQ("ovn-appctl connection-status", f.kind(dump));
    EXPECT_EQ(text, f.reprint(dump).out);
    cluster::Cluster c;
    f.load(dump, c);
    const auto& connection = c.node("n")->ovn.controller;
    ASSERT_TRUE(connection);
    EXPECT_FALSE(connection->reached);
    EXPECT_EQ(text.starts_with("2026") ? 2U : 1U, connection->from.line);
  }
}

// As ovsdb-server 3.1 prints it, of a server that the others have lost.
constexpr const char* kClusterStatus = R"(949b
Name: OVN_Southbound
Cluster ID: eb05 (eb05e5f9-332a-4279-aa33-360b01f951f9)
Server ID: 949b (949b018c-46ae-4d06-8911-10e6c6599d1a)
Address: tcp:127.0.0.1:17642
Status: disconnected from the cluster (election timeout)
Role: candidate
Term: 8
Leader: unknown
Vote: self

Last Election started 597 ms ago, reason: timeout
Election timer: 1000
Log: [2, 4]
Entries not yet committed: 0
Entries not yet applied: 0
Connections: (->0000)
Disconnections: 1
Servers:
    601c (601c at tcp:127.0.0.1:17641) last msg 12039 ms ago
    949b (949b at tcp:127.0.0.1:17642) (self) (voted for 949b)
)";

TEST(RouterLists, ServersOfClusteredDatabases) {
  Formats f = list_formats();
  std::string healthy = kClusterStatus;
  healthy.replace(healthy.find("disconnected from"), std::string("disconnected from the cluster (election timeout)").size(),
                  "cluster member");
  healthy.replace(healthy.find("Leader: unknown"), std::string("Leader: unknown").size(), "Leader: 601c");
  for (const std::string& text : {std::string(kClusterStatus), healthy}) {
    const Dump dump = f.dump(text);
    EXPECT_EQ("ovs-appctl cluster/status", f.kind(dump));
    EXPECT_EQ(text, f.reprint(dump).out);
    cluster::Cluster c;
    EXPECT_TRUE(f.load(dump, c).not_understood.empty());
    const auto& servers = c.node("n")->ovn.database_servers;
    ASSERT_EQ(1U, servers.size());
    EXPECT_EQ("OVN_Southbound", servers.front().database);
    EXPECT_EQ(text == healthy, servers.front().is_member);
    EXPECT_EQ(text == healthy, servers.front().has_leader);
    EXPECT_EQ(6U, servers.front().from.line);
  }
}

TEST(RouterLists, SurviveCutAndGarbledInput) {
  Formats f = list_formats();
  for (const Sample& s : kSamples) f.torment(s.text, s.command);
  f.torment("not connected\n", "ovn-appctl -t ovn-controller connection-status");
  f.torment(kClusterStatus, "");
}

}  // namespace
}  // namespace egt::parsers
