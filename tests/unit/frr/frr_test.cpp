#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

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

// What FRR 8.4.4 and the kernel below it made of one configuration.
const std::string kShown =
    "ip route 10.1.0.0/16 192.0.2.1\n"
    "ip route 10.1.0.0/16 198.51.100.1\n"
    "ip route 10.2.0.0/16 10.1.0.9\n"
    "ip route 10.3.0.0/16 Null0\n"
    "ip route 10.4.0.0/16 192.0.2.10 d0 140\n"
    "ip route 10.4.0.0/16 192.0.2.9 150\n"
    "ip route 10.5.0.0 255.255.0.0 192.0.2.10\n"
    "ip route 10.6.0.0/16 blackhole\n"
    "ip route 10.7.0.0/16 10.99.0.1\n"
    "ip route 10.8.0.0/16 192.0.2.3 table 200\n"
    "ip route 10.9.0.0/16 192.0.2.33 d0 onlink\n"
    "ip route 10.10.0.0/16 d1\n"
    "ip route 10.11.0.0/16 8.8.8.8\n"
    "ip route 10.12.0.0/16 192.0.2.77 tag 5 30\n"
    "ip route 10.6.1.0/24 reject\n"
    "ipv6 route fd00:8::/64 fe80::1 d0\n"
    "ipv6 route fd00:9::/64 fd00:1::1\n";

const std::string kTable =
    "\n"
    "VRF default:\n"
    "S>* 10.1.0.0/16 [1/0] via 192.0.2.1, d0, weight 1, 00:00:02\n"
    "  *                   via 198.51.100.1, d1, weight 1, 00:00:02\n"
    "S>  10.2.0.0/16 [1/0] via 10.1.0.9 (recursive), weight 1, 00:00:02\n"
    "  *                     via 192.0.2.1, d0, weight 1, 00:00:02\n"
    "  *                     via 198.51.100.1, d1, weight 1, 00:00:02\n"
    "S>* 10.3.0.0/16 [1/0] unreachable (blackhole), weight 1, 00:00:02\n"
    "S>* 10.4.0.0/16 [140/0] via 192.0.2.10, d0, weight 1, 00:00:02\n"
    "S   10.4.0.0/16 [150/0] via 192.0.2.9, d0, weight 1, 00:00:02\n"
    "S>* 10.5.0.0/16 [1/0] via 192.0.2.10, d0, weight 1, 00:00:02\n"
    "S>* 10.6.0.0/16 [1/0] unreachable (blackhole), weight 1, 00:00:02\n"
    "S>* 10.6.1.0/24 [1/0] unreachable (ICMP unreachable), weight 1, 00:00:02\n"
    "S>* 10.9.0.0/16 [1/0] via 192.0.2.33, d0 onlink, weight 1, 00:00:02\n"
    "S>* 10.10.0.0/16 [1/0] is directly connected, d1, weight 1, 00:00:02\n"
    "S>* 10.12.0.0/16 [30/0] via 192.0.2.77, d0, weight 1, 00:00:02\n"
    "C>* 192.0.2.0/24 is directly connected, d0, 00:00:02\n"
    "C>* 198.51.100.0/24 is directly connected, d1, 00:00:02\n"
    "\n"
    "VRF default table 200:\n"
    "S>* 10.8.0.0/16 [1/0] via 192.0.2.3, d0, weight 1, 00:00:02\n";

const std::string kTableV6 =
    "C>* fd00:1::/64 is directly connected, d0, 00:00:02\n"
    "S>* fd00:8::/64 [1/0] via fe80::1, d0, weight 1, 00:00:01\n"
    "S>* fd00:9::/64 [1/0] via fd00:1::1, d0, weight 1, 00:00:02\n"
    "C * fe80::/64 is directly connected, d0, 00:00:00\n"
    "C>* fe80::/64 is directly connected, d1, 00:00:01\n";

