// Dumps of ovs-appctl about the datapath: recognised, printed back, loaded, and read when damaged.
#include <gtest/gtest.h>

#include "egtrace/openflow/datapath_chain.h"
#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

constexpr const char* kPorts = R"(netdev@ovs-netdev:
  lookups: hit:2775 missed:1148 lost:19
  flows: 47
  port 0: ovs-netdev (tap)
  port 1: enp1s0
  port 5: genev_sys_6081 (geneve: packet_type=ptap)
)";
constexpr const char* kTunnels =
    R"(port 5: ovn-e897d7-0 (geneve: 192.168.99.23->192.168.99.25, key=flow, legacy_l2, dp port=5, ttl=64, csum=true)
port 7: ovn-891d4e-0 (geneve: flow->192.168.99.24, key=flow, dp port=5, ttl=64)
)";
constexpr const char* kRoutes = R"(Route Table:
Cached: 192.168.99.23/32 dev br-ex SRC 192.168.99.23 local
Cached: fd99::/64 dev br-ex SRC fd99::23
User: 198.51.100.0/24 MARK 7 dev br-ex GW 192.168.99.1 SRC 192.168.99.23
Cached: ::ffff:0.0.0.0/0 dev br-ex GW 192.168.99.1 SRC 192.168.99.23
)";
constexpr const char* kNeighbours = R"(IP                                            MAC                 Bridge
==========================================================================
192.168.99.25                                 52:54:00:3a:76:95   br-ex
fe80::5054:ff:fe3a:7695                       52:54:00:3a:76:95   br-ex STALE
192.168.99.26                                                     br-ex INCOMPLETE
)";
constexpr const char* kEnds = R"(Listening ports:
genev_sys_6081 (5) : eth(dst=00:50:56:8e:2a:31),eth_type(0x0800),ipv4(dst=192.168.99.23,proto=17,frag=no),udp(dst=6081)
genev_sys_6081 (5) : eth(dst=00:50:56:8e:2a:31),eth_type(0x86dd),ipv6(dst=fd99::23,proto=17,frag=no),udp(dst=6081)
)";
constexpr const char* kShortEnds = "Listening ports:\ngenev_sys_6081 (6081) ref_cnt=1\n";
constexpr const char* kFlows = R"(flow-dump from the main thread:
recirc_id(0),in_port(3),eth_type(0x0800),ipv4(dst=10.0.0.2,frag=no), packets:5, bytes:490, used:1.200s, flags:S, actions:ct(zone=3),recirc(0x11)
recirc_id(0x11),in_port(3),ct_state(-new+est+trk),ct_zone(0x3),eth_type(0x0800),ipv4(frag=no), packets:4, bytes:392, used:1.200s, actions:ct(zone=4,nat),recirc(0x12), dp-extra-info:miniflow_bits(5,1)
ufid:83e7fba2-0169-4168-adf9-fc57bb7ffa15, skb_priority(0/0),recirc_id(0x12),in_port(3),eth_type(0x0800),ipv4(frag=no), packets:4, bytes:392, used:never, dp:ovs, actions:7
recirc_id(0x13),in_port(3),eth_type(0x0800),ipv4(frag=no), packets:0, bytes:0, used:never, actions:drop
)";

constexpr const char* kLimits = "default limit=10\nzone=3,limit=2,count=1\nzone=64000,limit=0,count=0\n";

struct Case {
  const char* kind;
  const char* text;
};
constexpr Case kCases[] = {{"ovs-appctl dpctl/show", kPorts},       {"ovs-appctl ofproto/list-tunnels", kTunnels},
                           {"ovs-appctl ovs/route/show", kRoutes},  {"ovs-appctl tnl/neigh/show", kNeighbours},
                           {"ovs-appctl tnl/ports/show", kEnds},    {"ovs-appctl tnl/ports/show", kShortEnds},
                           {"ovs-appctl dpctl/dump-flows", kFlows}, {"ovs-appctl dpctl/ct-get-limits", kLimits}};

Formats formats() { return Formats(ovs_ofctl_formats()); }

TEST(DatapathDumps, ArePrintedBackByteForByte) {
  for (const Case& c : kCases) {
    Formats f = formats();
    const Dump dump = f.dump(c.text);
    EXPECT_EQ(f.kind(dump), c.kind);
    const Printed printed = f.reprint(dump);
    EXPECT_EQ(printed.out, c.text);
    EXPECT_TRUE(printed.report.not_understood.empty()) << c.kind;
    EXPECT_GT(printed.report.understood, 0u) << c.kind;
  }
}

