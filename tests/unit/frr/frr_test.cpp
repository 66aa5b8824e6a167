#include <gtest/gtest.h>

#include <string>

#include "frr/formats.h"
#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

const std::string kRoutes =
    "Codes: K - kernel route, C - connected, S - static, R - RIP,\n"
    "       O - OSPF, I - IS-IS, B - BGP, E - EIGRP, N - NHRP,\n"
    "       > - selected route, * - FIB route, q - queued, r - rejected, b - backup\n"
    "\n"
    "K>* 0.0.0.0/0 [0/100] via 192.0.2.1, eth0, 1d02h03m\n"
    "S>* 198.51.100.0/24 [1/0] unreachable (blackhole), weight 1, 00:00:10\n"
    "B   203.0.113.7/32 [200/0] via 192.0.2.12, eth0, weight 1, 00:00:08\n"
    "S>* 203.0.113.7/32 [1/0] via 192.0.2.11, eth0, weight 1, 00:00:10\n"
    "B>* 203.0.113.9/32 [200/0] via 192.0.2.11, eth0, weight 1, 00:00:08\n"
    "  *                        via 192.0.2.12, eth0, weight 3, 00:00:08\n"
    "                           via 192.0.2.13, eth0 inactive, weight 1, 00:00:08\n"
    "C>* 192.0.2.0/24 is directly connected, eth0, 00:03:23\n";

const std::string kBgp =
    "BGP table version is 2, local router ID is 192.0.2.12, vrf id 0\n"
    "Default local pref 100, local AS 64512\n"
    "Status codes:  s suppressed, d damped, h history, * valid, > best, = multipath,\n"
    "               i internal, r RIB-failure, S Stale, R Removed\n"
    "\n"
    "   Network          Next Hop            Metric LocPrf Weight Path\n"
    "*> 198.51.100.0/24  0.0.0.0                  0         32768 i\n"
    "*=i203.0.113.100/32\n"
    "                    192.0.2.23               0    100      0 i\n"
    "*>i                 192.0.2.24               0    100      0 64513 64514 ?\n"
    "* i203.0.113.101/32\n"
    "                    192.0.2.23               0    100      0 i\n"
    "\n"
    "Displayed  3 routes and 4 total paths\n";

const std::string kJson =
    "{\n"
    "  \"203.0.113.9/32\":[\n"
    "    {\n"
    "      \"prefix\":\"203.0.113.9/32\",\n"
    "      \"protocol\":\"bgp\",\n"
    "      \"selected\":true,\n"
    "      \"installed\":true,\n"
    "      \"nexthops\":[\n"
    "        {\n"
    "          \"fib\":true,\n"
    "          \"ip\":\"192.0.2.11\",\n"
    "          \"interfaceName\":\"eth0\",\n"
    "          \"weight\":1\n"
    "        }\n"
    "      ]\n"
    "    }\n"
    "  ]\n"
    "}\n";

const std::string kConfig =
    "Building configuration...\n"
    "\n"
    "Current configuration:\n"
    "!\n"
    "frr version 8.4.4\n"
    "frr defaults traditional\n"
    "hostname vm\n"
    "!\n"
    "router bgp 64512\n"
    " neighbor 192.0.2.23 remote-as 64512\n"
    " !\n"
    " address-family ipv4 unicast\n"
    "  network 198.51.100.0/24\n"
    " exit-address-family\n"
    "exit\n"
    "!\n"
    "end\n";

class Frr : public ::testing::Test {
 protected:
  Formats formats{frr_formats()};
};

TEST_F(Frr, PrintsBackWhatItRead) {
  for (const std::string& text : {kRoutes, kBgp, kJson, kConfig}) {
    const Printed printed = formats.reprint(formats.dump(text));
    EXPECT_EQ(text, printed.out);
    EXPECT_TRUE(printed.report.not_understood.empty());
  }
}

