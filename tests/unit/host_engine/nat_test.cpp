// Conntrack and NAT: the first packet decides, both directions follow.
#include <gtest/gtest.h>

#include <algorithm>

#include "egtrace/explain/phrases.h"
#include "test_host.h"

namespace egt::test {
namespace {

using engine::HostOutcome;
using Kind = HostOutcome::Kind;

// Port 8080 of the node is a pod's port 80.
const std::string kForwardedPort = R"(*nat
:PREROUTING ACCEPT [0:0]
-A PREROUTING -d 192.168.1.10/32 -p tcp -m tcp --dport 8080 -j DNAT --to-destination 10.128.0.7:80
COMMIT
)";

// A node with a management port to its pods and two uplinks; one pod leaves by the second with a source of its own.
TestHost node() {
  TestHost h;
  h.link("mp0", "02:00:00:00:00:01", "10.128.0.2/23")
      .link("up0", "02:00:00:00:00:02", "192.168.1.10/24 192.168.2.10/24")
      .link("up1", "02:00:00:00:00:03", "172.20.0.10/24");
  h.routes(
      "default via 192.168.2.1 dev up0 src 192.168.1.10\n"
      "default via 172.20.0.1 dev up1 table 1004\n"
      "10.128.0.0/14 via 10.128.0.1 dev mp0");
  h.rules("6000: from 10.128.0.7 lookup 1004");
  h.neighbour("192.168.2.1", "up0", "52:54:00:00:00:01")
      .neighbour("172.20.0.1", "up1", "52:54:00:00:00:02")
      .neighbour("10.128.0.1", "mp0", "0a:58:0a:80:00:01")
      .neighbour("10.128.0.7", "mp0", "0a:58:0a:80:00:07")
      .neighbour("10.128.0.8", "mp0", "0a:58:0a:80:00:08")
      .neighbour("10.128.0.9", "mp0", "0a:58:0a:80:00:09");
  return h;
}

TEST(Nat, SourceByRuleAndBackByConnection) {
  TestHost h = node();
  h.iptables(R"(*nat
:PREROUTING ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
-A POSTROUTING -s 10.128.0.7/32 -o up1 -j SNAT --to-source 172.20.0.100
COMMIT
)")
      .local_table();
  Lab lab(h);
  const FlowKey sent = tcp("10.128.0.7", "9.9.9.9", 4000, 80);
  const HostOutcome out = lab.receive("mp0", sent);
  ASSERT_EQ(out.kind, Kind::transmit) << lab.assumptions();
  EXPECT_EQ(out.device, "up1");
  EXPECT_EQ(src_ip(out.packet), ip("172.20.0.100"));
  EXPECT_TRUE(lab.proven()) << lab.assumptions();
  ASSERT_EQ(lab.record.nat.size(), 1u);
  EXPECT_EQ(lab.record.nat[0].by, "iptables");
  EXPECT_TRUE(lab.record.nat[0].source);
  EXPECT_FALSE(lab.record.nat[0].evidence.empty());
  EXPECT_EQ(lab.steps<engine::RouteLookup>().at(0)->rule->priority, 6000u);

  const HostOutcome back = lab.receive("up1", answer_to(out.packet));
  ASSERT_EQ(back.kind, Kind::transmit);
  EXPECT_EQ(back.device, "mp0");
  EXPECT_EQ(dst_ip(back.packet), ip("10.128.0.7"));
  const auto undone = lab.steps<engine::Translate>();
  ASSERT_EQ(undone.size(), 1u);
  EXPECT_TRUE(undone[0]->by_connection);
  EXPECT_FALSE(undone[0]->source);
  EXPECT_EQ(undone[0]->by, "iptables");

  // The rule is gone, the connection stays as it is; a new one is not translated.
  h.host().iptables_v4.value = {};
  EXPECT_EQ(src_ip(lab.receive("mp0", sent).packet), ip("172.20.0.100"));
  EXPECT_EQ(src_ip(lab.receive("mp0", tcp("10.128.0.7", "9.9.9.9", 4001, 80)).packet), ip("10.128.0.7"));
}

TEST(Nat, ChainsForTranslationMayDropTheFirstPacket) {
  TestHost h = node();
  h.nft(
       "table ip t {\n\tchain p {\n\t\ttype nat hook postrouting priority srcnat; policy accept;\n\t\ttcp dport 80 "
       "drop\n\t}\n}\n")
      .local_table();
  Lab lab(h);
  EXPECT_EQ(lab.receive("mp0", tcp("10.128.0.8", "9.9.9.9", 4000, 80)).kind, Kind::dropped);
  EXPECT_EQ(lab.receive("mp0", tcp("10.128.0.8", "9.9.9.9", 4000, 81)).kind, Kind::transmit);
}

// Rules behind it that compare the port are not decided.
TEST(Nat, ARandomDestinationPortStaysOpen) {
  TestHost h = node();
  h.nft(
       "table ip t {\n\tchain p {\n\t\ttype nat hook prerouting priority dstnat; policy accept;\n"
       "\t\tip daddr 192.168.1.10 tcp dport 8080 dnat to 10.128.0.7:100-200 random\n\t}\n"
       "\tchain f {\n\t\ttype filter hook forward priority filter; policy accept;\n\t\ttcp dport 150 drop\n\t}\n}\n")
      .local_table();
  Lab lab(h);
  lab.receive("up0", tcp("9.9.9.9", "192.168.1.10", 4000, 8080));
  const auto is_of_port = [](const engine::ChoicePoint& p) { return p.kind == engine::ChoicePoint::Kind::unknown; };
  EXPECT_TRUE(std::any_of(lab.chooser.points.begin(), lab.chooser.points.end(), is_of_port));
}

TEST(Nat, PingKeepsItsIdentifierBothWays) {
  TestHost h = node();
  h.iptables("*nat\n:POSTROUTING ACCEPT [0:0]\n-A POSTROUTING -o up0 -j MASQUERADE\nCOMMIT\n").local_table();
  Lab lab(h);
  const HostOutcome out = lab.receive("mp0", ping("10.128.0.8", "9.9.9.9", 77));
  EXPECT_EQ(src_ip(out.packet), ip("192.168.2.10"));
  EXPECT_EQ(out.packet.u32(FieldId::icmp_id), 77u);
  const HostOutcome back = lab.receive("up0", answer_to(out.packet));
  EXPECT_EQ(dst_ip(back.packet), ip("10.128.0.8"));
  EXPECT_EQ(back.device, "mp0");
}

TEST(Nat, MasqueradeTakesTheAddressNextToTheGateway) {
  TestHost h = node();
  h.iptables("*nat\n:POSTROUTING ACCEPT [0:0]\n-A POSTROUTING -o up0 -j MASQUERADE\nCOMMIT\n").local_table();
  Lab lab(h);
  EXPECT_EQ(src_ip(lab.receive("mp0", tcp("10.128.0.8", "9.9.9.9", 4000, 80)).packet), ip("192.168.2.10"));
}

constexpr const char* kMasqueradesUplinks =
    "*mangle\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -m tos --tos 0x10/0xff -j MARK --set-xmark 0x7/0xffffffff\n"
    "COMMIT\n*nat\n:POSTROUTING ACCEPT [0:0]\n-A POSTROUTING -o up+ -j MASQUERADE\nCOMMIT\n";

FlowKey of_the_other_uplink(FlowKey packet) {
  packet.set(FieldId::nw_tos, 0x10);
  return packet;
}

// nf_nat_oif_changed(), as seen with Linux 6.18: the packet is lost, and the next one opens the connection anew.
TEST(Nat, MasqueradedConnectionDoesNotChangeDevices) {
  TestHost h = node();
  h.rules("50: from all fwmark 0x7 lookup 1004").iptables(kMasqueradesUplinks).local_table();
  Lab lab(h);
  const FlowKey packet = udp("10.128.0.8", "9.9.9.9", 4000, 53);
  EXPECT_EQ(src_ip(lab.receive("mp0", packet).packet), ip("192.168.2.10"));
  const HostOutcome lost = lab.receive("mp0", of_the_other_uplink(packet));
  EXPECT_EQ(lost.kind, Kind::dropped);
  EXPECT_EQ(explain::phrase(lost.stop->where), "conntrack");
  const HostOutcome anew = lab.receive("mp0", of_the_other_uplink(packet));
  EXPECT_EQ(anew.device, "up1");
  EXPECT_EQ(src_ip(anew.packet), ip("172.20.0.10"));
}

TEST(Nat, DumpedConnectionDoesNotSayWhetherItWasMasqueraded) {
  TestHost h = node();
  h.rules("50: from all fwmark 0x7 lookup 1004").iptables(kMasqueradesUplinks).local_table();
  const FlowKey packet = udp("10.128.0.8", "9.9.9.9", 4000, 53);
  engine::Connection dumped;
  dumped.original = tuple_of(packet);
  dumped.reply = reversed(dumped.original);
  dumped.reply.dst = ip("192.168.2.10");
  dumped.nat_done = true;
  dumped.from = {1, 7};
  Lab lab(h);
  lab.network_state.conntrack.insert({"n1", engine::ConntrackSpace::kernel, 0}, dumped);
  lab.chooser.script = {0, 1};
  EXPECT_EQ(src_ip(lab.receive("mp0", packet).packet), ip("192.168.2.10"));
  EXPECT_TRUE(lab.chooser.points.empty());  // by the device that has the address
  EXPECT_EQ(lab.receive("mp0", of_the_other_uplink(packet)).device, "up1");
  EXPECT_EQ(lab.receive("mp0", of_the_other_uplink(packet)).kind, Kind::dropped);
  ASSERT_EQ(lab.chooser.points.size(), 2u);
  EXPECT_EQ(lab.chooser.points[0].kind, engine::ChoicePoint::Kind::unknown);
}

TEST(Nat, ErrorsFollowTheConnectionThatTheyAreAbout) {
  TestHost h = node();
  h.iptables("*nat\n:POSTROUTING ACCEPT [0:0]\n-A POSTROUTING -o up0 -j MASQUERADE\nCOMMIT\n").local_table();
  Lab lab(h);
  const HostOutcome out = lab.receive("mp0", udp("10.128.0.8", "9.9.9.9", 4000, 53));
  FlowKey error = ping("192.168.2.1", "192.168.2.10", 0);
  error.set(FieldId::icmp_type, 3);
  error.set(FieldId::icmp_code, 1);
  const HostOutcome back = lab.receive("up0", error);
  ASSERT_EQ(back.kind, Kind::transmit);
  EXPECT_EQ(dst_ip(back.packet), ip("10.128.0.8"));
  EXPECT_EQ(src_ip(back.packet), ip("192.168.2.1"));
  EXPECT_TRUE(lab.proven()) << lab.assumptions();
}

// DNAT --random gives an echo another identifier; POSTROUTING undoes it, as it does the address.
TEST(Nat, AnIdentifierOfDnatIsNoTranslationOfTheSource) {
  engine::Connection c;
  c.original = tuple_of(ping("10.128.0.8", "9.9.9.9", 77));
  c.reply = reversed(tuple_of(ping("10.128.0.8", "10.1.0.2", 4711)));
  EXPECT_FALSE(c.has_snat());
  EXPECT_TRUE(c.has_dnat());
  c.sport_by_snat = true;
  EXPECT_TRUE(c.has_snat());
  c.reply = reversed(tuple_of(ping("10.128.0.8", "9.9.9.9", 4711)));
  c.sport_by_snat = false;
  EXPECT_TRUE(c.has_snat());
  EXPECT_FALSE(c.has_dnat());
}

TEST(Nat, TakenPortIsReplacedAndSaidToBeUnknown) {
  TestHost h = node();
  h.iptables("*nat\n:POSTROUTING ACCEPT [0:0]\n-A POSTROUTING -o up0 -j MASQUERADE\nCOMMIT\n").local_table();
  Lab lab(h);
  lab.receive("mp0", tcp("10.128.0.8", "9.9.9.9", 4000, 80));
  EXPECT_TRUE(lab.proven());
  const HostOutcome second = lab.receive("mp0", tcp("10.128.0.9", "9.9.9.9", 4000, 80));
  EXPECT_NE(second.packet.u32(FieldId::tcp_src), 4000u);
  EXPECT_EQ(lab.record.assumptions.size(), 1u);
  EXPECT_EQ(dst_ip(lab.receive("up0", answer_to(second.packet)).packet), ip("10.128.0.9"));
}

TEST(Nat, DestinationIsChangedBeforeRoutingAndUndoneInTheAnswer) {
  TestHost h = node();
  h.iptables(kForwardedPort + R"(*filter
:FORWARD DROP [0:0]
-A FORWARD -d 10.128.0.7/32 -p tcp -m tcp --dport 80 -m conntrack --ctstate NEW -j ACCEPT
-A FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
COMMIT
)");
  h.rules("5999: from 10.128.0.7 lookup main").local_table();
  Lab lab(h);
  const HostOutcome in = lab.receive("up0", tcp("192.168.2.77", "192.168.1.10", 5000, 8080));
  ASSERT_EQ(in.kind, Kind::transmit) << lab.assumptions();
  EXPECT_EQ(in.device, "mp0");
  EXPECT_EQ(dst_ip(in.packet), ip("10.128.0.7"));
  EXPECT_EQ(in.packet.u32(FieldId::tcp_dst), 80u);
  EXPECT_EQ(lab.receive("up0", tcp("192.168.2.77", "10.128.0.7", 5000, 81)).kind, Kind::dropped);

  lab.neighbours.known[ip("192.168.2.77")] = mac("02:00:00:00:00:77");
  const HostOutcome back = lab.receive("mp0", answer_to(in.packet));
  ASSERT_EQ(back.kind, Kind::transmit);
  EXPECT_EQ(src_ip(back.packet), ip("192.168.1.10"));
  EXPECT_EQ(back.packet.u32(FieldId::tcp_src), 8080u);
}

TEST(Nat, AnswerOfAnUnknownConnectionIsInvalid) {
  TestHost h = node();
  h.iptables("*filter\n:FORWARD ACCEPT [0:0]\n-A FORWARD -m conntrack --ctstate INVALID -j DROP\nCOMMIT\n").local_table();
  Lab lab(h);
  const FlowKey sent = tcp("10.128.0.8", "9.9.9.9", 4000, 80);
  EXPECT_EQ(lab.receive("mp0", answer_to(answer_to(sent))).kind, Kind::dropped);
  EXPECT_EQ(lab.receive("mp0", sent).kind, Kind::transmit);
}

TEST(Nat, DroppedPacketsLeaveNoConnection) {
  TestHost h = node();
  h.iptables("*filter\n:FORWARD DROP [0:0]\nCOMMIT\n").local_table();
  Lab lab(h);
  const FlowKey sent = tcp("10.128.0.8", "9.9.9.9", 4000, 80);
  EXPECT_EQ(lab.receive("mp0", sent).kind, Kind::dropped);
  EXPECT_FALSE(lab.network_state.conntrack.find({"n1", engine::ConntrackSpace::kernel, 0}, tuple_of(sent)));
}

TEST(Nat, RefusalCarriesTheAddressesThatTheSenderKnows) {
  TestHost h = node();
  h.iptables(kForwardedPort + R"(*filter
:FORWARD ACCEPT [0:0]
-A FORWARD -d 10.128.0.7/32 -p tcp -j REJECT --reject-with tcp-reset
COMMIT
)");
  h.rules("5999: from 10.128.0.7 lookup main").local_table();
  Lab lab(h);
  const FlowKey sent = tcp("192.168.2.1", "192.168.1.10", 5000, 8080);
  const HostOutcome o = lab.receive("up0", sent);
  ASSERT_EQ(o.kind, Kind::rejected);
  EXPECT_EQ(o.reject_with, "tcp-reset");
  ASSERT_TRUE(o.answer);
  EXPECT_EQ(o.answer->packet.u32(FieldId::tcp_flags), 0x14u);
  const HostOutcome reset = lab.send(*o.answer);
  ASSERT_EQ(reset.kind, Kind::transmit);
  EXPECT_EQ(tuple_of(reset.packet), reversed(tuple_of(sent)));
}

// nf_send_reset(), nf_ct_attach(): rules and routes see whom the packet was translated to; POSTROUTING undoes it.
TEST(Nat, ResetsAreTranslatedBackOnTheirWayOut) {
  TestHost h = node();
  h.iptables(kForwardedPort + R"(*filter
:FORWARD ACCEPT [0:0]
:OUTPUT DROP [0:0]
-A FORWARD -d 10.128.0.7/32 -p tcp -j REJECT --reject-with tcp-reset
-A OUTPUT -s 10.128.0.7/32 -m conntrack --ctstate RELATED --ctdir REPLY -j ACCEPT
COMMIT
)");
  h.local_table();  // a rule leads what is from 10.128.0.7 out by up1
  Lab lab(h);
  const FlowKey sent = tcp("192.168.2.77", "192.168.1.10", 5000, 8080);
  const HostOutcome o = lab.receive("up0", sent);
  ASSERT_TRUE(o.answer);
  const HostOutcome reset = lab.send(*o.answer);
  ASSERT_EQ(reset.kind, Kind::transmit) << lab.assumptions();
  EXPECT_EQ(reset.device, "up1");
  EXPECT_EQ(tuple_of(reset.packet), reversed(tuple_of(sent)));
}

// What is not tracked has no connection to go with.
TEST(Nat, ResetsOfUntrackedPacketsAreInvalid) {
  TestHost h = node();
  h.iptables(R"(*raw
:PREROUTING ACCEPT [0:0]
-A PREROUTING -p tcp -j NOTRACK
COMMIT
*filter
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
-A INPUT -p tcp -j REJECT --reject-with tcp-reset
-A OUTPUT -m conntrack --ctstate INVALID -j DROP
COMMIT
)");
  h.local_table();
  Lab lab(h);
  const HostOutcome o = lab.receive("up0", tcp("192.168.2.77", "192.168.1.10", 5000, 8080));
  ASSERT_TRUE(o.answer);
  EXPECT_EQ(lab.send(*o.answer).kind, Kind::dropped);
}

TEST(Nat, RedirectGoesToTheDeviceOrToLoopback) {
  TestHost h = node();
  h.iptables(R"(*nat
:PREROUTING ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
-A PREROUTING -p tcp -m tcp --dport 53 -j REDIRECT --to-ports 5353
-A OUTPUT -p tcp -m tcp --dport 53 -j REDIRECT --to-ports 5353
COMMIT
)")
      .local_table();
  Lab lab(h);
  const HostOutcome in = lab.receive("mp0", tcp("10.128.0.8", "9.9.9.9", 4000, 53));
  EXPECT_EQ(in.kind, Kind::delivered);
  EXPECT_EQ(dst_ip(in.packet), ip("10.128.0.2"));
  EXPECT_EQ(in.packet.u32(FieldId::tcp_dst), 5353u);
  const HostOutcome out = lab.send(tcp("0.0.0.0", "9.9.9.9", 4000, 53), true);
  EXPECT_EQ(out.kind, Kind::delivered);
  EXPECT_EQ(dst_ip(out.packet), ip("127.0.0.1"));
  EXPECT_EQ(src_ip(out.packet), ip("192.168.1.10"));
}

// nf_nat_redirect_ipv6_usable(), as seen with Linux 6.18.
TEST(Nat, RedirectKeepsToTheScopeOfTheDestination) {
  TestHost h;
  h.link("in0", "02:00:00:00:00:01", "fd00::1/64 fe80::1/64").link("in1", "02:00:00:00:00:02", "fe80::2/64");
  h.iptables("# Generated by ip6tables-save\n*nat\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -p udp -j REDIRECT\nCOMMIT\n");
  h.local_table();
  const auto taken = [&](const std::string& device, const std::string& to) {
    Lab lab(h);
    const HostOutcome o = lab.receive(device, udp("fd00::9", to, 5, 53));
    return o.kind == Kind::delivered ? dst_ip(o.packet).to_string() : "dropped";
  };
  EXPECT_EQ(taken("in0", "fd77::1"), "fd00::1");
  EXPECT_EQ(taken("in0", "fe80::77"), "fe80::1");
  EXPECT_EQ(taken("in0", "fec0::5"), "dropped");
  EXPECT_EQ(taken("in1", "fd77::1"), "fe80::2");
}

}  // namespace
}  // namespace egt::test
