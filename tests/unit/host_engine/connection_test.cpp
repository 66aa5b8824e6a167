// What the kernel's conntrack makes of packets that are neither a connection's first nor its answer, and what else rules
// read from where a packet is. The packet oracle found each of these.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "egtrace/explain/phrases.h"
#include "test_host.h"

namespace egt::test {
namespace {

using engine::HostOutcome;
using Kind = HostOutcome::Kind;

constexpr std::uint32_t kFin = 0x01, kAck = 0x10;

TestHost two_legs(const std::string& rules) {
  TestHost h;
  h.link("in0", "02:00:00:00:00:01", "10.0.0.1/24").link("out0", "02:00:00:00:00:02", "10.1.0.1/24");
  h.routes("default via 10.1.0.9 dev out0");
  h.neighbour("10.1.0.9", "out0", "52:54:00:00:00:01")
      .neighbour("10.0.0.5", "in0", "52:54:00:00:00:05")
      .neighbour("10.0.0.6", "in0", "52:54:00:00:00:06");
  h.iptables(rules);
  return h;
}

FlowKey with_flags(FlowKey packet, std::uint32_t flags) {
  packet.set(FieldId::tcp_flags, flags);
  return packet;
}

constexpr const char* kMasquerade = "*nat\n:POSTROUTING ACCEPT [0:0]\n-A POSTROUTING -o out0 -j MASQUERADE\nCOMMIT\n";
constexpr const char* kDropInvalid =
    "*filter\n:FORWARD ACCEPT [0:0]\n-A FORWARD -m conntrack --ctstate INVALID -j DROP\nCOMMIT\n";

// nf_nat_setup_info() takes another identifier for the source's sake; the destination stays untranslated, and so do the
// sources of errors about it.
TEST(Connection, TheIdentifierOfAnEchoIsNoPartOfTheDestination) {
  engine::Connection c;
  c.original = {*IpAddr::parse("10.1.1.1"), *IpAddr::parse("10.2.2.2"), ip_proto::icmp, 7, 7};
  c.reply = {*IpAddr::parse("10.2.2.2"), *IpAddr::parse("10.9.9.9"), ip_proto::icmp, 64403, 64403};
  EXPECT_TRUE(c.has_snat());
  EXPECT_FALSE(c.has_dnat());
  c.original.proto = c.reply.proto = ip_proto::udp;
  EXPECT_TRUE(c.has_dnat());
}

TEST(Connection, AckBeforeTheAnswerBelongsToNoConnection) {
  TestHost h = two_legs(kMasquerade);
  h.local_table();
  Lab lab(h);
  const FlowKey sent = tcp("10.0.0.5", "9.9.9.9", 4000, 80);
  const HostOutcome out = lab.receive("in0", sent);
  EXPECT_EQ(src_ip(out.packet), ip("10.1.0.1"));
  EXPECT_EQ(src_ip(lab.receive("in0", with_flags(sent, kAck)).packet), ip("10.0.0.5"));
  lab.receive("out0", answer_to(out.packet));
  EXPECT_EQ(src_ip(lab.receive("in0", with_flags(sent, kAck)).packet), ip("10.1.0.1"));
  EXPECT_EQ(src_ip(lab.receive("in0", with_flags(sent, kAck | kFin)).packet), ip("10.1.0.1"));
}

TEST(Connection, FinishedOneIsOpenedAnew) {
  TestHost h = two_legs(kMasquerade);
  h.local_table();
  Lab lab(h);
  const FlowKey sent = tcp("10.0.0.5", "9.9.9.9", 4000, 80);
  engine::Connection over;
  over.original = tuple_of(sent);
  over.reply = reversed(over.original);
  over.seen_reply = over.nat_done = true;
  over.tcp = engine::TcpState::time_wait;
  lab.network_state.conntrack.insert({"n1", engine::ConntrackSpace::kernel, 0}, over);
  EXPECT_EQ(src_ip(lab.receive("in0", with_flags(sent, kAck)).packet), ip("10.0.0.5"));
  EXPECT_EQ(src_ip(lab.receive("in0", sent).packet), ip("10.1.0.1"));
}

TEST(Connection, PickedUpInItsMidst) {
  TestHost h = two_legs(kDropInvalid);
  h.local_table();
  const FlowKey amid = with_flags(tcp("10.0.0.5", "9.9.9.9", 4000, 80), kAck);
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", amid).kind, Kind::transmit);
  EXPECT_FALSE(lab.proven());  // no dump shows nf_conntrack_tcp_loose
  EXPECT_EQ(lab.receive("in0", with_flags(tcp("10.0.0.5", "9.9.9.9", 4001, 80), kAck | kFin)).kind, Kind::dropped);
  h.sysctl("net.netfilter.nf_conntrack_tcp_loose", "1");
  Lab shown(h);
  EXPECT_EQ(shown.receive("in0", amid).kind, Kind::transmit);
  EXPECT_TRUE(shown.proven()) << shown.assumptions();
  h.host().sysctl.value.clear();
  h.sysctl("net.netfilter.nf_conntrack_tcp_loose", "0").sysctl("net.ipv4.conf.in0.forwarding", "1");
  Lab strict(h);
  EXPECT_EQ(strict.receive("in0", amid).kind, Kind::dropped);
}

TEST(Connection, PickingUpIsAssumedOnlyWhereItDecides) {
  const char* accepts =
      "*filter\n:FORWARD ACCEPT [0:0]\n-A FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT\n"
      "-A FORWARD -d 8.8.8.8/32 -m conntrack --ctstate INVALID -j DROP\n-A FORWARD -m conntrack --ctstate INVALID -d 8.8.4.4/32 "
      "-j DROP\nCOMMIT\n";
  TestHost h = two_legs(accepts);
  h.local_table();
  const FlowKey amid = with_flags(tcp("10.0.0.5", "9.9.9.9", 4000, 80), kAck);
  Lab indifferent(h);
  EXPECT_EQ(indifferent.receive("in0", amid).kind, Kind::transmit);
  EXPECT_TRUE(indifferent.proven()) << indifferent.assumptions();
  EXPECT_EQ(indifferent.receive("out0", with_flags(answer_to(amid), kAck)).kind, Kind::transmit);
  EXPECT_FALSE(indifferent.proven());  // invalid, it would have met no rule that accepts it
  TestHost translating = two_legs(kMasquerade);
  translating.local_table();
  Lab lab(translating);
  EXPECT_EQ(src_ip(lab.receive("in0", amid).packet), ip("10.1.0.1"));
  EXPECT_FALSE(lab.proven());
}

TEST(Connection, OnlyPortThatIsTakenLosesThePacket) {
  TestHost h = two_legs("*nat\n:POSTROUTING ACCEPT [0:0]\n-A POSTROUTING -p tcp -j SNAT --to-source 10.1.0.1:7000\nCOMMIT\n");
  h.local_table();
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", tcp("10.0.0.5", "9.9.9.9", 4000, 80)).packet.u32(FieldId::tcp_src), 7000u);
  const HostOutcome second = lab.receive("in0", tcp("10.0.0.6", "9.9.9.9", 4000, 80));
  EXPECT_EQ(second.kind, Kind::dropped);
  ASSERT_TRUE(second.stop);
  EXPECT_EQ(explain::phrase(second.stop->where), "conntrack");
  EXPECT_EQ(lab.receive("in0", tcp("10.0.0.6", "9.9.9.9", 4000, 81)).kind, Kind::transmit);
}

TEST(Connection, FirstOfZoneAndNotrackCounts) {
  const std::string nat = kMasquerade;
  TestHost zone =
      two_legs("*raw\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -j CT --zone 5\n-A PREROUTING -j CT --notrack\nCOMMIT\n" + nat);
  zone.local_table();
  Lab tracked(zone);
  EXPECT_EQ(src_ip(tracked.receive("in0", udp("10.0.0.5", "9.9.9.9", 4000, 80)).packet), ip("10.1.0.1"));
  TestHost none =
      two_legs("*raw\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -j CT --notrack\n-A PREROUTING -j CT --zone 5\nCOMMIT\n" + nat);
  none.local_table();
  Lab untracked(none);
  EXPECT_EQ(src_ip(untracked.receive("in0", udp("10.0.0.5", "9.9.9.9", 4000, 80)).packet), ip("10.0.0.5"));
}

TEST(Connection, ZoneShowsAnEmptyConnectionToLaterRulesOfTheRawTable) {
  TestHost h = two_legs(
      "*raw\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -m conntrack --ctstate NEW -j DROP\n-A PREROUTING -i in0 -j CT --zone 5\n"
      "-A PREROUTING -p udp -m conntrack --ctstate NEW -j DROP\nCOMMIT\n");
  h.local_table();
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", udp("10.0.0.5", "9.9.9.9", 4000, 80)).kind, Kind::dropped);
  EXPECT_EQ(lab.receive("in0", tcp("10.0.0.5", "9.9.9.9", 4000, 80)).kind, Kind::transmit);
}

TEST(Connection, NftReadsOnlyTheStateOfWhatCarriesAZone) {
  const auto kind = [](const char* test) {
    TestHost h = two_legs("");
    h.nft(
        fmt::format("table ip t {{\n\tchain c {{\n\t\ttype filter hook prerouting priority raw; policy accept;\n\t\tct zone set "
                    "5\n\t\t{} drop\n\t}}\n}}\n",
                    test));
    h.local_table();
    Lab lab(h);
    return lab.receive("in0", udp("10.0.0.5", "9.9.9.9", 4000, 53)).kind;
  };
  EXPECT_EQ(kind("ct state new"), Kind::dropped);
  EXPECT_EQ(kind("ct zone 5"), Kind::transmit);
  EXPECT_EQ(kind("ct zone != 99"), Kind::transmit);
  EXPECT_EQ(kind("ct direction original"), Kind::transmit);
}

// nf_nat_packet(): of a direction that is not translated a rewritten address stays, in packets of a known connection, too.
TEST(Connection, RewrittenSourceStaysWhereOnlyTheDestinationIsTranslated) {
  TestHost h = two_legs("*nat\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -d 9.9.9.9/32 -j DNAT --to-destination 9.9.9.8\nCOMMIT\n");
  h.nft(
      "table ip t {\n\tchain c {\n\t\ttype filter hook forward priority filter; policy accept;\n\t\tip saddr 10.0.0.5 ip saddr "
      "set 10.0.0.6\n\t}\n}\n");
  h.local_table();
  Lab lab(h);
  const FlowKey sent = udp("10.0.0.5", "9.9.9.9", 4000, 53);
  for (int packet = 0; packet < 2; ++packet) {
    const HostOutcome out = lab.receive("in0", sent);
    EXPECT_EQ(src_ip(out.packet), ip("10.0.0.6"));
    EXPECT_EQ(dst_ip(out.packet), ip("9.9.9.8"));
  }
}

TEST(Connection, BroadcastsAreNotAnswered) {
  TestHost h = two_legs("*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -p udp -j REJECT\nCOMMIT\n");
  h.routes("broadcast 10.0.0.255 dev in0 table local");
  h.local_table();
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", udp("10.0.0.5", "10.0.0.1", 4000, 80)).kind, Kind::rejected);
  EXPECT_EQ(lab.receive("in0", udp("10.0.0.5", "10.0.0.255", 4000, 80)).kind, Kind::dropped);
}

TEST(Connection, ErrorIsNoAnswer) {
  TestHost h = two_legs("*filter\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -m conntrack --ctstatus SEEN_REPLY -j DROP\nCOMMIT\n");
  h.routes("unreachable 77.0.0.0/8").local_table();
  Lab lab(h);
  const HostOutcome refused = lab.receive("in0", udp("10.0.0.5", "77.7.7.7", 4000, 80));
  ASSERT_TRUE(refused.answer);
  engine::HostEngine host(h.node, lab.network_state, lab.record, lab.chooser, lab.neighbours);
  EXPECT_EQ(host.send(*refused.answer).kind, Kind::transmit);
}

TEST(Connection, ErrorAboutAnUntrackedPacketFindsTheConnectionThatItQuotes) {
  TestHost h = two_legs(
      "*raw\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -s 10.77.0.2/32 -j CT --notrack\nCOMMIT\n"
      "*nat\n:POSTROUTING ACCEPT [0:0]\n-A POSTROUTING -o out0 -j SNAT --to-source 10.77.0.2\nCOMMIT\n"
      "*filter\n:FORWARD ACCEPT [0:0]\n-A FORWARD -i in0 -j REJECT\nCOMMIT\n");
  h.routes("10.77.0.0/16 dev in0").local_table();
  Lab lab(h);
  ASSERT_EQ(src_ip(lab.send(udp("10.1.0.1", "10.1.0.9", 4000, 80)).packet), ip("10.77.0.2")) << lab.assumptions();
  const HostOutcome refused = lab.receive("in0", udp("10.77.0.2", "10.1.0.9", 4000, 80));
  ASSERT_EQ(refused.kind, Kind::rejected) << lab.assumptions();
  ASSERT_TRUE(refused.answer);
  engine::HostEngine host(h.node, lab.network_state, lab.record, lab.chooser, lab.neighbours);
  const HostOutcome back = host.send(*refused.answer);
  EXPECT_EQ(back.kind, Kind::delivered);
  EXPECT_EQ(dst_ip(back.packet), ip("10.1.0.1"));
}

TEST(Connection, LoopbackHasNoEthernetAddresses) {
  TestHost h = two_legs("*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -m mac ! --mac-source 52:54:00:00:00:05 -j DROP\nCOMMIT\n");
  h.local_table();
  Lab lab(h);
  EXPECT_EQ(lab.send(tcp("10.0.0.1", "10.1.0.1", 4000, 80)).kind, Kind::delivered);
  EXPECT_EQ(lab.receive("in0", tcp("10.0.0.5", "10.0.0.1", 4000, 80)).kind, Kind::dropped);
}

TEST(Connection, RoutesBackBySeveralNextHops) {
  TestHost h = two_legs("*raw\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -m rpfilter --invert -j DROP\nCOMMIT\n");
  h.routes("55.0.0.0/8 nexthop via 10.1.0.9 dev out0 weight 1 nexthop via 10.0.0.5 dev in0 weight 1").local_table();
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", tcp("55.0.0.5", "10.0.0.1", 4000, 80)).kind, Kind::delivered);
  EXPECT_EQ(lab.receive("in0", tcp("56.0.0.5", "10.0.0.1", 4000, 80)).kind, Kind::dropped);
  EXPECT_EQ(lab.send(tcp("10.0.0.1", "10.1.0.1", 4000, 80)).kind, Kind::delivered);
}

TEST(Connection, RulesOnTheSourceCountForErrorsOfIpv6) {
  TestHost h;
  h.link("in0", "02:00:00:00:00:01", "fd00::1/64").link("out0", "02:00:00:00:00:02", "fd00:1::1/64");
  h.routes("unreachable fd77::/16\nfd00::/64 dev in0").rules("100: from fd00::/32 blackhole").local_table();
  h.neighbour("fd00::5", "in0", "52:54:00:00:00:05");
  Lab lab(h);
  lab.host.sysctl("net.ipv6.conf.all.forwarding", "1");
  const HostOutcome refused = lab.receive("in0", udp("fd00::5", "fd77::7", 4000, 80));
  EXPECT_EQ(refused.kind, Kind::dropped);  // the rule takes the packet itself
  h.host().rules_v6.value.back().from_prefix = *Prefix::parse("fd00::1/128");
  const HostOutcome second = lab.receive("in0", udp("fd00::5", "fd77::7", 4000, 80));
  ASSERT_EQ(second.kind, Kind::rejected) << lab.assumptions();
  ASSERT_TRUE(second.answer);
  EXPECT_FALSE(second.answer->choose_source);  // "from" rules see the address of the inbound device
  ASSERT_EQ(lab.chooser.points.size(), 1u);
  engine::HostEngine host(h.node, lab.network_state, lab.record, lab.chooser, lab.neighbours);
  EXPECT_NE(host.send(*second.answer).kind, Kind::transmit);
}

TEST(Connection, Ipv6TriesOnceMoreWithASource) {
  TestHost h;
  h.link("out0", "02:00:00:00:00:02", "fd00:1::1/64");
  h.routes("default via fd00:1::9 dev out0 table 7").rules("100: from fd00:1::/64 lookup 7").local_table();
  h.neighbour("fd00:1::9", "out0", "52:54:00:00:00:09");
  Lab lab(h);
  const HostOutcome sent = lab.send(udp("::", "fd99::9", 4000, 80), true);
  ASSERT_EQ(sent.kind, Kind::transmit) << lab.assumptions();
  EXPECT_EQ(src_ip(sent.packet), ip("fd00:1::1"));
  EXPECT_EQ(sent.device, "out0");
}

TEST(Connection, ErrorOfATranslatedConnectionIsRoutedWithItsSource) {
  TestHost h =
      two_legs("*nat\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -d 10.1.0.77/32 -j DNAT --to-destination 10.0.0.5\nCOMMIT\n");
  h.rules("100: from 10.0.0.0/8 unreachable").local_table();
  h.host().rules_v4.value.back().iif = "in0";
  Lab lab(h);
  const HostOutcome in = lab.receive("out0", udp("9.9.9.9", "10.1.0.77", 4000, 80));
  ASSERT_EQ(in.kind, Kind::transmit) << lab.assumptions();
  const HostOutcome refused = lab.receive("in0", answer_to(in.packet));
  ASSERT_TRUE(refused.answer);
  h.host().rules_v4.value.back().iif = "lo";
  engine::HostEngine host(h.node, lab.network_state, lab.record, lab.chooser, lab.neighbours);
  EXPECT_EQ(host.send(*refused.answer).kind, Kind::dropped);
}

TEST(Connection, LimitedBroadcastNeedsNoRoute) {
  TestHost h;
  h.link("in0", "02:00:00:00:00:01", "10.0.0.1/24").local_table();
  Lab lab(h);
  EXPECT_EQ(lab.send(udp("10.0.0.1", "255.255.255.255", 68, 67)).device, "in0");
  EXPECT_EQ(lab.send(udp("0.0.0.0", "255.255.255.255", 68, 67), true, "in0").kind, Kind::transmit);
  EXPECT_EQ(lab.send(udp("0.0.0.0", "255.255.255.255", 68, 67), true).kind, Kind::rejected);
}

// ip_route_output_key_hash_rcu(): of a sender with its own address it goes to that address's link, whatever a mark asks for.
TEST(Connection, LimitedBroadcastIsNotRoutedAnew) {
  TestHost h = two_legs("*mangle\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -p udp -j MARK --set-xmark 0x1/0xffffffff\nCOMMIT\n");
  h.rules("30: from all fwmark 0x1 lookup 7").routes("default via 10.1.0.9 dev out0 table 7").local_table();
  Lab lab(h);
  const HostOutcome sent = lab.send(udp("10.0.0.1", "255.255.255.255", 68, 67));
  EXPECT_EQ(sent.kind, Kind::transmit) << lab.assumptions();
  EXPECT_EQ(sent.device, "in0");
  EXPECT_EQ(dst_mac(sent.packet).to_string(), "ff:ff:ff:ff:ff:ff");
  EXPECT_EQ(lab.steps<engine::RouteLookup>().size(), 1u);
}

TEST(Connection, LimitedBroadcastGoesToTheLinkOfTheSourceThatARuleWrote) {
  TestHost h = two_legs("");
  h.nft(
      "table ip t {\n\tchain c {\n\t\ttype route hook output priority mangle; policy accept;\n\t\tip saddr set "
      "10.1.0.1\n\t}\n}\n");
  h.local_table();
  Lab lab(h);
  EXPECT_EQ(lab.send(udp("10.0.0.1", "255.255.255.255", 68, 67)).device, "out0") << lab.assumptions();
  EXPECT_EQ(lab.steps<engine::RouteLookup>().size(), 2u);
}

// What is asked again is shown where its answer is another one.
TEST(Connection, RouteOfAMarkIsShown) {
  TestHost h = two_legs("*mangle\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -p udp -j MARK --set-xmark 0x1/0xffffffff\nCOMMIT\n");
  h.routes("9.0.0.0/8 via 10.0.0.5 dev in0\n9.0.0.0/8 via 10.1.0.9 dev out0 table 7").local_table();
  const auto lookups = [&] {
    Lab lab(h);
    EXPECT_EQ(lab.send(udp("10.0.0.1", "9.9.9.9", 4000, 80)).kind, Kind::transmit) << lab.assumptions();
    return lab.steps<engine::RouteLookup>().size();
  };
  EXPECT_EQ(lookups(), 1u);
  h.rules("30: from all fwmark 0x1 lookup 7");
  EXPECT_EQ(lookups(), 2u);
  TestHost shared = two_legs("*mangle\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -p udp -j MARK --set-xmark 0x1/0xffffffff\nCOMMIT\n");
  shared.routes("9.0.0.0/8 nexthop via 10.1.0.9 dev out0 weight 1 nexthop via 10.0.0.5 dev in0 weight 1").local_table();
  Lab lab(shared);  // whose chooser takes one next hop both times
  EXPECT_EQ(lab.send(udp("10.0.0.1", "9.9.9.9", 4000, 80)).kind, Kind::transmit) << lab.assumptions();
  EXPECT_EQ(lab.steps<engine::RouteLookup>().size(), 1u);
}

TEST(Connection, LimitedBroadcastOfAForeignSourceHasNoLink) {
  TestHost h = two_legs("");
  h.nft(
      "table ip t {\n\tchain c {\n\t\ttype route hook output priority mangle; policy accept;\n\t\tip saddr set "
      "10.0.0.77\n\t}\n}\n");
  h.local_table();
  Lab lab(h);
  EXPECT_EQ(lab.send(udp("10.0.0.1", "255.255.255.255", 68, 67)).kind, Kind::dropped);
  EXPECT_EQ(lab.send(udp("10.0.0.1", "255.255.255.255", 68, 67), false, "in0").kind, Kind::transmit);
}

TEST(Connection, AddressesThatAreNoDestinations) {
  TestHost h = two_legs("*nat\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -o in0 -p udp -j DNAT --to-destination 10.0.0.5\nCOMMIT\n");
  h.routes("broadcast 10.0.0.255 dev in0 table local");
  h.local_table();
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", udp("0.0.0.0", "0.0.0.0", 68, 67)).kind, Kind::delivered);
  EXPECT_EQ(lab.receive("in0", udp("10.0.0.5", "0.0.0.0", 68, 67)).kind, Kind::dropped);
  EXPECT_EQ(dst_ip(lab.send(udp("10.0.0.1", "10.0.0.255", 68, 67)).packet), ip("10.0.0.5"));
  EXPECT_EQ(lab.send(udp("127.0.0.1", "9.9.9.9", 68, 67)).reject_with, "EINVAL");
}

// --ctstatus of what is in the table, of what is not yet, and of errors about either.
TEST(Connection, StatusTellsWhetherItIsInTheTable) {
  const auto passes = [](const char* status, bool again) {
    TestHost h =
        two_legs(fmt::format("*filter\n:FORWARD ACCEPT [0:0]\n-A FORWARD -m conntrack --ctstatus {} -j DROP\nCOMMIT\n", status));
    h.local_table();
    Lab lab(h);
    const FlowKey packet = udp("10.0.0.5", "9.9.9.9", 4000, 53);
    Kind kind = lab.receive("in0", packet).kind;
    if (again) kind = lab.receive("in0", packet).kind;
    EXPECT_TRUE(lab.chooser.points.empty()) << status;
    return kind == Kind::transmit;
  };
  EXPECT_TRUE(passes("CONFIRMED", false));
  EXPECT_FALSE(passes("CONFIRMED", true));
  EXPECT_TRUE(passes("ASSURED", true));
  EXPECT_TRUE(passes("EXPECTED", true));
  EXPECT_TRUE(passes("NONE", true));  // never matches
  EXPECT_FALSE(passes("NONE,CONFIRMED", true));
}

TEST(Connection, ErrorIsRelatedAndNotExpected) {
  const auto shown = [](const char* status) {
    TestHost h = two_legs(fmt::format(
        "*filter\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n-A FORWARD -j REJECT --reject-with icmp-port-unreachable\n"
        "-A OUTPUT -m conntrack --ctstatus {} -j DROP\nCOMMIT\n",
        status));
    h.local_table();
    Lab lab(h);
    const auto refused = lab.receive("in0", udp("10.0.0.5", "9.9.9.9", 4000, 53));
    EXPECT_TRUE(refused.answer);
    return engine::HostEngine(h.node, lab.network_state, lab.record, lab.chooser, lab.neighbours).send(*refused.answer).kind ==
           Kind::transmit;
  };
  EXPECT_TRUE(shown("EXPECTED"));
  EXPECT_TRUE(shown("CONFIRMED"));
}

}  // namespace
}  // namespace egt::test