const std::string kKernel =
    "10.1.0.0/16 nhid 30 proto static metric 20 \n"
    "\tnexthop via 192.0.2.1 dev d0 weight 1 \n"
    "\tnexthop via 198.51.100.1 dev d1 weight 1 \n"
    "10.2.0.0/16 nhid 39 proto static metric 20 \n"
    "\tnexthop via 192.0.2.1 dev d0 weight 1 \n"
    "\tnexthop via 198.51.100.1 dev d1 weight 1 \n"
    "blackhole 10.3.0.0/16 proto static metric 20 \n"
    "10.4.0.0/16 nhid 25 via 192.0.2.10 dev d0 proto static metric 20 \n"
    "10.5.0.0/16 nhid 33 via 192.0.2.10 dev d0 proto static metric 20 \n"
    "blackhole 10.6.0.0/16 proto static metric 20 \n"
    "unreachable 10.6.1.0/24 proto static metric 20 \n"
    "10.9.0.0/16 nhid 27 via 192.0.2.33 dev d0 proto static metric 20 onlink \n"
    "10.10.0.0/16 nhid 29 dev d1 proto static metric 20 \n"
    "10.12.0.0/16 nhid 35 via 192.0.2.77 dev d0 proto static metric 20 \n"
    "192.0.2.0/24 dev d0 proto kernel scope link src 192.0.2.12 \n"
    "198.51.100.0/24 dev d1 proto kernel scope link src 198.51.100.12 \n"
    "10.8.0.0/16 nhid 31 via 192.0.2.3 dev d0 table 200 proto static metric 20 \n";

const std::string kKernelV6 =
    "fd00:1::/64 dev d0 proto kernel metric 256 pref medium\n"
    "fd00:8::/64 nhid 28 via fe80::1 dev d0 proto static metric 20 pref medium\n"
    "fd00:9::/64 nhid 36 via fd00:1::1 dev d0 proto static metric 20 pref medium\n"
    "fe80::/64 dev d0 proto kernel metric 256 pref medium\n"
    "fe80::/64 dev d1 proto kernel metric 256 pref medium\n";

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

void add_link(cluster::Cluster& cluster, const std::string& name, const std::vector<std::string>& addresses) {
  host::Link link;
  link.name = name;
  link.flags = {"UP,LOWER_UP"};
  for (const std::string& a : addresses)
    link.addresses.push_back({*Prefix::parse(a), {}, "global", false, false, false, false, {}});
  host::Host& host = cluster.ensure_node("n").host;
  host.links.present = true;
  host.links.value.push_back(link);
}

// "main 10.0.0.0/8" → "via 192.0.2.1 dev eth0, via 192.0.2.2 dev eth0".
std::map<std::string, std::string> routes_of(const cluster::Node& node) {
  std::map<std::string, std::set<std::string>> hops;
  for (const auto* part : {&node.host.routes_v4.value, &node.host.routes_v6.value})
    for (const host::Route& r : *part) {
      std::set<std::string>& all = hops[r.table + " " + r.to.to_string()];
      if (r.type == host::RouteType::blackhole) all.insert("blackhole");
      if (r.type == host::RouteType::unreachable) all.insert("unreachable");
      if (r.type != host::RouteType::unicast) continue;  // on error routes of IPv6 ip(8) names lo
      for (const host::NextHop& h : r.next_hops)
        all.insert((h.via ? "via " + h.via->to_string() + " " : "") + "dev " + h.device + (h.onlink ? " onlink" : ""));
    }
  std::map<std::string, std::string> routes;
  for (const auto& [to, all] : hops)
    for (const std::string& hop : all) routes[to] += (routes[to].empty() ? "" : ", ") + hop;
  return routes;
}

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
  cluster.node("n")->host.settle_routes();
  const auto& part = cluster.node("n")->host.routes_v4;
  ASSERT_TRUE(part.present);
  EXPECT_TRUE(part.partial);
  ASSERT_EQ(1u, cluster.node("n")->host.routing_daemon.offers.size());  // BGP's, which the static one beats
  ASSERT_EQ(5u, part.value.size());
  EXPECT_EQ("192.0.2.1", part.value[0].next_hops[0].via->to_string());
  EXPECT_EQ(100u, part.value[0].metric);
  EXPECT_EQ(host::RouteType::blackhole, part.value[1].type);
  EXPECT_EQ("static", part.value[2].protocol);  // the selected one of two
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
  cluster.node("n")->host.settle_routes();
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
  cluster.node("n")->host.settle_routes();
  EXPECT_TRUE(cluster.node("n")->host.routes_v4.value.empty());
}

