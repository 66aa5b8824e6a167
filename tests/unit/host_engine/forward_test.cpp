// Packets that a host passes on: route, checks, TTL, MAC addresses, and how it refuses.
#include <gtest/gtest.h>

#include "egtrace/explain/phrases.h"
#include "test_host.h"

namespace egt::test {
namespace {

using engine::HostOutcome;
using host::NeighbourState;
using Kind = HostOutcome::Kind;

constexpr const char* kRouterMac = "52:54:00:00:00:01";

TestHost router() {
  TestHost h;
  h.link("in0", "02:00:00:00:00:01", "10.1.0.1/24").link("out0", "02:00:00:00:00:02", "10.2.0.1/24 10.3.0.1/24");
  h.routes("10.9.0.0/16 via 10.2.0.254 dev out0 src 10.3.0.1").neighbour("10.2.0.254", "out0", kRouterMac);
  return h;
}

TEST(Forward, TakesTheRouteAndTheNeighbour) {
  TestHost h = router();
  h.local_table();
  Lab lab(h);
  const HostOutcome o = lab.receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80));
  ASSERT_EQ(o.kind, Kind::transmit);
  EXPECT_EQ(o.device, "out0");
  EXPECT_EQ(o.next_hop, ip("10.2.0.254"));
  EXPECT_EQ(o.packet.u32(FieldId::nw_ttl), 63u);
  EXPECT_EQ(dst_mac(o.packet), mac(kRouterMac));
  EXPECT_EQ(src_mac(o.packet), mac("02:00:00:00:00:02"));
  EXPECT_TRUE(lab.proven()) << lab.assumptions();
  const auto routes = lab.steps<engine::RouteLookup>();
  ASSERT_EQ(routes.size(), 1u);
  EXPECT_EQ(routes[0]->rule->table, "main");
  EXPECT_EQ(routes[0]->route->to, *Prefix::parse("10.9.0.0/16"));
  const auto resolved = lab.steps<engine::Resolve>();
  ASSERT_EQ(resolved.size(), 1u);
  EXPECT_TRUE(resolved[0]->from_dump);
}

// As whom a node of the cluster sends what it forwards, its rules show: without a dump of any the source is open.
TEST(Forward, SourcesAreOpenWithoutRulesOfANode) {
  const auto forwarded = [](std::vector<cluster::Role> roles, bool shown) {
    TestHost h = router();
    h.local_table();
    h.host().iptables_v4 = {};
    h.host().nft = {};
    h.node.roles = std::move(roles);
    if (shown) h.iptables("*nat\n:POSTROUTING ACCEPT [0:0]\nCOMMIT\n");
    return Lab(h).receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80)).kind;
  };
  EXPECT_EQ(forwarded({cluster::Role::cluster_node}, false), Kind::inconclusive);
  EXPECT_EQ(forwarded({cluster::Role::cluster_node}, true), Kind::transmit);
  EXPECT_EQ(forwarded({cluster::Role::router}, false), Kind::transmit);
}

// A table that a rule names and that no route is in may stand among the routes by its number.
TEST(Forward, NamesOfTablesWithoutRoutesTakeTheProof) {
  TestHost h = router();
  h.rules("100: from all lookup far").local_table();
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80)).kind, Kind::transmit);
  EXPECT_FALSE(lab.proven());
  h.routes("192.0.2.0/24 dev out0 table far");
  Lab known(h);
  EXPECT_EQ(known.receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80)).kind, Kind::transmit);
  EXPECT_TRUE(known.proven()) << known.assumptions();
}

// ip_route_input_slow(), ipv6_rcv() and ip6_forward() of a kernel (6.18).
TEST(Forward, SourcesThatAreNoHostsAreDropped) {
  TestHost h = router();
  h.at("in0").addresses.push_back({.prefix = *Prefix::parse("fd00::1/64"), .scope = "global"});
  h.routes("fd00:9::/64 dev out0").local_table();
  const auto reason_of = [&](const char* from, const char* to) {
    const HostOutcome o = Lab(h).receive("in0", udp(from, to, 1000, 80));
    return o.kind == Kind::dropped && o.stop ? o.stop->why.reason : engine::Reason::none;
  };
  for (const char* from : {"224.0.0.5", "255.255.255.255", "0.1.2.3"})
    EXPECT_EQ(reason_of(from, "10.9.1.1"), engine::Reason::martian_source) << from;
  EXPECT_EQ(reason_of("ff02::1", "fd00:9::9"), engine::Reason::multicast_source);
  EXPECT_EQ(reason_of("::", "fd00:9::9"), engine::Reason::martian_source);
}

