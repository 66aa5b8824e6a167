// Tables of Linux bridges and next hop objects, as bridge(8) and ip-nexthop(8) of iproute2 4.18 to 6.1 print them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

constexpr const char* kVlans =
    "port              vlan-id  \n"
    "p0                12 PVID Egress Untagged\n"
    "                  20-30\n"
    "evbr-rack         11\n";
constexpr const char* kDetailedVlans =
    "port              vlan-id  \n"
    "p0                12 PVID Egress Untagged\n"
    "                    state forwarding mcast_router 1 neigh_suppress off\n";
constexpr const char* kOldVlans = "port\tvlan ids\np0\t 12 PVID Egress Untagged\n\t 20\n\nbr0\tNone\n";
constexpr const char* kTunnels =
    "port              vlan-id    tunnel-id\n"
    "evx4-rack         11         101\n"
    "                  12-13      200-201\n";
constexpr const char* kVnis =
    "dev               vni              group/remote   \n"
    "evx4-rack         100\n"
    "                  101-103          239.1.1.1\n";
constexpr const char* kMacs =
    "33:33:00:00:00:01 dev p1 self permanent\n"
    "0e:00:00:00:00:02 dev evx4-rack dst 10.0.0.3 self permanent\n"
    "0a:58:0a:00:0a:05 dev ovl2-blue vlan 12 master evbr-rack static\n"
    "0e:00:00:00:00:01 dev v0 dst 10.0.0.2 vni 9 via lo used 0/0 extern_learn self permanent\n";
constexpr const char* kNextHops =
    "id 1 via 10.0.0.1 dev p0 scope link \n"
    "id 2 blackhole proto zebra \n"
    "id 10 group 1/3,5 \n";

struct Dumped {
  const char *kind, *command, *text;
};
const Dumped kAll[] = {{"bridge vlan", "bridge vlan show", kVlans},    {"bridge vlan", "bridge -d vlan show", kDetailedVlans},
                       {"bridge vlan", "bridge_vlan_show", kOldVlans}, {"bridge vlan", "bridge vlan tunnelshow", kTunnels},
                       {"bridge vni", "bridge vni show", kVnis},       {"bridge fdb", "bridge fdb show", kMacs},
                       {"ip nexthop", "ip nexthop show", kNextHops}};

TEST(Bridges, AreReadAndPrintedBack) {
  Formats formats(iproute2_formats());
  for (const Dumped& d : kAll)
    for (const char* command : {d.command, ""}) {
      const Dump dump = formats.dump(d.text, command);
      EXPECT_EQ(formats.kind(dump), d.kind) << d.text;
      const Printed run = formats.reprint(dump);
      EXPECT_EQ(run.out, d.text);
      EXPECT_TRUE(run.report.not_understood.empty()) << d.text << run.report.diagnostics.at(0).message;
    }
}

TEST(Bridges, OfOtherDumpsAreNone) {
  const Formats formats(iproute2_formats());
  Formats others(iproute2_formats());
  EXPECT_EQ(others.kind(others.dump("10.0.0.1 dev eth0 lladdr 0a:58:0a:00:0a:05 REACHABLE\n")), "ip neigh");
  EXPECT_EQ(others.kind(others.dump("10.0.0.0/24 dev eth0 proto kernel scope link\n")), "ip route");
}

TEST(Bridges, SayWhereALineIsNotUnderstood) {
  Formats formats(iproute2_formats());
  const Printed run =
      formats.reprint(formats.dump("0e:00:00:00:00:02 dev v0 dst 10.0.0.3 quux self permanent\n", "bridge fdb show"));
  ASSERT_EQ(run.report.not_understood.size(), 1U);
  EXPECT_EQ(run.report.not_understood[0].line, 1U);
  EXPECT_EQ(run.out, "0e:00:00:00:00:02 dev v0 dst 10.0.0.3 quux self permanent\n");
}

TEST(Bridges, HaveTypedEntries) {
  Formats formats(iproute2_formats());
  const auto macs = nlohmann::json::parse(formats.json(formats.dump(kMacs, "bridge fdb show"))).at("entries");
  ASSERT_EQ(macs.size(), 4U);
  EXPECT_NE(macs[2].dump().find("0a:58:0a:00:0a:05"), std::string::npos);
  const auto vlans = nlohmann::json::parse(formats.json(formats.dump(kVlans, "bridge vlan show"))).at("entries");
  ASSERT_EQ(vlans.size(), 2U);
  EXPECT_EQ(vlans[0].at("more").size(), 1U);
}

