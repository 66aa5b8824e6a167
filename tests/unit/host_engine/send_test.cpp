// Packets that processes of the host send.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "egtrace/engine/routing.h"
#include "egtrace/explain/phrases.h"
#include "test_host.h"

namespace egt::test {
namespace {

using engine::HostOutcome;
using Kind = HostOutcome::Kind;

TestHost sending_node() {
  TestHost h;
  h.link("up0", "02:00:00:00:00:02", "192.168.1.10/24 192.168.2.10/24").link("up1", "02:00:00:00:00:03", "172.20.0.10/24");
  h.routes(
      "default via 192.168.2.1 dev up0\ndefault via 172.20.0.1 dev up1 table 7\n10.50.0.0/16 via 172.20.0.1 dev up1 src "
      "192.168.1.10");
  h.neighbour("192.168.2.1", "up0", "52:54:00:00:00:01").neighbour("172.20.0.1", "up1", "52:54:00:00:00:02");
  return h;
}

// __mkroute_output(), ip_select_ttl(): past the gateway of a route that is not one for groups.
TEST(Send, GroupsAreReachedOnTheLinkAndWithATtlOfOne) {
  TestHost h = sending_node();
  h.routes("239.7.0.0/16 via 172.20.0.1 dev up1").local_table();
  engine::LocalSend what{udp("0.0.0.0", "239.1.1.1", 4000, 80), true, ""};
  what.own_ttl = true;
  Lab lab(h);
  const HostOutcome o = lab.send(what);
  ASSERT_EQ(o.kind, Kind::transmit);
  EXPECT_EQ(o.device, "up0");
  EXPECT_EQ(dst_mac(o.packet), mac("01:00:5e:01:01:01"));
  EXPECT_EQ(o.packet.u32(FieldId::nw_ttl), 1u);
  what.packet = udp("0.0.0.0", "239.7.1.1", 4000, 80);
  EXPECT_EQ(dst_mac(lab.send(what).packet), mac("52:54:00:00:00:02"));
}

// nf_hook_slow(): sendto() fails with EPERM, but TCP waits for an answer to what it believes to have sent.
TEST(Send, FailsInTheSocketWhereARuleDropsIt) {
  for (const char* hook : {"OUTPUT", "POSTROUTING"}) {
    TestHost h = sending_node();
    h.iptables(
         fmt::format("*mangle\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n-A {} -d 10.9.0.9/32 -j DROP\nCOMMIT\n", hook))
        .local_table();
    Lab lab(h);
    const HostOutcome failed = lab.send(udp("192.168.2.10", "10.9.0.9", 4000, 80));
    EXPECT_EQ(failed.kind, Kind::rejected) << hook;
    EXPECT_EQ(failed.reject_with, "EPERM");
    EXPECT_FALSE(failed.answer);
    EXPECT_EQ(lab.send(tcp("192.168.2.10", "10.9.0.9", 4000, 80)).kind, Kind::dropped) << hook;
    engine::LocalSend answer{udp("192.168.2.10", "10.9.0.9", 80, 4000), false, ""};
    answer.answers = true;
    EXPECT_EQ(lab.send(answer).kind, Kind::dropped) << hook;
  }
}

TEST(Send, SourceNextToTheGatewayOrByTheRoute) {
  TestHost h = sending_node();
  h.local_table();
  Lab lab(h);
  const HostOutcome o = lab.send(tcp("0.0.0.0", "9.9.9.9", 4000, 80), true);
  ASSERT_EQ(o.kind, Kind::transmit);
  EXPECT_EQ(src_ip(o.packet), ip("192.168.2.10"));
  EXPECT_EQ(src_ip(*o.sent), ip("192.168.2.10"));
  EXPECT_EQ(o.packet.u32(FieldId::nw_ttl), 64u);
  EXPECT_EQ(src_ip(lab.send(tcp("0.0.0.0", "10.50.1.1", 4000, 80), true).packet), ip("192.168.1.10"));
  EXPECT_TRUE(lab.proven()) << lab.assumptions();
  const auto route = engine::local_route(h.host(), ip("9.9.9.9"));
  ASSERT_TRUE(route);
  EXPECT_EQ(route->device, "up0");
  EXPECT_EQ(route->gateway, ip("192.168.2.1"));
  EXPECT_EQ(route->source, ip("192.168.2.10"));
}

// __ip_dev_find(), as seen with Linux 6.18.
TEST(Send, NothingFromAnAddressThatTheLocalTableLacks) {
  TestHost h = sending_node();
  h.routes("local 10.60.0.0/16 dev lo\nlocal 10.70.0.0/16 dev lo table local").local_table();
  Lab lab(h);
  const auto answer = [&](const FlowKey& request) {
    engine::LocalSend what{answer_to(request), false, {}};
    what.answers = true;
    return lab.send(what);
  };
  const HostOutcome echo = answer(ping("9.9.9.9", "10.60.0.1", 5));
  ASSERT_EQ(echo.kind, Kind::dropped);
  EXPECT_EQ(echo.stop->why.reason, engine::Reason::source_not_own);
  EXPECT_EQ(answer(ping("9.9.9.9", "10.70.0.1", 5)).kind, Kind::transmit);
  lab.chooser.script = {0, 1};
  EXPECT_EQ(answer(tcp("9.9.9.9", "10.60.0.1", 4000, 80)).kind, Kind::transmit);  // of a transparent socket
  EXPECT_EQ(answer(tcp("9.9.9.9", "10.60.0.1", 4000, 80)).kind, Kind::dropped);
  EXPECT_EQ(lab.chooser.points.size(), 2u);
}

TEST(Send, ConnectFollowsRulesOnTheChosenSource) {
  TestHost h = sending_node();
  h.rules("100: from 192.168.2.10 lookup 7").local_table();
  Lab lab(h);
  const HostOutcome connected = lab.send(tcp("0.0.0.0", "9.9.9.9", 4000, 80), true);
  EXPECT_EQ(connected.device, "up1");
  EXPECT_EQ(src_ip(connected.packet), ip("192.168.2.10"));
  EXPECT_EQ(lab.send(ping("0.0.0.0", "9.9.9.9", 5), true).device, "up0");
  EXPECT_TRUE(lab.chooser.points.empty());
  lab.chooser.script = {0, 1};
  EXPECT_EQ(lab.send(udp("0.0.0.0", "9.9.9.9", 4000, 53), true).device, "up1");
  EXPECT_EQ(lab.send(udp("0.0.0.0", "9.9.9.9", 4000, 53), true).device, "up0");
  EXPECT_EQ(lab.chooser.points.at(0).kind, engine::ChoicePoint::Kind::unknown);
}

// As seen with Linux 6.18: asked by one address of a host at another, of its own or of others, a socket that listens on all
// answers from the one that the route selects.
TEST(Send, UnboundUdpAnswersFromTheAddressOfTheRoute) {
  TestHost h = sending_node();
  h.link("up2", "02:00:00:00:00:04", "fd00::11/64 fd00::13/64").local_table();
  Lab lab(h);
  lab.chooser.script = {0, 1};
  const auto answer = [&](const FlowKey& request) {
    engine::LocalSend what{answer_to(request), false, {}};
    what.answers = true;
    return lab.send(what);
  };
  const FlowKey own = udp("192.168.2.10", "172.20.0.10", 4000, 53), other = udp("9.9.9.9", "172.20.0.10", 4000, 53);
  EXPECT_EQ(src_ip(answer(own).packet), ip("172.20.0.10"));
  EXPECT_EQ(src_ip(answer(own).packet), ip("192.168.2.10"));
  lab.chooser.script = {0, 1, 0, 1};
  EXPECT_EQ(src_ip(answer(other).packet), ip("172.20.0.10"));
  EXPECT_EQ(src_ip(answer(other).packet), ip("192.168.2.10"));
  ASSERT_EQ(lab.chooser.points.size(), 4u);
  EXPECT_EQ(lab.chooser.points.back().what, engine::Branch::udp_bound);
  lab.chooser.script = {0, 1, 0, 1, 0, 1};
  EXPECT_EQ(src_ip(answer(udp("fd00::13", "fd00::11", 4000, 53)).packet), ip("fd00::11"));
  EXPECT_EQ(src_ip(answer(udp("fd00::13", "fd00::11", 4000, 53)).packet), ip("fd00::13"));
  lab.chooser.points.resize(4);
  EXPECT_EQ(answer(udp("172.20.0.10", "172.20.0.10", 4000, 53)).kind, Kind::delivered);
  EXPECT_EQ(answer(tcp("9.9.9.9", "172.20.0.10", 4000, 80)).kind, Kind::transmit);
  EXPECT_EQ(lab.chooser.points.size(), 4u);
}

TEST(Send, MarkInTheMangleTableRoutesAgain) {
  TestHost h = sending_node();
  h.rules("30: from all fwmark 0x1745ec lookup 7");
  h.iptables("*mangle\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -d 9.9.9.9/32 -j MARK --set-xmark 0x1745ec/0xffffffff\nCOMMIT\n")
      .local_table();
  Lab lab(h);
  const HostOutcome o = lab.send(tcp("0.0.0.0", "9.9.9.9", 4000, 80), true);
  EXPECT_EQ(o.device, "up1");
  EXPECT_EQ(src_ip(o.packet), ip("192.168.2.10"));  // stays that of the first lookup
  EXPECT_EQ(o.packet.u32(FieldId::pkt_mark), 0x1745ecu);
  EXPECT_EQ(lab.steps<engine::RouteLookup>().size(), 2u);
}

// nf_route_table_hook6(), ip6t_mangle_out(); IPv4 asks the type of service likewise.
TEST(Send, TrafficClassInTheMangleTableRoutesAgain) {
  TestHost h;
  h.link("up0", "02:00:00:00:00:02", "fd00::1/64").link("up1", "02:00:00:00:00:03", "fd00:1::1/64");
  h.routes("fd00:9::/64 nexthop via fd00::2 dev up0 weight 1 nexthop via fd00:1::2 dev up1 weight 1");
  h.neighbour("fd00::2", "up0", "52:54:00:00:00:01").neighbour("fd00:1::2", "up1", "52:54:00:00:00:02");
  h.nft(
      "table ip6 t {\n\tchain c {\n\t\ttype route hook output priority mangle; policy accept;\n\t\tip6 dscp set 0x0a\n\t}\n}\n");
  h.local_table();
  Lab lab(h);
  lab.chooser.script = {0, 1};
  const HostOutcome o = lab.send(tcp("::", "fd00:9::9", 4000, 80), true);
  EXPECT_EQ(src_ip(o.packet), ip("fd00::1"));  // the source stays, the next hop is chosen anew
  EXPECT_EQ(o.device, "up1");
  ASSERT_EQ(lab.chooser.points.size(), 2u);
  const HostOutcome next = lab.send(tcp("fd00::1", "fd00:9::9", 4000, 80));
  EXPECT_EQ(next.device, "up1");
  EXPECT_EQ(lab.chooser.points.size(), 2u);
}

// The second lookup of connect() hashes the address that the first one chose.
TEST(Send, ConnectMayTakeAnotherNextHopThanThatOfItsSource) {
  TestHost h = sending_node();
  h.routes("198.18.0.0/15 nexthop via 192.168.2.1 dev up0 weight 1 nexthop via 172.20.0.1 dev up1 weight 1");
  h.local_table();
  Lab lab(h);
  lab.chooser.script = {0, 1};
  const HostOutcome connected = lab.send(tcp("0.0.0.0", "198.18.0.1", 4000, 80), true);
  EXPECT_EQ(src_ip(connected.packet), ip("192.168.2.10"));
  EXPECT_EQ(connected.device, "up1");
  EXPECT_EQ(lab.send(ping("0.0.0.0", "198.18.0.1", 5), true).device, "up0");
  EXPECT_EQ(lab.chooser.points.size(), 3u);
}

TEST(Send, RoutedAnewByTheSameAddressesTakesTheSameNextHop) {
  TestHost h = sending_node();
  h.routes("198.18.0.0/15 nexthop via 192.168.2.1 dev up0 weight 1 nexthop via 172.20.0.1 dev up1 weight 1");
  h.iptables("*mangle\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -j MARK --set-xmark 0x1/0xffffffff\nCOMMIT\n").local_table();
  h.sysctl("net.ipv4.fib_multipath_hash_policy", "0");
  Lab lab(h);
  lab.chooser.script = {1};
  EXPECT_EQ(lab.send(tcp("172.20.0.10", "198.18.0.1", 4000, 80)).device, "up1");
  EXPECT_EQ(lab.chooser.points.size(), 1u);
  h.sysctl("net.ipv4.fib_multipath_hash_policy", "1");
  EXPECT_EQ(lab.send(tcp("172.20.0.10", "198.18.0.2", 4000, 80)).device, "up0");
  EXPECT_EQ(lab.chooser.points.size(), 3u);
}

TEST(Send, DestinationNatInOutputRoutesAgain) {
  TestHost h = sending_node();
  h.iptables("*nat\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -d 9.9.9.9/32 -p tcp -j DNAT --to-destination 172.20.0.1\nCOMMIT\n")
      .local_table();
  Lab lab(h);
  const HostOutcome o = lab.send(tcp("0.0.0.0", "9.9.9.9", 4000, 80), true);
  EXPECT_EQ(o.device, "up1");
  EXPECT_EQ(dst_ip(o.packet), ip("172.20.0.1"));
  EXPECT_EQ(dst_ip(*o.sent), ip("9.9.9.9"));
  EXPECT_EQ(src_ip(o.packet), ip("192.168.2.10"));
  const HostOutcome back = lab.receive("up1", answer_to(o.packet));
  EXPECT_EQ(back.kind, Kind::delivered);
  EXPECT_EQ(src_ip(back.packet), ip("9.9.9.9"));
}

TEST(Send, OwnAddressComesBackByLoopback) {
  TestHost h = sending_node();
  h.iptables("*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -i lo -p tcp -m tcp --dport 81 -j DROP\nCOMMIT\n").local_table();
  Lab lab(h);
  const HostOutcome o = lab.send(tcp("0.0.0.0", "172.20.0.10", 4000, 80), true);
  ASSERT_EQ(o.kind, Kind::delivered);
  EXPECT_EQ(o.device, "lo");
  EXPECT_EQ(src_ip(o.packet), ip("172.20.0.10"));
  EXPECT_EQ(lab.send(tcp("0.0.0.0", "172.20.0.10", 4000, 81), true).kind, Kind::dropped);
}

// NAT undoes what a rule wrote over the destination, and takes the route away with it.
TEST(Send, RoutedOnceMoreOnLoopbackItsOwnAddressIsMartian) {
  TestHost h = sending_node();
  h.iptables("*nat\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -d 9.9.9.9/32 -j DNAT --to-destination 172.20.0.10\nCOMMIT\n");
  h.nft(
      "table ip t {\n\tchain c {\n\t\ttype filter hook prerouting priority mangle; policy accept;\n"
      "\t\tiifname \"lo\" ip daddr set 192.168.1.10\n\t}\n}\n");
  h.sysctl("net.ipv4.conf.all.accept_local", "0").sysctl("net.ipv4.conf.lo.accept_local", "0").local_table();
  Lab lab(h);
  const HostOutcome o = lab.send(tcp("172.20.0.10", "9.9.9.9", 4000, 80));
  ASSERT_EQ(o.kind, Kind::dropped);
  EXPECT_EQ(explain::phrase(o.stop->where), "source check");
  h.sysctl("net.ipv4.conf.lo.accept_local", "1");
  const HostOutcome taken = lab.send(tcp("172.20.0.10", "9.9.9.9", 4001, 80));
  EXPECT_EQ(taken.kind, Kind::delivered);
  EXPECT_EQ(dst_ip(taken.packet), ip("172.20.0.10"));
}

TEST(Send, ErrorsReachTheProcessAtOnce) {
  TestHost h = sending_node();
  h.routes("unreachable 198.18.0.0/15\nblackhole 198.51.100.0/24");
  h.rules("50: from all to 203.0.113.0/24 prohibit").local_table();
  Lab lab(h);
  const std::pair<const char*, const char*> kCases[] = {
      {"198.18.0.1", "EHOSTUNREACH"}, {"198.51.100.1", "EINVAL"}, {"203.0.113.1", "EACCES"}};
  for (const auto& [to, error] : kCases) {
    const HostOutcome o = lab.send(tcp("0.0.0.0", to, 4000, 80), true);
    EXPECT_EQ(o.kind, Kind::rejected);
    EXPECT_EQ(o.reject_with, error);
  }
}

TEST(Send, BoundSocketTakesItsDeviceForTheLink) {
  TestHost h = sending_node();
  h.local_table();
  Lab lab(h);
  lab.neighbours.known[ip("9.9.9.9")] = mac("02:09:09:09:09:09");
  const HostOutcome o = lab.send(tcp("0.0.0.0", "9.9.9.9", 4000, 80), true, "up1");
  EXPECT_EQ(o.device, "up1");
  EXPECT_EQ(o.next_hop, ip("9.9.9.9"));
  EXPECT_EQ(src_ip(o.packet), ip("172.20.0.10"));
}

TEST(Send, Ipv6SourceFitsTheDestination) {
  TestHost h;
  h.link("up0", "02:00:00:00:00:02", "fd00:1::10/64 2001:db8::10/64 fe80::10/64");
  h.routes("fd00:1::/64 dev up0 metric 256\ndefault via fd00:1::1 dev up0 metric 1024");
  h.host().routes_v6.value.back().family = Family::v6;
  h.neighbour("fd00:1::1", "up0", "52:54:00:00:00:01").local_table();
  Lab lab(h);
  EXPECT_EQ(src_ip(lab.send(tcp("::", "2001:db8:5::1", 1, 2), true).packet), ip("2001:db8::10"));
  EXPECT_EQ(src_ip(lab.send(tcp("::", "fd00:7::1", 1, 2), true).packet), ip("fd00:1::10"));
}

// icmp_send(): not from the address that the packet was for.
// As of a kernel (6.18): "ct state related" and "ct original" in OUTPUT match it.
TEST(Send, ErrorAboutAPacketOfThisHostBelongsToItsConnection) {
  TestHost h = sending_node();
  h.nft(
       "table ip t {\n\tchain c {\n\t\ttype filter hook output priority filter; policy accept;\n"
       "\t\tudp dport 80 reject\n\t\tmeta l4proto icmp ct state related drop\n\t}\n}\n")
      .local_table();
  Lab lab(h);
  const HostOutcome o = lab.send(udp("192.168.1.10", "9.9.9.9", 4000, 80));
  ASSERT_EQ(o.kind, Kind::rejected);
  ASSERT_TRUE(o.answer);
  EXPECT_EQ(lab.send(*o.answer).kind, Kind::dropped);
}

TEST(Send, ErrorAboutAPacketOfThisHostComesFromItsOwnAddress) {
  TestHost h;
  h.link("lo", "00:00:00:00:00:00", "127.0.0.1/8").link("out0", "02:00:00:00:00:02", "10.1.0.1/24 fd00:1::1/64");
  h.routes("default via 10.1.0.9 dev out0\ndefault via fd00:1::9 dev out0\nfd00:1::/64 dev out0");
  h.nft(
      "table inet t {\n\tchain c {\n\t\ttype filter hook output priority filter; policy accept;\n\t\tudp dport 53 "
      "reject\n\t}\n}\n");
  h.local_table();
  Lab lab(h);
  for (const auto& [from, to] : {std::pair{"10.1.0.1", "9.9.9.9"}, std::pair{"fd00:1::1", "fd00:9::9"}}) {
    const auto refused = lab.send(udp(from, to, 4000, 53));
    ASSERT_TRUE(refused.answer) << to;
    EXPECT_EQ(src_ip(refused.answer->packet), ip(from));
  }
}

// A socket that is bound to a device sends to an address of another device by it: no local route names the source then.
TEST(Send, ErrorAboutWhatABoundSocketSentToAnOwnAddressGoesByRoute) {
  TestHost h = sending_node();
  h.iptables("*filter\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -p udp -j REJECT --reject-with icmp-admin-prohibited\nCOMMIT\n");
  h.local_table();
  Lab lab(h);
  const auto bound = lab.send(udp("192.168.2.10", "172.20.0.10", 4000, 53), false, "up0");
  ASSERT_TRUE(bound.answer);
  EXPECT_NE(src_ip(bound.answer->packet), ip("172.20.0.10"));
  const auto plain = lab.send(udp("192.168.2.10", "172.20.0.10", 4000, 53));
  ASSERT_TRUE(plain.answer);
  EXPECT_EQ(src_ip(plain.answer->packet), ip("172.20.0.10"));
}

}  // namespace
}  // namespace egt::test