// ip6_forward(): the sender hears of it by the link that it is on, before the packet's length is looked at.
TEST(Forward, LinkLocalSourcesAreRefusedBeyondTheirLink) {
  TestHost h = router();
  h.at("in0").addresses.push_back({.prefix = *Prefix::parse("fe80::1/64"), .scope = "link"});
  h.routes("fd00:9::/64 dev out0\nfd00:8::/64 dev in0\nfe80::/64 dev out0\nfe80::/64 dev in0\nlocal fe80::1 dev in0 table local")
      .neighbour("fd00:8::9", "in0", "52:54:00:00:00:09")
      .local_table();
  Lab lab(h);
  const HostOutcome o = lab.receive("in0", udp("fe80::5", "fd00:9::9", 1000, 80));
  ASSERT_EQ(o.kind, Kind::rejected);
  EXPECT_EQ(o.stop->why.reason, engine::Reason::link_local_source);
  ASSERT_TRUE(o.answer);
  EXPECT_EQ(o.answer->bound_device, "in0");
  EXPECT_EQ(o.answer->packet.u32(FieldId::icmp_type), 1u);
  EXPECT_EQ(o.answer->packet.u32(FieldId::icmp_code), 2u);
  EXPECT_EQ(src_ip(o.answer->packet).to_string(), "fe80::1");
  EXPECT_EQ(lab.receive("in0", udp("fe80::5", "fd00:8::9", 1000, 80)).kind, Kind::transmit);
}

// fib_validate_source(): a local route that somebody added has every source looked up.
TEST(Forward, SourcesOfAddedLocalRoutesAreTheHostsOwn) {
  TestHost h = router();
  h.local_table();
  const FlowKey packet = udp("10.200.0.7", "10.9.1.1", 1000, 80), from_all = udp("10.1.0.255", "10.9.1.1", 1000, 80);
  EXPECT_EQ(Lab(h).receive("in0", packet).kind, Kind::transmit);
  EXPECT_EQ(Lab(h).receive("in0", from_all).kind, Kind::transmit);
  h.routes("local 10.200.0.0/24 dev lo table local scope host\nbroadcast 10.1.0.255 dev in0 table local proto kernel");
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", packet).kind, Kind::dropped);
  EXPECT_TRUE(lab.proven()) << lab.assumptions();
  EXPECT_EQ(lab.receive("in0", from_all).kind, Kind::dropped);
}

// Routes of unicast are no way for it (ip_route_input_rcu()); who listens to a group no dump shows.
TEST(Forward, MulticastIsOpenWhateverTheRoutes) {
  TestHost h = router();
  h.routes("default via 10.2.0.254 dev out0").local_table();
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", udp("10.1.0.5", "239.1.1.1", 1000, 80)).kind, Kind::inconclusive);
  EXPECT_FALSE(lab.record.gaps.empty());
}

// A presumed host may have the device by another name.
TEST(Forward, DeviceThatAPresumedHostLacksIsOpen) {
  TestHost h = router();
  h.local_table();
  EXPECT_EQ(Lab(h).receive("in7", tcp("10.1.0.5", "10.9.1.1", 1000, 80)).kind, Kind::dropped);
  h.node.host_presumed = true;
  EXPECT_EQ(Lab(h).receive("in7", tcp("10.1.0.5", "10.9.1.1", 1000, 80)).kind, Kind::inconclusive);
}

TEST(Forward, WithoutADumpOfRoutesTheRouteIsOpen) {
  TestHost h;
  h.link("in0", "02:00:00:00:00:01", "");
  h.host().routes_v4 = {};
  EXPECT_EQ(Lab(h).receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80)).kind, Kind::inconclusive);
}

// nf_send_reset() asks whether the packet came by a bridge that asks iptables, not whether any bridge does.
TEST(Forward, ResetIsRoutedWhereNoBridgeIsBetween) {
  TestHost h = router();
  h.iptables("*filter\n:FORWARD ACCEPT [0:0]\n-A FORWARD -p tcp -j REJECT --reject-with tcp-reset\nCOMMIT\n");
  h.sysctl("net.bridge.bridge-nf-call-iptables", "1").local_table();
  const HostOutcome o = Lab(h).receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80));
  ASSERT_TRUE(o.answer);
  EXPECT_FALSE(o.answer->as_frame);
}

