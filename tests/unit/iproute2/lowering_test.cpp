// What lines of ip(8) mean, and what a dump may and may not be taken to prove.
#include <gtest/gtest.h>

#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

struct Host : testing::Test {
  Formats formats{iproute2_formats()};
  cluster::Cluster cluster;
  Report load(std::string text, std::string command = {}, bool partial = false) {
    return formats.load(formats.dump(std::move(text), std::move(command), partial), cluster);
  }
  host::Host& host() { return cluster.ensure_node("n").host; }
};

// What the kernel found out of one destination is no route of a table, and stands beside the dump of all tables.
TEST_F(Host, TheCacheHasPathMtus) {
  load("default via 192.0.2.1 dev eth0 \n", "ip route show table all");
  load("198.51.100.40 via 192.0.2.1 dev eth0 \n    cache expires 595sec mtu 1300 \n", "ip route show cache");
  ASSERT_EQ(host().path_mtus.size(), 1u);
  EXPECT_EQ(host().path_mtus[0].to.to_string(), "198.51.100.40");
  EXPECT_EQ(host().path_mtus[0].device, "eth0");
  EXPECT_EQ(host().path_mtus[0].mtu, 1300u);
  ASSERT_EQ(host().routes_v4.value.size(), 1u);
  EXPECT_EQ(host().routes_v4.value[0].to.length, 0);
}

// net.ipv4.nexthop_compat_mode = 0: the kernel names the next hop object alone.
TEST_F(Host, ARouteByANextHopObjectHasOneThatIsNotShown) {
  load("10.9.0.0/16 nhid 10 proto zebra \n10.8.0.0/16 nhid 1 via 192.0.2.1 dev eth0 proto zebra \n", "ip route");
  const auto& routes = host().routes_v4.value;
  ASSERT_EQ(routes.size(), 2u);
  ASSERT_EQ(routes[0].next_hops.size(), 1u);
  EXPECT_TRUE(routes[0].next_hops[0].device.empty());
  ASSERT_EQ(routes[1].next_hops.size(), 1u);
  EXPECT_EQ(routes[1].next_hops[0].device, "eth0");
}

// As iproute2 6.1 prints them with that setting, of Linux 6.18.
TEST_F(Host, RoutesHaveTheNextHopsOfTheirObjects) {
  load(
      "10.1.0.0/16 nhid 1 \n10.3.0.0/16 nhid 10 \n10.5.0.0/16 nhid 12 \n10.6.0.0/16 nhid 13 \n10.7.0.0/16 nhid 99 \n"
      "10.8.0.0/16 nhid 20 \n10.9.0.0/16 nhid 21 \n",
      "ip -4 route show table all");
  load("fd01::/64 nhid 6 metric 1024 pref medium\n", "ip -6 route show table all");
  load(
      "id 1 via 10.0.0.2 dev va scope link \nid 2 blackhole \nid 3 via 10.0.0.3 dev va scope link \n"
      "id 6 via fd00::2 dev va scope link \nid 10 group 1/3,5 \nid 12 via fd00::9 dev va scope link \nid 13 dev va scope host \n"
      "id 20 group 1/98 \nid 21 via 10.0.0.4 scope link fdb \n",
      "ip nexthop");
  host().settle_routes();
  const auto& routes = host().routes_v4.value;
  ASSERT_EQ(routes.size(), 7u);
  EXPECT_EQ(routes[0].next_hops[0].via->to_string(), "10.0.0.2");
  EXPECT_EQ(routes[0].next_hops[0].device, "va");
  ASSERT_TRUE(routes[0].hops_from);
  EXPECT_EQ(routes[0].hops_from->at(0).line, 1u);
  ASSERT_EQ(routes[1].next_hops.size(), 2u);
  EXPECT_EQ(routes[1].next_hops[1].via->to_string(), "10.0.0.3");
  EXPECT_EQ(routes[1].next_hops[1].weight, 5u);
  EXPECT_EQ(routes[1].hops_from->size(), 3u);
  EXPECT_EQ(routes[2].next_hops[0].via->to_string(), "fd00::9");
  EXPECT_FALSE(routes[3].next_hops[0].via);
  EXPECT_EQ(routes[3].next_hops[0].device, "va");
  for (std::size_t open = 4; open < 7; ++open) {  // not dumped, a group of which one is not dumped, one for bridges
    ASSERT_EQ(routes[open].next_hops.size(), 1u) << open;
    EXPECT_TRUE(routes[open].next_hops[0].device.empty()) << open;
  }
  EXPECT_EQ(host().routes_v6.value[0].next_hops[0].via->to_string(), "fd00::2");
}