TEST(Bridges, AreReadAsJson) {
  Formats formats(iproute2_formats());
  const std::pair<const char*, const char*> all[] = {
      {"bridge vlan", R"([{"ifname":"p0","vlans":[{"vlan":12,"flags":["PVID","Egress Untagged"]},{"vlan":20,"vlanEnd":30}]}])"},
      {"bridge vlan", R"([{"ifname":"evx4-rack","tunnels":[{"vlan":11,"tunid":101}]}])"},
      {"bridge vni", R"([{"ifname":"evx4-rack","vnis":[{"vni":100},{"vni":101,"vniEnd":103}]}])"},
      {"bridge fdb", R"([{"mac":"0e:00:00:00:00:02","ifname":"v0","dst":"10.0.0.3","flags":["self"],"state":"permanent"}])"},
      {"ip nexthop",
       R"([{"id":1,"gateway":"10.0.0.1","dev":"p0","flags":[]},{"id":10,"group":[{"id":1},{"id":3,"weight":5}]}])"}};
  for (const auto& [kind, text] : all) {
    const Dump dump = formats.dump(std::string(text) + "\n");
    EXPECT_EQ(formats.kind(dump), kind);
    const Printed run = formats.reprint(dump);
    EXPECT_EQ(run.out, std::string(text) + "\n");
    EXPECT_TRUE(run.report.not_understood.empty());
    EXPECT_EQ(nlohmann::json::parse(formats.json(dump)).at("entries").empty(), false);
  }
}

TEST(Bridges, SurviveAnything) {
  Formats formats(iproute2_formats());
  for (const Dumped& d : kAll) formats.torment(d.text, d.command);
}

// ip -d link: what the bridge does with VLANs.
TEST(Bridges, FilterVlans) {
  Formats formats(iproute2_formats());
  cluster::Cluster cluster;
  formats.load(
      formats.dump("3: br0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP mode DEFAULT group default \n"
                   "    link/ether 0a:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff promiscuity 0 \n"
                   "    bridge forward_delay 1500 vlan_filtering 1 vlan_protocol 802.1Q \n",
                   "ip -d link"),
      cluster);
  EXPECT_TRUE(cluster.ensure_node("n").host.link("br0")->filters_vlans);
}

const std::vector<host::BridgedVlans>& vlans_of(cluster::Cluster& cluster, const char* text, const char* command) {
  Formats formats(iproute2_formats());
  formats.load(formats.dump(text, command), cluster);
  return cluster.ensure_node("n").host.bridged_vlans.value;
}

TEST(Bridges, HaveTheVlansOfTheirPorts) {
  for (const auto& [text, command] : {std::pair{kVlans, "bridge vlan show"}, {kDetailedVlans, "bridge -d vlan show"}}) {
    cluster::Cluster cluster;
    const auto& vlans = vlans_of(cluster, text, command);
    ASSERT_GE(vlans.size(), 1U);
    EXPECT_EQ(vlans[0].device, "p0");
    EXPECT_EQ(vlans[0].first, 12);
    EXPECT_TRUE(vlans[0].takes_untagged && vlans[0].sends_untagged && vlans[0].forwards);
    EXPECT_EQ(vlans[0].from.line, 2U);
    EXPECT_FALSE(cluster.ensure_node("n").host.bridged_vlans.partial);
    if (text != kVlans) continue;
    ASSERT_EQ(vlans.size(), 3U);
    EXPECT_EQ(vlans[1].first, 20);
    EXPECT_EQ(vlans[1].last, 30);
    EXPECT_FALSE(vlans[1].takes_untagged || vlans[1].sends_untagged);
    EXPECT_EQ(vlans[1].from.line, 3U);
    EXPECT_EQ(vlans[2].device, "evbr-rack");
  }
}

TEST(Bridges, HaveVlansThatSpanningTreeKeepsOut) {
  cluster::Cluster cluster;
  const auto& vlans =
      vlans_of(cluster, "port              vlan-id  \np0                12\n                    state blocking mcast_router 1\n",
               "bridge -d vlan show");
  ASSERT_EQ(vlans.size(), 1U);
  EXPECT_FALSE(vlans[0].forwards);
}

TEST(Bridges, HaveThemInJsonAndInOldText) {
  cluster::Cluster json, old, tunnels, excerpt;
  const auto& shown =
      vlans_of(json,
               R"([{"ifname":"p0","vlans":[{"vlan":12,"flags":["PVID","Egress Untagged"]},{"vlan":20,"vlanEnd":30}]}])"
               "\n",
               "bridge -j vlan show");
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_TRUE(shown[0].takes_untagged && shown[0].sends_untagged);
  EXPECT_EQ(shown[1].last, 30);
  const auto& without = vlans_of(old, kOldVlans, "bridge_vlan_show");
  ASSERT_EQ(without.size(), 3U);
  EXPECT_EQ(without[1].first, 20);
  EXPECT_EQ(without[2].device, "br0");
  EXPECT_EQ(without[2].first, 0);
  EXPECT_TRUE(vlans_of(tunnels, kTunnels, "bridge vlan tunnelshow").empty());
  vlans_of(excerpt, kVlans, "bridge vlan show dev p0");
  EXPECT_TRUE(excerpt.ensure_node("n").host.bridged_vlans.partial);
}

}  // namespace
}  // namespace egt::parsers