TEST(Forward, RefusalThatNobodyHearsSaysSo) {
  TestHost h = router();
  h.iptables("*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -j REJECT --reject-with icmp-port-unreachable\nCOMMIT\n");
  h.local_table();
  const HostOutcome o = Lab(h).receive("in0", udp("10.1.0.5", "255.255.255.255", 1000, 80));
  EXPECT_EQ(o.kind, Kind::dropped);
  ASSERT_TRUE(o.stop);
  ASSERT_EQ(o.stop->why.then.size(), 1u);
  EXPECT_EQ(o.stop->why.then[0].reason, engine::Reason::never_answered);
}

TEST(Forward, NoRouteIsAnsweredWithNetUnreachable) {
  TestHost h = router();
  h.local_table();
  Lab lab(h);
  const HostOutcome o = lab.receive("in0", tcp("10.1.0.5", "172.16.0.1", 1000, 80));
  ASSERT_EQ(o.kind, Kind::rejected);
  EXPECT_EQ(o.reject_with, "icmp-net-unreachable");
  ASSERT_TRUE(o.answer);
  EXPECT_EQ(src_ip(o.answer->packet), ip("10.1.0.1"));
  EXPECT_EQ(dst_ip(o.answer->packet), ip("10.1.0.5"));
  EXPECT_EQ(o.answer->packet.u32(FieldId::icmp_type), 3u);
  EXPECT_EQ(o.answer->packet.u32(FieldId::icmp_code), 0u);
}

TEST(Forward, RouteTypesAnswerEachInItsWay) {
  const std::tuple<const char*, Kind, const char*> kCases[] = {
      {"unreachable 172.16.0.0/12", Kind::rejected, "icmp-host-unreachable"},
      {"prohibit 172.16.0.0/12", Kind::rejected, "icmp-admin-prohibited"},
      {"blackhole 172.16.0.0/12", Kind::dropped, ""}};
  for (const auto& [line, kind, with] : kCases) {
    TestHost h = router();
    h.routes(line).local_table();
    Lab lab(h);
    const HostOutcome o = lab.receive("in0", tcp("10.1.0.5", "172.16.0.1", 1000, 80));
    EXPECT_EQ(o.kind, kind) << line;
    EXPECT_EQ(o.reject_with, with) << line;
    EXPECT_FALSE(o.stop->evidence.empty()) << line;
  }
}

TEST(Forward, WithForwardingOffNobodyIsTold) {
  TestHost h = router();
  h.sysctl("net.ipv4.conf.in0.forwarding", "0").local_table();
  Lab lab(h);
  for (const char* to : {"10.9.1.1", "172.16.0.1"}) {
    const HostOutcome o = lab.receive("in0", tcp("10.1.0.5", to, 1000, 80));
    EXPECT_EQ(o.kind, Kind::dropped);
    EXPECT_EQ(explain::phrase(o.stop->where), "forwarding");
    EXPECT_EQ(o.stop->evidence.size(), 1u);
  }
}

TEST(Forward, ForwardingThatIsNotDumpedIsAssumedOn) {
  TestHost h = router();
  h.local_table();
  h.host().sysctl.value.erase("net.ipv4.conf.in0.forwarding");
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80)).kind, Kind::transmit);
  ASSERT_EQ(lab.record.gaps.size(), 1u);
  EXPECT_EQ(explain::gap_of(lab.record.gaps[0]).command, "sysctl net.ipv4.conf.in0.forwarding");
  EXPECT_EQ(lab.record.assumptions.size(), 1u);
}

TEST(Forward, TtlIsUsedUpBeforeTheForwardChain) {
  TestHost h = router();
  h.iptables("*filter\n:FORWARD DROP [0:0]\nCOMMIT\n").local_table();
  Lab lab(h);
  FlowKey k = tcp("10.1.0.5", "10.9.1.1", 1000, 80);
  k.set(FieldId::nw_ttl, 1);
  EXPECT_EQ(lab.receive("in0", k).reject_with, "icmp-ttl-exceeded");
  set_dst_ip(k, ip("10.2.0.1"));
  EXPECT_EQ(lab.receive("in0", k).kind, Kind::delivered);
}