TEST_F(Host, RoutesByABlackholeGoNowhere) {
  load("10.2.0.0/16 nhid 2 \n", "ip route");
  load(R"([{"id":2,"blackhole":null,"flags":[]}])"
       "\n",
       "ip -j nexthop");
  host().settle_routes();
  EXPECT_EQ(host().routes_v4.value[0].type, host::RouteType::blackhole);
  EXPECT_TRUE(host().routes_v4.value[0].next_hops.empty());
}

TEST_F(Host, RulesHaveTheirSelectors) {
  load(
      "0:\tfrom all lookup local\n"
      "100:\tnot from 1.2.3.0/24 to 5.6.7.8 fwmark 0x10/0xff iif d0 [detached] ipproto tcp sport 80 dport 100-200 "
      "lookup 7\n"
      "101:\tfrom all lookup main suppress_prefixlength 0\n103:\tfrom all goto 500 [unresolved]\n"
      "105:\tfrom all tos 0x10 blackhole\n107:\tfrom all lookup [l3mdev-table]\n32766:\tfrom all lookup 254\n",
      "ip rule");
  const auto& rules = host().rules_v4;
  ASSERT_TRUE(rules.present);
  EXPECT_FALSE(rules.partial);
  ASSERT_EQ(rules.value.size(), 7u);
  const host::PolicyRule& r = rules.value[1];
  EXPECT_TRUE(r.negate && r.has_from && r.has_to && r.iif_detached);
  EXPECT_EQ(r.from_prefix.to_string(), "1.2.3.0/24");
  EXPECT_EQ(r.fwmark, 0x10u);
  EXPECT_EQ(r.fwmask, 0xffu);
  EXPECT_EQ(r.ip_proto, 6);
  EXPECT_EQ(r.dport->last, 200);
  EXPECT_EQ(r.from.line, 2u);
  EXPECT_EQ(rules.value[2].suppress_prefix_length, 0);
  EXPECT_EQ(rules.value[4].action, host::RuleAction::blackhole);
  EXPECT_TRUE(rules.value[5].l3mdev);
  EXPECT_EQ(rules.value[6].table, "main");
  for (const auto& rule : rules.value) EXPECT_TRUE(rule.not_modelled.empty());
}

TEST_F(Host, FieldsOfServicesHaveNames) {
  load("0:\tfrom all lookup local\n9:\tfrom all tos AF11 lookup 3\n10:\tfrom all tos EF lookup 3\n", "ip rule");
  EXPECT_EQ(host().rules_v4.value[1].tos, 0x28);
  EXPECT_EQ(host().rules_v4.value[2].tos, 0xb8);
  EXPECT_TRUE(host().rules_v4.value[1].not_modelled.empty());
}