TEST(DatapathDumps, DamagedLinesAreKeptAndReported) {
  for (const Case& c : kCases) {
    Formats f = formats();
    const std::string text = std::string(c.text) + "no such line\n";
    const Printed printed = f.reprint(f.dump(text));
    EXPECT_EQ(printed.out, text);
    EXPECT_EQ(printed.report.not_understood.size(), 1u) << c.kind;
    f.torment(c.text, c.kind);
  }
}

TEST(DatapathDumps, AreLoadedIntoTheNode) {
  Formats f = formats();
  cluster::Cluster cluster;
  for (const Case& c : kCases) f.load(f.dump(c.text), cluster);
  const openflow::Datapath& d = cluster.node("n")->datapath;
  EXPECT_EQ(d.type, "netdev");
  ASSERT_NE(d.port(5), nullptr);
  EXPECT_EQ(d.port(5)->type, "geneve");
  ASSERT_EQ(d.tunnels.size(), 2u);
  EXPECT_EQ(d.tunnels[1].datapath_port, 5u);
  EXPECT_TRUE(d.has_routes && d.has_neighbours);
  const openflow::TunnelRoute* marked = d.route(*IpAddr::parse("198.51.100.9"), 7);
  ASSERT_NE(marked, nullptr);
  EXPECT_TRUE(marked->user);
  EXPECT_EQ(d.route(*IpAddr::parse("198.51.100.9"), 0)->destination.length, 0);
  ASSERT_NE(d.neighbour(*IpAddr::parse("192.168.99.25"), "br-ex"), nullptr);
  EXPECT_EQ(d.neighbour(*IpAddr::parse("192.168.99.26"), "br-ex"), nullptr);  // nobody has answered
  ASSERT_EQ(d.tunnel_ends.size(), 2u);
  EXPECT_EQ(d.tunnel_ends[1].address.to_string(), "fd99::23");
  ASSERT_TRUE(d.conntrack.of_others && d.conntrack.zone(3));
  EXPECT_EQ(d.conntrack.of_others->value, 10u);
  EXPECT_EQ(d.conntrack.zone(3)->count, 1u);
  EXPECT_EQ(d.conntrack.zone(3)->from.line, 2u);
  ASSERT_EQ(d.flows.size(), 4u);
  EXPECT_EQ(d.flows[0].packets, 5u);
  EXPECT_EQ(d.flows[0].recirculates_to, (std::vector<std::uint32_t>{0x11}));
  EXPECT_EQ(d.flows[1].actions, "ct(zone=4,nat),recirc(0x12)");
}

TEST(DatapathDumps, ARecirculationIsReachedByAChainOfFlows) {
  Formats f = formats();
  cluster::Cluster cluster;
  f.load(f.dump(kFlows), cluster);
  const openflow::Datapath& d = cluster.node("n")->datapath;
  const auto chain = chain_to(d, 0x12);
  ASSERT_TRUE(chain);
  ASSERT_EQ(chain->size(), 2u);
  EXPECT_EQ((*chain)[0]->from.line, 2u);
  EXPECT_EQ((*chain)[1]->from.line, 3u);
  EXPECT_FALSE(chain_to(d, 0x13));  // no flow of the dump leads to it
  EXPECT_TRUE(chain_to(d, 0)->empty());
}

// Numbers alone: only the command shows what they count.
TEST(DatapathDumps, NumbersOfConnections) {
  Formats f = formats();
  EXPECT_EQ(f.kind(f.dump("3000000\n")), "(none)");
  cluster::Cluster cluster;
  for (const auto& [command, text] : {std::pair{"ovs-appctl dpctl/ct-get-maxconns", "3000000\n"},
                                      std::pair{"ovs-appctl_dpctl.ct-get-nconns_netdev_ovs-netdev", "17\n"}}) {
    const Dump dump = f.dump(text, command);
    f.load(dump, cluster);
    EXPECT_EQ(f.reprint(dump).out, text);
  }
  const openflow::ConntrackLimits& limits = cluster.node("n")->datapath.conntrack;
  ASSERT_TRUE(limits.of_all && limits.connections);
  EXPECT_EQ(limits.of_all->value, 3000000u);
  EXPECT_EQ(limits.connections->value, 17u);
}

TEST(DatapathDumps, RoutesOfSeveralTablesAreNotRead) {
  Formats f = formats();
  EXPECT_EQ(f.kind(f.dump("Route Table #7:\nCached: 192.0.2.0/24 dev br-ex SRC 192.0.2.1\n")), "(none)");
}

}  // namespace
}  // namespace egt::parsers