TEST(Forward, StrictReversePathFilter) {
  TestHost h = router();
  h.sysctl("net.ipv4.conf.all.rp_filter", "1").local_table();
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80)).kind, Kind::transmit);
  const HostOutcome o = lab.receive("in0", tcp("10.9.0.5", "10.2.0.7", 1000, 80));
  ASSERT_EQ(o.kind, Kind::dropped);
  EXPECT_EQ(explain::phrase(o.stop->where), "rp_filter");
  h.sysctl("net.ipv4.conf.in0.rp_filter", "2");  // the larger value: loose
  EXPECT_NE(lab.receive("in0", tcp("10.9.0.5", "10.2.0.7", 1000, 80)).kind, Kind::dropped);
}

TEST(Forward, ReversePathFilterIsAskedForOnlyWhereItMatters) {
  TestHost h = router();
  h.local_table();
  h.host().sysctl.value.erase("net.ipv4.conf.in0.rp_filter");
  Lab lab(h);
  lab.receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80));
  EXPECT_TRUE(lab.proven()) << lab.assumptions();
  lab.receive("in0", tcp("10.9.0.5", "10.9.1.1", 1000, 80));
  ASSERT_EQ(lab.record.gaps.size(), 1u);
  EXPECT_EQ(explain::gap_of(lab.record.gaps[0]).command, "sysctl net.ipv4.conf.in0.rp_filter");
}

TEST(Forward, OwnAddressAsSourceIsMartian) {
  TestHost h = router();
  h.local_table();
  Lab lab(h);
  const HostOutcome o = lab.receive("in0", tcp("10.2.0.1", "10.9.1.1", 1000, 80));
  EXPECT_EQ(o.kind, Kind::dropped);
  h.sysctl("net.ipv4.conf.in0.accept_local", "1");
  EXPECT_EQ(lab.receive("in0", tcp("10.2.0.1", "10.9.1.1", 1000, 80)).kind, Kind::transmit);
}

TEST(Forward, FramesForOthersAreNotTaken) {
  TestHost h = router();
  h.local_table();
  Lab lab(h);
  FlowKey k = tcp("10.1.0.5", "10.9.1.1", 1000, 80);
  k.set(FieldId::eth_dst, mac("02:00:00:00:00:99").value);
  EXPECT_EQ(lab.receive("in0", k).kind, Kind::dropped);
  h.at("in0").flags = {"BROADCAST"};
  EXPECT_EQ(explain::phrase(lab.receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80)).stop->why), "the device is down");
}

TEST(Forward, NeighbourThatNeverAnswered) {
  TestHost h = router();
  h.neighbour("10.2.0.9", "out0", "", NeighbourState::failed).local_table();
  Lab lab(h);
  const HostOutcome silent = lab.receive("in0", tcp("10.1.0.5", "10.2.0.9", 1000, 80));
  EXPECT_EQ(silent.kind, Kind::rejected);
  EXPECT_EQ(silent.reject_with, "icmp-host-unreachable");
  EXPECT_FALSE(lab.proven());
  const HostOutcome unknown = lab.receive("in0", tcp("10.1.0.5", "10.2.0.10", 1000, 80));
  EXPECT_EQ(unknown.kind, Kind::inconclusive);
  EXPECT_EQ(explain::gap_of(lab.record.gaps.at(0)).command, "ip neigh");
  lab.neighbours.known[ip("10.2.0.10")] = mac("02:aa:00:00:00:10");
  const HostOutcome known = lab.receive("in0", tcp("10.1.0.5", "10.2.0.10", 1000, 80));
  EXPECT_EQ(known.kind, Kind::transmit);
  EXPECT_EQ(dst_mac(known.packet), mac("02:aa:00:00:00:10"));
  EXPECT_TRUE(lab.proven()) << lab.assumptions();
}

// arp_solicit().
TEST(Forward, AsksInTheNameThatArpAnnounceAllows) {
  TestHost h = router();
  h.routes("10.8.0.0/16 via 10.2.0.9 dev out0").local_table();
  const auto asker = [&](const std::string& source, const std::string& announce) {
    h.sysctl("net.ipv4.conf.out0.arp_announce", announce);
    Lab lab(h);
    lab.send(udp(source, "10.8.0.1", 1000, 53));
    return lab.neighbours.asker.value_or(IpAddr{}).to_string();
  };
  EXPECT_EQ(asker("10.2.0.1", "0"), "10.2.0.1");
  EXPECT_EQ(asker("10.1.0.1", "0"), "10.1.0.1");
  EXPECT_EQ(asker("10.1.0.1", "1"), "10.2.0.1");
  EXPECT_EQ(asker("10.3.0.1", "2"), "10.2.0.1");
  Lab lab(h);
  lab.receive("in0", udp("10.1.0.5", "10.8.0.1", 1000, 53));
  EXPECT_EQ(lab.neighbours.asker, ip("10.2.0.1"));
}