// As iproute2 7.1 prints what kernels have known since 6.13 and 6.15.
TEST_F(Host, CodePointsAndPortsMayHaveMasks) {
  load(
      "0:\tfrom all lookup local\n9:\tfrom all dscp 10 lookup 3\n10:\tfrom all dscp EF lookup 3\n"
      "11:\tfrom all dscp 0x2/0x3 lookup 3\n12:\tfrom all sport 0x100/0xff00 dport 80 lookup 3\n",
      "ip rule");
  const auto text = host().rules_v4.value;
  EXPECT_EQ(text[1].dscp, 10);
  EXPECT_EQ(text[2].dscp, 46);
  EXPECT_EQ(text[2].dscp_mask, 0x3f);
  EXPECT_EQ(text[3].dscp, 2);
  EXPECT_EQ(text[3].dscp_mask, 3);
  EXPECT_TRUE(text[4].sport->contains(0x1ff));
  EXPECT_FALSE(text[4].sport->contains(0x200));
  EXPECT_FALSE(text[4].dport->contains(81));
  load(R"([{"priority":0,"src":"all","table":"local"},{"priority":9,"src":"all","dscp":"10","table":"3"},)"
       R"({"priority":10,"src":"all","dscp":"EF","dscp_mask":"0x3f","table":"3"},)"
       R"({"priority":11,"src":"all","dscp":"2","dscp_mask":"0x3","table":"3"},)"
       R"({"priority":12,"src":"all","sport":256,"sport_mask":"0xff00","dport":80,"table":"3"}])"
       "\n",
       "ip -j rule");
  const auto& json = host().rules_v4.value;
  ASSERT_EQ(json.size(), text.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    EXPECT_TRUE(text[i].not_modelled.empty() && json[i].not_modelled.empty()) << i;
    EXPECT_EQ(json[i].dscp, text[i].dscp);
    EXPECT_EQ(json[i].dscp_mask, text[i].dscp_mask);
  }
  EXPECT_TRUE(json[4].sport->contains(0x1ff));
  EXPECT_FALSE(json[4].sport->contains(0x200));
}

TEST_F(Host, AConditionThatIsNotHeldIsNotForgotten) {
  const Report r = load("0:\tfrom all lookup local\n9:\tfrom all tun_id 5 lookup 3\n10:\tfrom all novel x lookup 4\n", "ip rule");
  EXPECT_FALSE(host().rules_v4.value[1].not_modelled.empty());
  EXPECT_FALSE(host().rules_v4.value[2].not_modelled.empty());
  EXPECT_EQ(r.not_understood.size(), 1u);
}

TEST_F(Host, AnExcerptIsPartialAndYieldsToTheWhole) {
  load("30:     from all fwmark 0x1745ec lookup 7\n");
  EXPECT_TRUE(host().rules_v4.partial);
  EXPECT_EQ(host().rules_v4.value[0].fwmark, 0x1745ecu);
  load("0:\tfrom all lookup local\n", "ip rule");
  EXPECT_FALSE(host().rules_v4.partial);
  ASSERT_EQ(host().rules_v4.value.size(), 1u);
  load("30:\tfrom all lookup 9\n");
  EXPECT_EQ(host().rules_v4.value.size(), 1u);
}

TEST_F(Host, RoutesOfBothFamiliesInOneDump) {
  load(
      "default via 10.0.0.254 dev d0 proto static metric 48 \n"
      "10.1.0.0/16 \n\tnexthop via 10.0.0.5 dev d0 weight 1 \n\tnexthop via 10.0.0.6 dev d1 weight 3 onlink \n"
      "unreachable 10.5.0.0/16 metric 5 \n10.2.0.0/16 via inet6 fe80::1 dev d0 table 7 mtu lock 1400 \n"
      "local 10.0.0.1 dev d0 table 255 proto kernel scope host src 10.0.0.1 \n"
      "fd00::/64 dev d0 proto kernel metric 256 pref medium\ndefault via fd00::9 dev d0 metric 10 pref high\n"
      "default dev wg0 metric 1024 pref medium\n",
      "ip route show table all");
  const auto& v4 = host().routes_v4;
  ASSERT_EQ(v4.value.size(), 5u);
  ASSERT_EQ(host().routes_v6.value.size(), 3u);
  EXPECT_FALSE(v4.partial || host().routes_v6.partial);
  ASSERT_EQ(v4.value[1].next_hops.size(), 2u);
  EXPECT_EQ(v4.value[1].next_hops[1].weight, 3u);
  EXPECT_TRUE(v4.value[1].next_hops[1].onlink);
  EXPECT_EQ(v4.value[2].type, host::RouteType::unreachable);
  EXPECT_EQ(v4.value[3].next_hops[0].via->to_string(), "fe80::1");
  EXPECT_EQ(v4.value[3].mtu, 1400u);
  EXPECT_EQ(v4.value[3].table, "7");
  EXPECT_EQ(v4.value[4].table, "local");
  EXPECT_EQ(host().routes_v6.value[2].to, Prefix::any(Family::v6));
}

