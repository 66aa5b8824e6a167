// What rules, checks and errors ask the routing tables and the connections for; each answer was seen of a kernel (6.18).
#include <gtest/gtest.h>

#include "egtrace/engine/routing.h"
#include "egtrace/explain/phrases.h"
#include "test_host.h"

namespace egt::test {
namespace {

using engine::HostOutcome;

using Kind = HostOutcome::Kind;

TestHost host_with_two_legs() {
  TestHost h;
  h.link("in0", "02:00:00:00:00:01", "10.0.0.1/24 fd00::1/64").link("out0", "02:00:00:00:00:02", "10.1.0.1/24 fd00:1::1/64");
  h.routes("default via 10.1.0.9 dev out0\nfd00::/64 dev in0\nfd00:1::/64 dev out0");
  h.sysctl("net.ipv6.conf.all.forwarding", "1");
  for (const char* part : {"5", "6"})
    h.neighbour(std::string("10.0.0.") + part, "in0", "52:54:00:00:00:05")
        .neighbour(std::string("fd00::") + part, "in0", "52:54:00:00:00:05");
  h.neighbour("10.1.0.9", "out0", "52:54:00:00:00:01").neighbour("fd00:1::9", "out0", "52:54:00:00:00:09");
  return h;
}

// A policy rule that is not written as TestHost::rules() can.
host::PolicyRule& add_rule(TestHost& h, const std::string& line) {
  h.rules(line);
  auto& v4 = h.host().rules_v4.value;
  return v4.back();
}
host::PolicyRule& add_v6_rule(TestHost& h, const std::string& line) {
  h.rules(line);
  host::PolicyRule r = h.host().rules_v4.value.back();
  h.host().rules_v4.value.pop_back();
  r.family = Family::v6;
  h.host().rules_v6.value.push_back(r);
  return h.host().rules_v6.value.back();
}

TEST(LookUp, ProtocolsCountForTheWayBackOnlyWhereAnotherRuleAsks) {
  TestHost h = host_with_two_legs();
  host::PolicyRule& made_here = add_rule(h, "100: from all prohibit");
  made_here.iif = "lo";
  made_here.ip_proto = ip_proto::tcp;
  h.sysctl("net.ipv4.conf.in0.rp_filter", "1").local_table();
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", tcp("10.0.0.5", "10.0.0.1", 4000, 80)).kind, Kind::delivered);
  host::PolicyRule& asks = add_rule(h, "110: from all lookup main");
  asks.iif = "in0";
  asks.dport = host::PortRange{9999, 9999};
  EXPECT_EQ(lab.receive("in0", tcp("10.0.0.5", "10.0.0.1", 4001, 80)).kind, Kind::dropped);
  EXPECT_EQ(lab.receive("in0", udp("10.0.0.5", "10.0.0.1", 4001, 80)).kind, Kind::delivered);
}

TEST(LookUp, NftAsksWithTheProtocolAndWithoutPorts) {
  TestHost h = host_with_two_legs();
  h.nft(
      "table ip t {\n\tchain c {\n\t\ttype filter hook prerouting priority filter; policy accept;\n\t\tfib saddr oif missing "
      "drop\n\t}\n}\n");
  add_rule(h, "100: from all prohibit").ip_proto = ip_proto::tcp;
  h.local_table();
  Lab lab(h);
  const auto stop = lab.receive("in0", tcp("10.0.0.5", "10.0.0.1", 4000, 80)).stop;
  ASSERT_TRUE(stop);
  EXPECT_EQ(explain::phrase(stop->where), "nft t c");
  EXPECT_EQ(lab.receive("in0", udp("10.0.0.5", "10.0.0.1", 4000, 80)).kind, Kind::delivered);
  h.host().rules_v4.value.back().ip_proto.reset();
  h.host().rules_v4.value.back().sport = host::PortRange{80, 80};
  EXPECT_EQ(lab.receive("in0", tcp("10.0.0.5", "10.0.0.1", 4001, 80)).kind, Kind::delivered);
}

TEST(LookUp, RpfilterOfIpv4AsksWithoutTheProtocol) {
  TestHost h = host_with_two_legs();
  h.iptables("*raw\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -m rpfilter --invert -j DROP\nCOMMIT\n");
  add_rule(h, "100: from all prohibit").ip_proto = ip_proto::tcp;
  h.local_table();
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", tcp("10.0.0.5", "10.0.0.1", 4000, 80)).kind, Kind::delivered);
}

TEST(LookUp, TypesOfIpv6AddressesComeFromAllRules) {
  TestHost h = host_with_two_legs();
  h.nft(
      "table ip6 t {\n\tchain c {\n\t\ttype filter hook prerouting priority filter; policy accept;\n\t\tfib saddr type prohibit "
      "drop\n"
      "\t\tudp dport 53 fib daddr type local drop\n\t\tudp dport 54 fib daddr type unicast drop\n"
      "\t\tudp dport 55 fib daddr type unreachable drop\n\t}\n}\n");
  h.local_table();
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", udp("fd00::5", "fd00::1", 4000, 80)).kind, Kind::delivered);
  EXPECT_EQ(lab.receive("in0", udp("fd00::5", "fd00::1", 4000, 53)).kind, Kind::dropped);
  EXPECT_EQ(lab.receive("in0", udp("fd00::5", "fd00:1::9", 4000, 54)).kind, Kind::dropped);
  EXPECT_EQ(lab.receive("in0", udp("fd00::5", "2001:db8::1", 4000, 54)).kind, Kind::rejected);
  EXPECT_EQ(lab.receive("in0", udp("fd00::5", "2001:db8::1", 4000, 55)).kind, Kind::dropped);
  add_v6_rule(h, "100: from all prohibit").ip_proto = ip_proto::tcp;
  EXPECT_EQ(lab.receive("in0", udp("fd00::5", "fd00::1", 4000, 81)).kind, Kind::delivered);
  EXPECT_EQ(lab.receive("in0", tcp("fd00::5", "fd00::1", 4000, 81)).kind, Kind::dropped);
  host::PolicyRule& pair = h.host().rules_v6.value.back();
  pair.ip_proto.reset();
  pair.has_from = pair.has_to = true;
  pair.from_prefix = *Prefix::parse("fd00::1/128");
  pair.to_prefix = *Prefix::parse("fd00::5/128");
  EXPECT_EQ(lab.receive("in0", udp("fd00::5", "fd00::1", 4000, 82)).kind, Kind::dropped);
}

TEST(LookUp, LoopbackAddressOfIpv6LeavesAndIsNotTaken) {
  TestHost h = host_with_two_legs();
  h.local_table();
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", udp("::1", "fd00::1", 4000, 80)).kind, Kind::dropped);
  EXPECT_EQ(lab.receive("in0", udp("fd00::5", "::1", 4000, 80)).kind, Kind::dropped);
  const auto sent = lab.send(udp("::1", "fd00::5", 4000, 80));
  EXPECT_EQ(sent.kind, Kind::transmit);
  EXPECT_EQ(src_ip(sent.packet), ip("::1"));
}

TEST(LookUp, WayBackOfABroadcastIsAskedAsFromNobody) {
  TestHost h = host_with_two_legs();
  add_rule(h, "100: from 10.0.0.0/8 prohibit");
  h.host().rules_v4.value.back().iif = "lo";
  h.routes("broadcast 10.0.0.255 dev in0 table local").sysctl("net.ipv4.conf.in0.rp_filter", "2").local_table();
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", udp("10.0.0.5", "10.0.0.255", 4000, 80)).kind, Kind::delivered);
  EXPECT_EQ(lab.receive("in0", udp("10.0.0.5", "10.0.0.1", 4000, 80)).kind, Kind::dropped);
}

TEST(LookUp, ErrorGoesToTheSourceThatARuleWrote) {
  TestHost h = host_with_two_legs();
  h.nft(
      "table ip t {\n\tchain c {\n\t\ttype filter hook prerouting priority filter; policy accept;\n\t\tip saddr set "
      "10.0.0.6\n\t}\n}\n");
  h.routes("unreachable 77.0.0.0/8").local_table();
  Lab lab(h);
  const auto refused = lab.receive("in0", udp("10.0.0.5", "77.7.7.7", 4000, 80));
  ASSERT_TRUE(refused.answer) << lab.assumptions();
  EXPECT_EQ(dst_ip(refused.answer->packet), ip("10.0.0.6"));
}

TEST(LookUp, BridgeSendsOnWhatIsTranslatedToSomebodyBehindIt) {
  TestHost h;
  h.link("br0", "02:00:00:00:00:01", "10.0.0.1/24").link("port0", "02:00:00:00:00:07", "");
  h.at("br0").kind = "bridge";
  h.at("port0").master = "br0";
  h.iptables("*nat\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -d 10.0.0.1/32 -j DNAT --to-destination 10.0.0.6\nCOMMIT\n");
  h.neighbour("10.0.0.6", "br0", "52:54:00:00:00:06").local_table();
  Lab off(h);
  EXPECT_EQ(off.receive("br0", udp("10.0.0.5", "10.0.0.1", 4000, 80)).kind, Kind::transmit);
  h.sysctl("net.bridge.bridge-nf-call-iptables", "1");
  Lab lab(h);
  EXPECT_EQ(lab.receive("br0", udp("10.0.0.5", "10.0.0.1", 4000, 80)).kind, Kind::dropped);
  h.link("port1", "02:00:00:00:00:08", "");
  h.at("port1").master = "br0";
  Lab two(h);
  EXPECT_EQ(two.receive("br0", udp("10.0.0.5", "10.0.0.1", 4000, 80)).kind, Kind::inconclusive);
}

TEST(LookUp, BridgeShowsWhatItsPortHasTranslated) {
  TestHost h;
  h.link("br0", "02:00:00:00:00:01", "10.0.0.1/24");
  h.at("br0").kind = "bridge";
  h.iptables(
      "*nat\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -d 10.7.0.1/32 -j DNAT --to-destination 10.0.0.1\nCOMMIT\n"
      "*mangle\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -d 10.7.0.2/32 -j DROP\nCOMMIT\n");
  h.local_table();
  Lab off(h);
  EXPECT_FALSE(off.receive("br0", udp("10.0.0.5", "10.7.0.1", 4000, 80)).passed_port);
  h.sysctl("net.bridge.bridge-nf-call-iptables", "1");
  Lab lab(h);
  const HostOutcome o = lab.receive("br0", udp("10.0.0.5", "10.7.0.1", 4000, 80));
  ASSERT_TRUE(o.passed_port && o.on_bridge);
  EXPECT_EQ(dst_ip(o.on_bridge->first), ip("10.0.0.1"));
  const HostOutcome lost = lab.receive("br0", udp("10.0.0.5", "10.7.0.2", 4000, 80));
  EXPECT_TRUE(lost.passed_port && !lost.on_bridge);
}

// nf_send_reset(), as seen with Linux 6.18: the port gets the frame that came, turned around.
TEST(LookUp, ResetGoesBackThroughABridgeThatAsksIptables) {
  TestHost h;
  h.link("br0", "02:00:00:00:00:01", "10.0.0.1/24");
  h.at("br0").kind = "bridge";
  h.iptables(
      "*nat\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -d 10.7.0.1/32 -j DNAT --to-destination 10.0.0.1\nCOMMIT\n"
      "*filter\n:INPUT ACCEPT [0:0]\n:OUTPUT DROP [0:0]\n-A INPUT -p tcp -j REJECT --reject-with tcp-reset\nCOMMIT\n");
  h.neighbour("10.0.0.5", "br0", "52:54:00:00:00:05").sysctl("net.bridge.bridge-nf-call-iptables", "1").local_table();
  FlowKey syn = tcp("10.0.0.5", "10.7.0.1", 4000, 80);
  syn.set(FieldId::eth_src, mac("52:54:00:00:00:66").value);
  syn.set(FieldId::eth_dst, mac("02:00:00:00:00:01").value);
  Lab lab(h);
  const HostOutcome refused = lab.receive("br0", syn);
  ASSERT_TRUE(refused.answer);
  engine::HostEngine engine(h.node, lab.network_state, lab.record, lab.chooser, lab.neighbours);
  const HostOutcome reset = engine.send(*refused.answer);
  ASSERT_EQ(reset.kind, Kind::transmit);  // past OUTPUT
  EXPECT_EQ(reset.device, "br0");
  EXPECT_EQ(src_ip(reset.packet), ip("10.0.0.1"));  // not translated back
  EXPECT_EQ(dst_mac(reset.packet), mac("52:54:00:00:00:66"));
  EXPECT_EQ(src_mac(reset.packet), mac("02:00:00:00:00:01"));
}

TEST(LookUp, FirstCtTargetCounts) {
  TestHost h = host_with_two_legs();
  h.iptables(
      "*raw\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -j CT --ctevents new\n-A OUTPUT -j CT --zone 5\nCOMMIT\n"
      "*nat\n:POSTROUTING ACCEPT [0:0]\n-A POSTROUTING -j SNAT --to-source 10.77.0.1\nCOMMIT\n");
  h.local_table();
  Lab lab(h);
  const auto sent = lab.send(udp("10.1.0.1", "9.9.9.9", 4000, 53));
  EXPECT_EQ(src_ip(sent.packet), ip("10.77.0.1"));
  EXPECT_EQ(dst_ip(lab.receive("out0", answer_to(sent.packet)).packet), ip("10.1.0.1"));
}

TEST(LookUp, SecurityTableOfIptablesNftComesAfterNat) {
  const std::string rules =
      "*security\n:INPUT ACCEPT [0:0]\n-A INPUT ! -s 10.77.0.1/32 -j DROP\nCOMMIT\n"
      "*nat\n:INPUT ACCEPT [0:0]\n-A INPUT -j SNAT --to-source 10.77.0.1\nCOMMIT\n";
  TestHost legacy = host_with_two_legs();
  legacy.iptables(rules).local_table();
  Lab before(legacy);
  EXPECT_EQ(before.receive("in0", udp("10.0.0.5", "10.0.0.1", 4000, 80)).kind, Kind::dropped);
  TestHost h = host_with_two_legs();
  h.iptables(rules).nft(
      "table ip security {\n\tchain INPUT {\n\t\ttype filter hook input priority 150; policy accept;\n"
      "\t\tip saddr != 10.77.0.1 counter packets 0 bytes 0 drop\n\t}\n}\n"
      "table ip nat {\n\tchain INPUT {\n\t\ttype nat hook input priority 100; policy accept;\n"
      "\t\tcounter packets 0 bytes 0 snat to 10.77.0.1\n\t}\n}\n");
  h.local_table();
  Lab after(h);
  EXPECT_EQ(after.receive("in0", udp("10.0.0.5", "10.0.0.1", 4000, 80)).kind, Kind::delivered);
}

TEST(LookUp, RandomDestinationsChangeIdentifiersOfEchoes) {
  TestHost h = host_with_two_legs();
  h.iptables("*nat\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -i in0 -j DNAT --to-destination 10.1.0.9 --random\nCOMMIT\n")
      .local_table();
  Lab lab(h);
  lab.receive("in0", tcp("10.0.0.5", "9.9.9.9", 4000, 80));
  EXPECT_TRUE(lab.proven()) << lab.assumptions();
  lab.receive("in0", ping("10.0.0.5", "9.9.9.9", 7));
  EXPECT_FALSE(lab.proven());
}

TEST(LookUp, IntervalsOfMarksAndNamesOfGroupsAreNumbers) {
  TestHost h = host_with_two_legs();
  h.nft(
      "table ip t {\n\tchain c {\n\t\ttype filter hook prerouting priority filter; policy accept;\n"
      "\t\tudp dport 53 meta mark set 0x00000003\n\t\tudp dport 54 meta mark set 0x00000004\n"
      "\t\tmeta mark vmap { 0x00000002/31 : drop }\n\t\tudp dport 55 iifgroup \"default\" drop\n\t}\n}\n");
  h.at("in0").group = "default";
  h.local_table();
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", udp("10.0.0.5", "10.0.0.1", 4000, 53)).kind, Kind::dropped);
  EXPECT_EQ(lab.receive("in0", udp("10.0.0.5", "10.0.0.1", 4000, 54)).kind, Kind::delivered);
  EXPECT_EQ(lab.receive("in0", udp("10.0.0.5", "10.0.0.1", 4000, 55)).kind, Kind::dropped);
  EXPECT_TRUE(lab.chooser.points.empty());
}

TEST(LookUp, SocketMayBeFoundForAPacketThatPasses) {
  TestHost h = host_with_two_legs();
  h.nft(
      "table ip t {\n\tchain c {\n\t\ttype filter hook prerouting priority filter; policy accept;\n\t\tsocket transparent 0 "
      "drop\n\t}\n}\n");
  h.local_table();
  Lab lab(h);
  lab.receive("in0", tcp("10.0.0.5", "9.9.9.9", 4000, 80));
  EXPECT_EQ(lab.chooser.points.size(), 1u);
}

TEST(LookUp, TranslatedPacketOfLoopbackNeedsRouteLocalnetToLeave) {
  TestHost h = host_with_two_legs();
  h.link("lo", "00:00:00:00:00:00", "127.0.0.1/8");
  h.iptables("*nat\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -d 127.0.0.1/32 -j DNAT --to-destination 10.0.0.5\nCOMMIT\n").local_table();
  h.sysctl("net.ipv4.conf.all.route_localnet", "0").sysctl("net.ipv4.conf.in0.route_localnet", "0");
  Lab lab(h);
  EXPECT_EQ(lab.send(udp("127.0.0.1", "127.0.0.1", 4000, 80)).reject_with, "EINVAL");
  h.host().sysctl.value["net.ipv4.conf.in0.route_localnet"].value = "1";
  Lab allowed(h);
  EXPECT_EQ(allowed.send(udp("127.0.0.1", "127.0.0.1", 4000, 80)).kind, Kind::transmit);
}

TEST(LookUp, ErrorForSomebodyElseThanTheQuotedSenderIsInvalid) {
  TestHost h = host_with_two_legs();
  h.iptables(
       "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -m conntrack --ctstate RELATED -j ACCEPT\n-A INPUT -p icmp -j DROP\nCOMMIT\n")
      .local_table();
  Lab lab(h);
  const FlowKey sent = lab.send(udp("10.1.0.1", "9.9.9.9", 4000, 53)).packet;
  const auto arrives = [&](const char* to) {
    FlowKey error = ping("10.1.0.9", to, 0);
    error.set(FieldId::icmp_type, 3);
    return engine::HostEngine(h.node, lab.network_state, lab.record, lab.chooser, lab.neighbours, {60, tuple_of(sent)})
        .receive("out0", error)
        .kind;
  };
  EXPECT_EQ(arrives("10.1.0.1"), Kind::delivered);
  EXPECT_EQ(arrives("10.0.0.1"), Kind::dropped);
}

TEST(LookUp, TypeOfAPacketIsThatOfItsFrame) {
  TestHost h = host_with_two_legs();
  h.iptables("*raw\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -m pkttype --pkt-type unicast -j DROP\nCOMMIT\n").local_table();
  Lab lab(h);
  FlowKey packet = udp("10.0.0.5", "10.1.0.255", 4000, 80);
  EXPECT_EQ(lab.receive("in0", packet).kind, Kind::dropped);
  packet.set(FieldId::eth_dst, 0xffffffffffff);
  const auto passed = lab.receive("in0", packet);
  EXPECT_TRUE(!passed.stop || explain::phrase(passed.stop->where) != "iptables raw PREROUTING");
}

// drivers/net/vrf.c; the kernel at hand has none to ask.
TEST(LookUp, PacketsOfAVrfHaveComeByIt) {
  TestHost h = host_with_two_legs();
  h.link("blue", "02:00:00:00:00:77", "");
  h.at("blue").kind = "vrf";
  h.at("blue").vrf_table = 1010;
  h.at("in0").master = h.at("out0").master = "blue";
  h.host().routes_v4.value.clear();
  h.routes("default via 10.1.0.9 dev out0 table 1010\n10.0.0.0/24 dev in0 table 1010\nlocal 10.0.0.1 dev in0 table 1010");
  add_rule(h, "1000: from all lookup main").l3mdev = true;
  h.sysctl("net.ipv4.conf.blue.rp_filter", "1")
      .sysctl("net.ipv4.conf.all.rp_filter", "0")
      .sysctl("net.ipv4.conf.blue.forwarding", "1");
  h.sysctl("net.ipv4.conf.in0.forwarding", "0");
  h.iptables(
      "*raw\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -i in0 -p udp --dport 53 -j DROP\n-A PREROUTING -i blue -p udp --dport 54 "
      "-j DROP\nCOMMIT\n"
      "*filter\n:FORWARD ACCEPT [0:0]\n-A FORWARD -i in0 -j DROP\n-A FORWARD -i blue -o out0 -p udp --dport 56 -j "
      "DROP\nCOMMIT\n");
  Lab lab(h);
  const auto kind = [&](std::uint16_t port) { return lab.receive("in0", udp("10.0.0.5", "9.9.9.9", 4000, port)).kind; };
  EXPECT_EQ(kind(53), Kind::dropped);
  EXPECT_EQ(kind(54), Kind::dropped);
  EXPECT_EQ(kind(55), Kind::transmit) << lab.assumptions();
  EXPECT_EQ(kind(56), Kind::dropped);
  EXPECT_EQ(lab.receive("in0", udp("10.0.0.5", "10.0.0.1", 4000, 80)).kind, Kind::delivered);
  EXPECT_EQ(lab.send(udp("10.1.0.1", "9.9.9.9", 4000, 80), false, "blue").device, "out0");
}

// --- rules and routes that nearly decided ----------------------------------------------------------------------------
std::vector<engine::RouteMiss> misses_of(const TestHost& h, const FlowKey& packet) {
  const engine::RouteQuery query = engine::query_for(packet, "in0");
  return engine::near_misses(h.node.host, query, engine::find_route(h.node.host, query));
}

TEST(NearMisses, RuleThatLacksOneSelector) {
  using Why = engine::RouteMiss::Why;
  TestHost h = host_with_two_legs();
  h.rules(
      "100: from 10.0.0.0/24 lookup 7\n110: from 10.0.0.5 lookup 8\n120: from 10.9.9.9 lookup 9\n130: from 10.0.0.5 lookup 10");
  auto& rules = h.host().rules_v4.value;
  rules[rules.size() - 4].fwmark = 5;            // 100: the mark is missing
  rules[rules.size() - 4].uid_range = {0, 100};  // which a packet that passes meets
  h.routes("default via 10.1.0.9 dev out0 table 10\nthrow 9.0.0.0/8 table 10").local_table();
  const auto misses = misses_of(h, udp("10.0.0.5", "9.9.9.9", 4000, 80));
  ASSERT_EQ(misses.size(), 3u);
  EXPECT_EQ(misses[0].rule->priority, 100u);
  EXPECT_EQ(misses[0].why, Why::selector);
  EXPECT_EQ(misses[0].selector, engine::Selector::mark);
  EXPECT_EQ(misses[1].rule->priority, 110u);
  EXPECT_EQ(misses[1].why, Why::no_route);
  EXPECT_EQ(misses[2].rule->priority, 130u);
  EXPECT_EQ(misses[2].why, Why::thrown);
}

TEST(NearMisses, RulesFromTheFirstPriorityOnButNoneThatIsJumpedOver) {
  TestHost h = host_with_two_legs();
  h.rules("0: from 10.0.0.5 lookup 8");
  host::PolicyRule& jump = add_rule(h, "50: from all");
  jump.action = host::RuleAction::goto_;
  jump.goto_priority = 120;
  h.rules("60: from 10.0.0.5 lookup 9\n120: from 10.0.0.5 lookup 11").local_table();
  const auto misses = misses_of(h, udp("10.0.0.5", "9.9.9.9", 4000, 80));
  std::vector<std::uint32_t> priorities;
  for (const engine::RouteMiss& m : misses) priorities.push_back(m.rule->priority);
  EXPECT_EQ(priorities, (std::vector<std::uint32_t>{0, 120}));
}

// --- routes for certain sources (fib6_node_lookup_1(), fib6_backtrack()) -------------------------------------------

std::string by(TestHost& h, const std::string& to, const std::string& from, const std::string& device = "") {
  engine::RouteQuery q;
  q.to = ip(to);
  if (!from.empty()) q.from = ip(from);
  q.out_device = device;
  const engine::RouteAnswer answer = engine::find_route(h.host(), q);
  if (!answer.assumptions.empty()) return "assumed";
  if (answer.hops.empty()) return "none";
  return answer.hops.front().get().via->to_string();
}

TEST(LookUp, RoutesForASourceHideTheOthersToTheirPrefixFromOtherSources) {
  TestHost h = host_with_two_legs();
  h.routes(
       "fd00:9::/64 from fd00:5::/64 via fd00::5 dev in0\nfd00:9::/64 from fd00:5::/48 via fd00::6 dev in0\n"
       "fd00:9::/64 via fd00:1::5 dev out0\nfd00::/16 via fd00:1::9 dev out0")
      .local_table();
  EXPECT_EQ(by(h, "fd00:9::1", "fd00:5::1"), "fd00::5");
  EXPECT_EQ(by(h, "fd00:9::1", "fd00:5:0:7::1"), "fd00::6");
  EXPECT_EQ(by(h, "fd00:9::1", "fd00:7::1"), "fd00:1::9");
  EXPECT_EQ(by(h, "fd00:9::1", ""), "fd00:1::9");
}

TEST(LookUp, TheDefaultRouteForASourceHidesNoOther) {
  TestHost h = host_with_two_legs();
  h.routes("default from fd00:5::/64 via fd00::5 dev in0\ndefault via fd00:1::9 dev out0").local_table();
  EXPECT_EQ(by(h, "fd00:9::1", "fd00:5::1"), "fd00::5");
  EXPECT_EQ(by(h, "fd00:9::1", "fd00:7::1"), "fd00:1::9");
}

TEST(LookUp, RoutesBesideOnesForASourceCountOnceALongerPrefixWasRejected) {
  TestHost h = host_with_two_legs();
  h.routes(
       "fd00:8::/46 via fd00::6 dev in0\nfd00:8::/32 from fd00::/64 via fd00:1::4 dev out0 metric 100\n"
       "fd00:8::/32 via fd00:1::5 dev out0 metric 110")
      .local_table();
  EXPECT_EQ(by(h, "fd00:8::2", "fd00:7::1"), "fd00::6");
  EXPECT_EQ(by(h, "fd00:8::2", "fd00:7::1", "out0"), "fd00:1::5");
  EXPECT_EQ(by(h, "fd00:8::2", "fd00::1", "out0"), "fd00:1::4");
}

// --- equal IPv6 routes (find_rr_leaf(), fib6_select_path(), ip6_route_input_lookup()) -----------------------------------

std::string devices_of(TestHost& h, const std::string& to, const std::string& in_device, const std::string& out_device = "") {
  engine::RouteQuery q;
  q.to = ip(to);
  q.from = ip("fd00:9::9");
  q.in_device = in_device;
  q.out_device = out_device;
  const engine::RouteAnswer answer = engine::find_route(h.host(), q);
  std::string devices;
  for (const engine::RouteHop& hop : answer.hops) devices += hop.get().device + " ";
  return devices + (answer.assumptions.empty() ? "" : "assumed");
}

TEST(LookUp, EqualRoutesOfIpv6ShareTheLoadWhereTheyHaveGateways) {
  TestHost h = host_with_two_legs();
  h.routes(
       "fd00:8::/64 via fd00::7 dev in0 metric 300\nfd00:8::/64 via fd00:1::7 dev out0 metric 300\n"
       "fd00:8::/64 via fd00:1::8 dev out0 metric 301")
      .local_table();
  EXPECT_EQ(devices_of(h, "fd00:8::1", "lo"), "in0 out0 ");
  EXPECT_EQ(devices_of(h, "fd00:8::1", "out0"), "in0 out0 ");
}

TEST(LookUp, OfEqualRoutesOfIpv6WithoutGatewaysTheOneBackComesFirst) {
  TestHost h = host_with_two_legs();
  h.link("in1", "02:00:00:00:00:03", "fd00:2::1/64");
  h.routes("fd00:8::/64 dev in0 metric 300\nfd00:8::/64 dev in1 metric 300\nfd00:8::/64 dev out0 metric 300").local_table();
  EXPECT_EQ(devices_of(h, "fd00:8::1", "in0"), "in0 ");
  EXPECT_EQ(devices_of(h, "fd00:8::1", "out0"), "out0 ");
  EXPECT_EQ(devices_of(h, "fd00:8::1", "lo"), "in0 assumed");
}

TEST(LookUp, LinkLocalDestinationsAreBehindTheDeviceThatAPacketCameBy) {
  TestHost h = host_with_two_legs();
  h.routes(
       "fe80::/64 dev in0 metric 256\nfe80::/64 dev out0 metric 256\nff00::/8 dev in0 metric 256\nff00::/8 dev out0 metric 256")
      .local_table();
  EXPECT_EQ(devices_of(h, "fe80::9", "out0"), "out0 ");
  EXPECT_EQ(devices_of(h, "fe80::9", "lo", "out0"), "out0 ");
  TestHost other = host_with_two_legs();
  other.routes("fe80::/64 dev in0 metric 256").local_table();
  EXPECT_EQ(devices_of(other, "fe80::9", "in0"), "in0 ");
  EXPECT_EQ(devices_of(other, "fe80::9", "out0"), "");
}

// RT6_LOOKUP_F_REACHABLE; a router takes the route all the same.
TEST(LookUp, HostsThatDoNotForwardPassOverGatewaysThatFailed) {
  TestHost h = host_with_two_legs();
  h.routes("fd00:9::/64 via fd00::7 dev in0\ndefault via fd00:1::9 dev out0")
      .neighbour("fd00::7", "in0", "", host::NeighbourState::failed)
      .local_table();
  EXPECT_EQ(by(h, "fd00:9::1", ""), "fd00::7");
  h.sysctl("net.ipv6.conf.all.forwarding", "0");
  EXPECT_EQ(by(h, "fd00:9::1", ""), "assumed");
  Lab lab(h);
  EXPECT_EQ(lab.send(udp("fd00:1::1", "fd00:9::1", 4000, 80)).device, "out0");
  h.neighbour("fd00:1::9", "out0", "", host::NeighbourState::failed);
  EXPECT_EQ(by(h, "fd00:9::1", ""), "fd00::7");
}

TEST(NearMisses, RoutesForOtherSourcesAreNone) {
  TestHost h = host_with_two_legs();
  h.routes(
       "fd00:9::/64 from fd00:5::/64 via fd00::5 dev in0\nfd00:9::/64 via fd00:1::5 dev out0\nfd00::/16 via fd00:1::9 dev out0")
      .local_table();
  EXPECT_EQ(misses_of(h, udp("fd00:5::1", "fd00:9::1", 4000, 80)).size(), 2u);
  EXPECT_TRUE(misses_of(h, udp("fd00:7::1", "fd00:9::1", 4000, 80)).empty());
}

TEST(NearMisses, RouteOfTheSameTableThatIsShorterOrLater) {
  using Why = engine::RouteMiss::Why;
  TestHost h = host_with_two_legs();
  h.routes("9.0.0.0/8 via 10.0.0.6 dev in0\n9.9.0.0/16 via 10.1.0.9 dev out0\n9.9.0.0/16 via 10.0.0.6 dev in0 metric 50")
      .local_table();
  const auto misses = misses_of(h, udp("10.0.0.5", "9.9.9.9", 4000, 80));
  ASSERT_EQ(misses.size(), 2u);
  EXPECT_EQ(misses[0].why, Why::shorter);
  EXPECT_EQ(misses[1].why, Why::later);
  EXPECT_EQ(misses[1].winner->metric, 0u);
}

}  // namespace
}  // namespace egt::test