TEST(Forward, NextHopsShareTheLoadByWeight) {
  TestHost h = router();
  h.routes("10.20.0.0/16 nexthop via 10.2.0.254 dev out0 weight 1 nexthop via 10.1.0.254 dev in0 weight 3");
  h.neighbour("10.1.0.254", "in0", kRouterMac).local_table();
  Lab lab(h);
  lab.chooser.script = {1};
  const HostOutcome o = lab.receive("in0", tcp("10.1.0.5", "10.20.1.1", 1000, 80));
  EXPECT_EQ(o.device, "in0");
  ASSERT_EQ(lab.chooser.points.size(), 1u);
  EXPECT_EQ(lab.chooser.points[0].kind, engine::ChoicePoint::Kind::split);
  EXPECT_DOUBLE_EQ(*lab.chooser.points[0].options[1].weight, 0.75);
  EXPECT_EQ(lab.steps<engine::RouteLookup>().at(0)->next_hop, 1u);
}

TEST(Forward, PacketsOfOneFlowTakeTheSameNextHop) {
  TestHost h = router();
  h.routes("10.20.0.0/16 nexthop via 10.2.0.254 dev out0 weight 1 nexthop via 10.1.0.254 dev in0 weight 3");
  h.neighbour("10.1.0.254", "in0", kRouterMac).local_table();
  Lab lab(h);
  lab.chooser.script = {1};
  const FlowKey packet = udp("10.1.0.5", "10.20.0.1", 4000, 53);
  EXPECT_EQ(lab.receive("in0", packet).device, "in0");
  EXPECT_EQ(lab.receive("in0", packet).device, "in0");
  EXPECT_EQ(lab.chooser.points.size(), 1u);
  EXPECT_EQ(lab.receive("in0", udp("10.1.0.5", "10.20.0.2", 4000, 53)).device, "out0");
  EXPECT_EQ(lab.chooser.points.size(), 2u);
}

TEST(Forward, WithoutRoutesNothingIsSaid) {
  TestHost h = router();
  h.host().routes_v4 = {};
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80)).kind, Kind::inconclusive);
  EXPECT_FALSE(lab.record.gaps.empty());
  EXPECT_EQ(lab.receive("in0", tcp("10.1.0.5", "10.2.0.1", 1000, 80)).kind, Kind::delivered);
}

TEST(Forward, MainTableAloneLeavesOtherTablesOpen) {
  TestHost h = router();
  h.rules("100: from 10.1.0.6 lookup 7");
  Lab lab(h);  // no local table: "ip route" only
  EXPECT_EQ(lab.receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80)).kind, Kind::transmit);
  EXPECT_FALSE(lab.proven());
  const HostOutcome o = lab.receive("in0", tcp("10.1.0.6", "10.9.1.1", 1000, 80));
  EXPECT_EQ(o.kind, Kind::inconclusive);
  EXPECT_EQ(explain::gap_of(lab.record.gaps.back()).command, "ip -4 route show table 7");
}

TEST(Forward, RoutesAloneTellOwnAddressesByTheirSource) {
  TestHost h = router();
  h.host().links = {};
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", tcp("10.1.0.5", "10.3.0.1", 1000, 80)).kind, Kind::delivered);
  EXPECT_FALSE(lab.proven());
  EXPECT_EQ(lab.receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80)).kind, Kind::transmit);
  EXPECT_FALSE(lab.proven());
}

TEST(Forward, WordsThatAreNotSimulatedTakeTheProofAway) {
  TestHost h = router();
  h.rules("100: from all lookup 7").local_table();
  h.host().rules_v4.value.back().not_modelled = {"tun_id 5"};
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80)).kind, Kind::transmit);
  ASSERT_EQ(lab.record.assumptions.size(), 1u);
  EXPECT_EQ(lab.record.assumptions[0].evidence.size(), 1u);
}

TEST(Forward, WordsThatAreNotSimulatedAreNotMetBehindNot) {
  TestHost h = router();
  h.rules("100: from all blackhole").local_table();
  h.host().rules_v4.value.back().not_modelled = {"tun_id 5"};
  h.host().rules_v4.value.back().negate = true;
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80)).kind, Kind::dropped);
  EXPECT_FALSE(lab.proven());
}