TEST_F(Host, NextHopsBelongToTheRouteAboveThem) {
  load(
      "10.1.0.0/16 via 10.0.0.5 dev d0 \n192.0.2.7 \n\tnexthop via 10.0.0.6 dev d0 weight 1 \n"
      "\tnexthop via 10.0.0.7 dev d1 weight 1 \n?? \n\tnexthop via 10.0.0.8 dev d1 weight 1 \n",
      "ip route show table all");
  const auto& v4 = host().routes_v4;
  ASSERT_EQ(v4.value.size(), 2u);
  EXPECT_EQ(v4.value[0].next_hops.size(), 1u);
  EXPECT_EQ(v4.value[1].to, *Prefix::parse("192.0.2.7/32"));
  EXPECT_EQ(v4.value[1].next_hops.size(), 2u);
}

TEST_F(Host, TheMainTableAloneProvesNothingOfOthers) {
  load("default via 10.0.0.254 dev d0 \n", "ip route");
  EXPECT_TRUE(host().routes_v4.partial);
  EXPECT_FALSE(host().routes_v6.present);
  load("local 127.0.0.1 dev lo table local \n", "ip route show table all");
  EXPECT_FALSE(host().routes_v4.partial);
  load("default via 10.0.0.253 dev d0 \n", "ip route");
  EXPECT_EQ(host().routes_v4.value.size(), 1u);
}

TEST_F(Host, ATableOfTheCommandIsThatOfItsRoutes) {
  load("172.22.0.0/16 via 10.133.0.1 dev ovn-k8s-mp0 \n", "ip route show table 7");
  ASSERT_EQ(host().routes_v4.value.size(), 1u);
  EXPECT_EQ(host().routes_v4.value[0].table, "7");
}

TEST_F(Host, AnEncapsulationsAddressesAreNotTheRoutes) {
  load("10.12.0.0/16  encap ip id 5 src 0.0.0.0 dst 1.2.3.4 ttl 0 tos 0 dev d0 scope link \n", "ip route show table all");
  const host::Route& r = host().routes_v4.value.at(0);
  EXPECT_FALSE(r.source_hint);
  EXPECT_FALSE(r.not_modelled.empty());
  host().routes_v4 = {};
  load(R"([{"dst":"10.12.0.0/16","encap":"ip","id":5,"src":"0.0.0.0",)"
       R"("dst":"1.2.3.4","dev":"d0","scope":"link","flags":[]}])"
       "\n",
       "ip -j route show table all");
  EXPECT_EQ(host().routes_v4.value.at(0).to.to_string(), "10.12.0.0/16");
  EXPECT_FALSE(host().routes_v4.value[0].not_modelled.empty());
}

TEST_F(Host, ACutRouteIsNotTakenForAWholeOne) {
  load("10.0.0.0/8 via 10.0.", "ip route show table all");
  EXPECT_TRUE(host().routes_v4.partial);
  EXPECT_FALSE(host().routes_v4.value.at(0).not_modelled.empty());
}

TEST_F(Host, JsonSaysWhatTextSays) {
  load(
      "0:\tfrom all lookup local\n100:\tnot from 10.0.0.0/8 fwmark 0x10/0xff iif d0 [detached] lookup 7\n105:\tfrom "
      "all prohibit\n",
      "ip rule");
  const auto text = host().rules_v4.value;
  load(R"([{"priority":0,"src":"all","table":"local"},{"priority":100,"not":null,)"
       R"("src":"10.0.0.0","srclen":8,"fwmark":"0x10",)"
       R"("fwmask":"0xff","iif":"d0","iif_detached":null,"table":"7"},{"priority":105,"src":"all","action":"prohibit"}])"
       "\n",
       "ip -j rule");
  const auto& json = host().rules_v4.value;
  ASSERT_EQ(json.size(), text.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    EXPECT_EQ(json[i].priority, text[i].priority);
    EXPECT_EQ(json[i].negate, text[i].negate);
    EXPECT_EQ(json[i].from_prefix, text[i].from_prefix);
    EXPECT_EQ(json[i].fwmask, text[i].fwmask);
    EXPECT_EQ(json[i].iif_detached, text[i].iif_detached);
    EXPECT_EQ(json[i].action, text[i].action);
    EXPECT_EQ(json[i].table, text[i].table);
    EXPECT_TRUE(json[i].not_modelled.empty());
  }
}