TEST_F(Frr, RecognisesByContent) {
  EXPECT_EQ("vtysh show ip route", formats.kind(formats.dump(kRoutes)));
  EXPECT_EQ("vtysh show ip bgp", formats.kind(formats.dump(kBgp)));
  EXPECT_EQ("vtysh show ip route json", formats.kind(formats.dump(kJson)));
  EXPECT_EQ("vtysh show running-config", formats.kind(formats.dump(kConfig)));
  EXPECT_EQ("(none)", formats.kind(formats.dump("default via 192.0.2.1 dev eth0\n")));
  EXPECT_EQ("(none)", formats.kind(formats.dump("{\"a\": [1]}\n")));
}

TEST_F(Frr, RoutesOfTheKernel) {
  cluster::Cluster cluster;
  formats.load(formats.dump(kRoutes), cluster);
  const auto& part = cluster.node("n")->host.routes_v4;
  ASSERT_TRUE(part.present);
  EXPECT_TRUE(part.partial);
  ASSERT_EQ(5u, part.value.size());
  EXPECT_EQ("192.0.2.1", part.value[0].next_hops[0].via->to_string());
  EXPECT_EQ(100u, part.value[0].metric);
  EXPECT_EQ(host::RouteType::blackhole, part.value[1].type);
  EXPECT_EQ("static", part.value[2].protocol);   // the selected one of two
  EXPECT_EQ("192.0.2.11", part.value[2].next_hops[0].via->to_string());
  ASSERT_EQ(2u, part.value[3].next_hops.size());
  EXPECT_EQ(3u, part.value[3].next_hops[1].weight);
  EXPECT_EQ("eth0", part.value[4].next_hops[0].device);
  EXPECT_FALSE(part.value[4].next_hops[0].via);
  EXPECT_EQ(12u, part.value[4].from.line);
}

TEST_F(Frr, JsonTellsTheSame) {
  cluster::Cluster cluster;
  formats.load(formats.dump(kJson), cluster);
  const auto& routes = cluster.node("n")->host.routes_v4.value;
  ASSERT_EQ(1u, routes.size());
  EXPECT_EQ("203.0.113.9", routes[0].to.address.to_string());
  EXPECT_EQ("eth0", routes[0].next_hops[0].device);
  EXPECT_EQ(2u, routes[0].from.line);
}

TEST_F(Frr, RoutesOfIpGoFirst) {
  cluster::Cluster cluster;
  cluster.ensure_node("n").host.routes_v4.present = true;
  formats.load(formats.dump(kRoutes), cluster);
  EXPECT_TRUE(cluster.node("n")->host.routes_v4.value.empty());
}

TEST_F(Frr, BgpGivesItsBestPathsWhereNothingElseDoes) {
  cluster::Cluster cluster;
  host::Link eth0;
  eth0.name = "eth0";
  eth0.addresses.push_back({*Prefix::parse("192.0.2.12/24"), {}, "global", false, false, false, false, {}});
  cluster.ensure_node("n").host.links.value.push_back(eth0);
  formats.load(formats.dump(kBgp), cluster);
  const auto& routes = cluster.node("n")->host.routes_v4.value;
  ASSERT_EQ(1u, routes.size());
  ASSERT_EQ(2u, routes[0].next_hops.size());
  EXPECT_EQ("192.0.2.23", routes[0].next_hops[0].via->to_string());
  EXPECT_EQ("192.0.2.24", routes[0].next_hops[1].via->to_string());
}

TEST_F(Frr, KeepsLinesThatItDoesNotKnow) {
  const std::string text = kRoutes + "X>* 10.0.0.0/8 something new\n";
  const Printed printed = formats.reprint(formats.dump(text));
  EXPECT_EQ(text, printed.out);
  ASSERT_EQ(1u, printed.report.not_understood.size());
  EXPECT_EQ(13u, printed.report.not_understood[0].line);
}

TEST_F(Frr, SurvivesDamage) {
  for (const std::string& text : {kRoutes, kBgp, kJson, kConfig}) formats.torment(text, "vtysh -c show ip route");
}

}  // namespace
}  // namespace egt::parsers