// ip_forward(), ip6_forward(): what has a socket is dropped.
TEST(Forward, NotWhatTproxyGaveToASocket) {
  TestHost h = router();
  h.nft(
      "table ip t {\n\tchain c {\n\t\ttype filter hook prerouting priority mangle; policy accept;\n"
      "\t\tmeta l4proto tcp tproxy to :3128 meta mark set 0x00000001 accept\n\t}\n}\n");
  h.local_table();
  Lab lab(h);
  lab.chooser.script = {0, 1};
  const HostOutcome taken = lab.receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80));
  ASSERT_EQ(taken.kind, Kind::dropped);
  EXPECT_EQ(taken.stop->why.reason, engine::Reason::taken_by_proxy);
  EXPECT_EQ(lab.receive("in0", tcp("10.1.0.5", "10.9.1.1", 1001, 80)).kind, Kind::transmit);
  EXPECT_EQ(lab.receive("in0", udp("10.1.0.5", "10.9.1.1", 1000, 53)).kind, Kind::transmit);
  h.rules("100: from all fwmark 0x1 lookup 100").routes("local default dev lo table 100");
  Lab led(h);
  EXPECT_EQ(led.receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80)).kind, Kind::delivered);
}

TEST(Forward, RulesThatAreNotDumpedAreAssumedToBeTheDefaultOnes) {
  TestHost h = router();
  h.local_table();
  h.host().rules_v4 = {};
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80)).kind, Kind::transmit);
  EXPECT_EQ(explain::gap_of(lab.record.gaps.at(0)).command, "ip -4 rule");
}

TEST(Forward, WithoutNetfilterDumpsTheWalkIsNotProven) {
  TestHost h = router();
  h.local_table();
  h.host().iptables_v4 = {};
  h.host().nft = {};
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80)).kind, Kind::transmit);
  EXPECT_FALSE(lab.record.assumptions.empty());
  EXPECT_FALSE(lab.record.gaps.empty());
}

// As Linux 6.18 counts frames: by their own header and by the type of the device, but by no name of an input device.
TEST(Forward, ADevicesOwnChainSeesTheFrameAsItLeaves) {
  const std::pair<std::string, Kind> kRules[] = {{"ether daddr 52:54:00:00:00:01", Kind::dropped},
                                                 {"ether daddr 52:54:00:00:00:99", Kind::transmit},
                                                 {"ether type ip", Kind::dropped},
                                                 {"meta iiftype ether", Kind::dropped},
                                                 {"iifname \"out0\"", Kind::transmit},
                                                 {"oifname \"out0\"", Kind::dropped}};
  for (const auto& [rule, kind] : kRules) {
    TestHost h = router();
    h.nft("table netdev t {\n\tchain c {\n\t\ttype filter hook egress device \"out0\" priority filter; policy accept;\n\t\t" +
          rule + " drop\n\t}\n}\n")
        .local_table();
    Lab lab(h);
    EXPECT_EQ(lab.receive("in0", tcp("10.1.0.5", "10.9.1.1", 1000, 80)).kind, kind) << rule;
  }
}

TEST(Forward, Ipv6IsDecidedByTheWholeHost) {
  TestHost h;
  h.link("in0", "02:00:00:00:00:01", "fd00:1::1/64").link("out0", "02:00:00:00:00:02", "fd00:2::1/64");
  h.routes("fd00:1::/64 dev in0 metric 256\nfd00:2::/64 dev out0 metric 256\nfd00:9::/64 via fd00:2::9 dev out0 metric 1024");
  h.neighbour("fd00:2::9", "out0", kRouterMac).local_table();
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", tcp("fd00:1::5", "fd00:9::1", 1, 2)).kind, Kind::transmit);
  EXPECT_TRUE(lab.proven()) << lab.assumptions();
  const HostOutcome none = lab.receive("in0", tcp("fd00:1::5", "2001:db8::1", 1, 2));
  EXPECT_EQ(none.reject_with, "icmp6-no-route");
  h.sysctl("net.ipv6.conf.all.forwarding", "0");
  EXPECT_EQ(lab.receive("in0", tcp("fd00:1::5", "fd00:9::1", 1, 2)).kind, Kind::dropped);
}

}  // namespace
}  // namespace egt::test