constexpr const char* kAddr =
    "2: d0@if7: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 qdisc noqueue master br1 state UP group default qlen 1000\n"
    "    link/ether 0a:58:0a:84:00:02 brd ff:ff:ff:ff:ff:ff link-netnsid 0\n"
    "    inet 10.0.0.1/24 brd 10.0.0.255 scope global d0\n       valid_lft forever preferred_lft forever\n"
    "    inet 10.9.0.1 peer 10.9.7.2/24 scope global secondary d0:x\n       valid_lft forever preferred_lft forever\n"
    "    inet6 fe80::1/64 scope link tentative \n       valid_lft forever preferred_lft forever\n";
constexpr const char* kLink =
    "2: d0@if7: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 qdisc noqueue master br1 state UP mode DEFAULT group "
    "default qlen 1000\n"
    "    link/ether 0a:58:0a:84:00:02 brd ff:ff:ff:ff:ff:ff promiscuity 0  allmulti 0 minmtu 68 maxmtu 65535 \n"
    "    vlan protocol 802.1Q id 10 <REORDER_HDR> addrgenmode eui64 \n"
    "3: m0@d0: <BROADCAST> mtu 1500 qdisc noop state DOWN mode DEFAULT group default qlen 1000\n"
    "    link/ether 0a:58:0a:84:00:03 brd ff:ff:ff:ff:ff:ff promiscuity 0 \n    macvlan mode bridge bcqueuelen 1000 \n"
    "4: v0: <NOARP,MASTER,UP,LOWER_UP> mtu 65575 qdisc noqueue state UP mode DEFAULT group default qlen 1000\n"
    "    link/ether 0a:58:0a:84:00:04 brd ff:ff:ff:ff:ff:ff promiscuity 0 \n    vrf table 1010 addrgenmode eui64 \n";

void expect_merged(host::Host& host) {
  EXPECT_FALSE(host.links.partial);
  ASSERT_EQ(host.links.value.size(), 3u);
  const host::Link* d0 = host.link("d0");
  ASSERT_NE(d0, nullptr);
  EXPECT_EQ(d0->peer, "if7");
  EXPECT_EQ(d0->master, "br1");
  EXPECT_EQ(d0->mtu, 1400u);
  EXPECT_EQ(d0->kind, "vlan");
  EXPECT_EQ(d0->vlan_id, 10);
  ASSERT_EQ(d0->addresses.size(), 3u);
  EXPECT_EQ(d0->addresses[1].prefix.to_string(), "10.9.0.1/24");
  EXPECT_EQ(d0->addresses[1].peer->to_string(), "10.9.7.2");
  EXPECT_EQ(d0->addresses[1].subnet().to_string(), "10.9.7.0/24");
  EXPECT_TRUE(d0->addresses[1].secondary && d0->addresses[2].tentative);
  EXPECT_EQ(host.link("m0")->mode, "bridge");
  EXPECT_EQ(host.link("v0")->vrf_table, 1010u);
  EXPECT_EQ(host.owner_of(*IpAddr::parse("10.0.0.1")), d0);
}

TEST_F(Host, LegsOfABondHaveAStateOfTheirOwn) {
  load(
      "2: a0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq master bond0 state UP mode DEFAULT group default qlen 1000\n"
      "    link/ether 0a:58:0a:84:00:02 brd ff:ff:ff:ff:ff:ff promiscuity 0 \n"
      "    bond_slave state BACKUP mii_status UP link_failure_count 0 perm_hwaddr 0a:58:0a:84:00:02 queue_id 0 \n",
      "ip -d link");
  ASSERT_NE(host().link("a0"), nullptr);
  EXPECT_EQ(host().link("a0")->leg_state, host::LegState::backup);
  EXPECT_TRUE(host().link("a0")->port_state.empty());
}