TEST_F(Frr, BgpGivesItsBestPathsWhereNothingElseDoes) {
  cluster::Cluster cluster;
  add_link(cluster, "eth0", {"192.0.2.12/24"});
  formats.load(formats.dump(kBgp), cluster);
  cluster.node("n")->host.settle_routes();
  EXPECT_EQ(host::RouteSource::offers, cluster.node("n")->host.routes_v4_by);
  const auto routes = routes_of(*cluster.node("n"));
  EXPECT_EQ((std::map<std::string, std::string>{{"main 192.0.2.0/24", "dev eth0"},
                                                {"main 203.0.113.100/32", "via 192.0.2.23 dev eth0, via 192.0.2.24 dev eth0"}}),
            routes);
}

TEST_F(Frr, ASmallerDistanceWins) {
  const auto with = [&](const std::string& config) {
    cluster::Cluster cluster;
    add_link(cluster, "eth0", {"192.0.2.12/24"});
    formats.load(formats.dump(kConfig + config), cluster);  // before BGP: the order of dumps does not matter
    formats.load(formats.dump(kBgp), cluster);
    cluster.node("n")->host.settle_routes();
    return routes_of(*cluster.node("n"))["main 203.0.113.100/32"];
  };
  const std::string bgp = "via 192.0.2.23 dev eth0, via 192.0.2.24 dev eth0", static_route = "via 192.0.2.99 dev eth0";
  EXPECT_EQ(static_route, with("ip route 203.0.113.100/32 192.0.2.99\n"));
  EXPECT_EQ(bgp, with("ip route 203.0.113.100/32 192.0.2.99 201\n"));
  EXPECT_EQ(bgp, with("ip route 203.0.113.100/32 10.0.0.1\n"));  // a next hop that nothing leads to
  EXPECT_EQ(static_route, with("ip route 203.0.113.100/32 192.0.2.99 201\nrouter bgp 64512\n address-family ipv4 unicast\n"
                               "  distance bgp 20 210 210\n exit-address-family\nexit\n"));
  EXPECT_EQ(bgp, with("vrf red\n ip route 203.0.113.100/32 192.0.2.99\nexit-vrf\n"));
}

TEST_F(Frr, WhatBgpAloneDoesNotPlaceStaysOpen) {
  cluster::Cluster cluster;
  add_link(cluster, "eth0", {"192.0.2.12/24"});
  std::string text = kBgp;
  text.replace(text.find("                    192.0.2.23"), 30, "                    10.9.9.9  ");
  text.replace(text.find("*>i                 192.0.2.24"), 30, "*>i                 10.9.9.8  ");
  text.replace(text.find("*> 198.51.100.0/24  0.0.0.0   "), 30, "r>i203.0.113.7/32   192.0.2.24");
  formats.load(formats.dump(text), cluster);
  cluster.node("n")->host.settle_routes();
  auto routes = routes_of(*cluster.node("n"));
  EXPECT_EQ("via 10.9.9.8 dev , via 10.9.9.9 dev ", routes["main 203.0.113.100/32"]);
  EXPECT_EQ("dev ", routes["main 203.0.113.7/32"]);  // another route is better, and BGP does not show it
}

// Both what FRR's table shows and what follows from its configuration are the kernel's routes.
TEST_F(Frr, RoutesAreTheKernels) {
  Formats ip{iproute2_formats()};
  cluster::Cluster kernel, table, shown;
  for (cluster::Cluster* c : {&kernel, &table, &shown}) {
    add_link(*c, "d0", {"192.0.2.12/24", "fd00:1::12/64", "fe80::a/64"});
    add_link(*c, "d1", {"198.51.100.12/24", "fe80::b/64"});
  }
  ip.load(ip.dump(kKernel, "ip route show table all"), kernel);
  ip.load(ip.dump(kKernelV6, "ip -6 route show table all"), kernel);
  formats.load(formats.dump(kTable, "vtysh -c 'show ip route vrf all'"), table);
  formats.load(formats.dump(kTableV6, "vtysh -c 'show ipv6 route'"), table);
  formats.load(formats.dump(kConfig + kShown), shown);
  for (cluster::Cluster* c : {&kernel, &table, &shown}) c->node("n")->host.settle_routes();
  EXPECT_EQ(routes_of(*kernel.node("n")), routes_of(*table.node("n")));
  EXPECT_EQ(routes_of(*kernel.node("n")), routes_of(*shown.node("n")));
  EXPECT_EQ(host::RouteSource::kernel, kernel.node("n")->host.routes_v4_by);
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