TEST_F(Host, LinesOfADeviceNeedNotFollowEachOther) {
  load(
      "2: a    inet 10.0.0.1/24 scope global a\\       valid_lft forever preferred_lft forever\n"
      "3: b    inet 10.0.1.1/24 scope global b\\       valid_lft forever preferred_lft forever\n"
      "2: a    inet6 fd00::1/64 scope global \\       valid_lft forever preferred_lft forever\n",
      "ip -o addr");
  ASSERT_EQ(host().links.value.size(), 2u);
  EXPECT_EQ(host().link("a")->addresses.size(), 2u);
}

TEST_F(Host, AddressesAndDetailsOfADeviceComeTogetherInAnyOrder) {
  load(kAddr, "ip addr");
  load(kLink, "ip -d link");
  expect_merged(host());
  host() = {};
  load(kLink, "ip -d link");
  EXPECT_TRUE(host().links.partial);  // addresses are not known yet
  load(kAddr, "ip addr");
  expect_merged(host());
}

TEST_F(Host, OneLineAddressesLeaveDevicesOut) {
  load(
      "1: lo    inet 127.0.0.1/8 scope host lo\\       valid_lft forever preferred_lft forever\n"
      "1: lo    inet6 ::1/128 scope host \\       valid_lft forever preferred_lft forever\n",
      "ip -o addr");
  ASSERT_EQ(host().links.value.size(), 1u);
  EXPECT_EQ(host().links.value[0].addresses.size(), 2u);
  EXPECT_TRUE(host().links.partial);
}

// As a word of the line and as a member of JSON; of IPv4 it is something else.
TEST_F(Host, RoutesHaveTheirSources) {
  const auto sources = [&] { return host::sources_of(host().routes_v6.value.at(0)); };
  load("fd00:8::/32 from fd00:5::/64 via fd00::1 dev d0 metric 1024 pref medium\n", "ip -6 route");
  ASSERT_TRUE(sources());
  EXPECT_EQ(sources()->to_string(), "fd00:5::/64");
  cluster = {};
  load(R"([{"dst":"fd00:8::/32","from":"fd00:5::7","gateway":"fd00::1","dev":"d0","metric":1024,"flags":[]}])"
       "\n",
       "ip -6 -j route");
  ASSERT_TRUE(sources());
  EXPECT_EQ(sources()->to_string(), "fd00:5::7/128");
  cluster = {};
  load("fd00:8::/32 via fd00::1 dev d0 metric 1024 pref medium\n", "ip -6 route");
  EXPECT_FALSE(sources());
}

TEST_F(Host, NeighboursHaveTheirState) {
  load(
      "10.0.0.5 dev d0 lladdr 00:11:22:33:44:55  ref 1 used 25/23/25probes 4 REACHABLE \n10.0.0.7 dev d0  used "
      "0/60/0probes 0 FAILED \n",
      "ip -s -s neigh show");
  ASSERT_EQ(host().neighbours.value.size(), 2u);
  EXPECT_EQ(host().neighbours.value[0].state, host::NeighbourState::reachable);
  EXPECT_EQ(host().neighbours.value[0].mac->to_string(), "00:11:22:33:44:55");
  EXPECT_EQ(host().neighbours.value[1].state, host::NeighbourState::failed);
  EXPECT_FALSE(host().neighbours.value[1].mac);
}

TEST_F(Host, NothingCrashesOnCutAndGarbledText) {
  formats.torment(kAddr, "ip addr");
  formats.torment(kLink, "ip -d link");
  formats.torment("10.1.0.0/16 \n\tnexthop via 10.0.0.5 dev d0 weight 1 \n", "ip route show table all");
  formats.torment(R"([{"dst":"default","gateway":"10.0.0.1","dev":"d0","flags":[],"metrics":[{"mtu":1400}]}])"
                  "\n",
                  "ip -j route");
  formats.torment("10.0.0.5 dev d0 lladdr 00:11:22:33:44:55 used 1/2/3probes 4 STALE \n", "ip neigh");
  load(std::string(100000, '['), "ip -j route");
}

}  // namespace
}  // namespace egt::parsers
