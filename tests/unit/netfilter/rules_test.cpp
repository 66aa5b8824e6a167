// Tests, sets, maps, marks and verdicts against one packet.
#include "egtrace/explain/phrases.h"
#include "netfilter_support.h"

namespace egt::engine {
namespace {

bool dropped(std::string_view rules, std::string_view extra = "") {
  Scene s(in_forward(rules, extra));
  return s.pass(Hook::forward).outcome == Outcome::dropped;
}

TEST(NetfilterRules, HeaderTests) {
  EXPECT_TRUE(dropped("ip saddr 10.0.0.5 drop"));
  EXPECT_TRUE(dropped("ip saddr 10.0.0.0/24 tcp dport 80-90 drop"));
  EXPECT_TRUE(dropped("ip daddr != { 10.0.0.1, 10.0.0.2 } drop"));
  EXPECT_FALSE(dropped("udp dport 80 drop"));
  EXPECT_FALSE(dropped("udp dport != 81 drop"));  // no UDP at all
  EXPECT_FALSE(dropped("ip6 saddr != ::1 drop"));
  EXPECT_TRUE(dropped("tcp flags syn / fin,syn,rst,ack drop"));
  EXPECT_FALSE(dropped("tcp flags ! syn drop"));
  EXPECT_TRUE(dropped("ip ttl > 63 drop"));
  EXPECT_FALSE(dropped("ip ttl < 64 drop"));
}

// What stands where ports would: of ICMP type and code, then the checksum.
TEST(NetfilterRules, PortsOfAnyProtocol) {
  const auto ping = [](std::string_view rule) {
    Scene s(in_forward(rule));
    s.packet.set(FieldId::nw_proto, ip_proto::icmp);
    s.packet.set(FieldId::icmp_type, 8);
    s.packet.set(FieldId::icmp_code, 0);
    return s;
  };
  EXPECT_EQ(ping("th sport 2048 drop").pass(Hook::forward).outcome, Outcome::dropped);
  EXPECT_EQ(ping("th sport & 1 == 0 drop").pass(Hook::forward).outcome, Outcome::dropped);
  EXPECT_EQ(ping("th sport 80 drop").pass(Hook::forward).outcome, Outcome::accepted);
  EXPECT_EQ(ping("tcp sport != 80 drop").pass(Hook::forward).outcome, Outcome::accepted);
  EXPECT_EQ(ping("meta l4proto . th dport { udp . 80 } drop").pass(Hook::forward).outcome, Outcome::accepted);
  Scene checksum = ping("th dport != 80 drop");
  checksum.pass(Hook::forward);
  EXPECT_EQ(checksum.chooser.asked.size(), 1u);
}

TEST(NetfilterRules, DevicesStatesAndRouting) {
  EXPECT_TRUE(dropped("iifname \"eth*\" drop"));
  EXPECT_FALSE(dropped("iifname \"eth1\" drop"));
  EXPECT_TRUE(dropped("oifname != \"eth1\" drop"));
  EXPECT_TRUE(dropped("ct state new,invalid drop"));
  EXPECT_TRUE(dropped("ct state vmap { established : accept, new : drop }"));
  EXPECT_FALSE(dropped("ct status dnat drop"));
  EXPECT_TRUE(dropped("fib saddr type != local drop"));
  EXPECT_FALSE(dropped("fib daddr type local drop"));
}

TEST(NetfilterRules, SetsAndConcatenations) {
  EXPECT_TRUE(dropped("ip daddr . tcp dport { 10.0.0.9 . 80, 10.0.0.8 . 81 } drop"));
  EXPECT_TRUE(dropped("ip saddr . ip daddr vmap { 10.0.0.0/29 . 10.0.0.8-10.0.0.9 : drop }"));
  EXPECT_TRUE(dropped("ip saddr @s drop", "\tset s {\n\t\ttype ipv4_addr\n\t\telements = { 10.0.0.5 }\n\t}\n"));
  EXPECT_FALSE(dropped("meta l4proto . th dport @s drop",
                       "\tset s {\n\t\ttype inet_proto . inet_service\n\t\telements = { udp . 80 }\n\t}\n"));
  EXPECT_TRUE(dropped("ip saddr vmap { 10.0.0.6 : accept, * : drop }"));
  EXPECT_TRUE(dropped("ip saddr . ip daddr vmap { 10.0.0.6 . 10.0.0.9 : accept, * : drop }"));
}

TEST(NetfilterRules, MarksAndArithmetic) {
  Scene s(
      in_forward("meta mark set 0x000000f0\n"
                 "meta mark & 0x000000ff == 0x000000f0 meta mark set meta mark | 0x00000003\n"
                 "ct mark set meta mark << 8\n"
                 "meta mark set ip saddr map { 10.0.0.5 : 0x00000007 }"));
  EXPECT_TRUE(s.pass(Hook::forward).goes_on());
  EXPECT_EQ(s.connection.mark, 0xf300U);
  EXPECT_EQ(s.mark(), 7U);
  const auto marks = std::count_if(s.record.steps.begin(), s.record.steps.end(),
                                   [](const Step& step) { return std::holds_alternative<MarkSet>(step.kind); });
  EXPECT_EQ(marks, 3);
}

TEST(NetfilterRules, JumpGotoAndReturn) {
  const std::string_view sub =
      "\tchain sub {\n\t\ttcp dport 80 return\n\t\tdrop\n\t}\n"
      "\tchain away {\n\t\tip saddr 10.9.9.9 accept\n\t}\n";
  EXPECT_TRUE(dropped("jump sub\nip saddr 10.0.0.5 drop", sub));
  EXPECT_FALSE(dropped("goto away\ndrop", sub));  // back to the policy, not to this rule
  EXPECT_FALSE(dropped("jump nowhere", sub));
  Scene lost(in_forward("jump nowhere"));
  EXPECT_EQ(lost.pass(Hook::forward).outcome, Outcome::inconclusive);
  Scene loop(in_forward("jump a", "\tchain a {\n\t\tjump b\n\t}\n\tchain b {\n\t\tjump a\n\t}\n"));
  EXPECT_EQ(loop.pass(Hook::forward).outcome, Outcome::inconclusive);
  Scene spin(in_forward("goto a", "\tchain a {\n\t\tgoto a\n\t}\n"));
  EXPECT_EQ(spin.pass(Hook::forward).outcome, Outcome::inconclusive);
}

TEST(NetfilterRules, AcceptEndsOneChainAndDropAll) {
  const std::string rules =
      "table inet a {\n\tchain c {\n\t\ttype filter hook forward priority filter - 5; policy accept;\n\t\taccept\n\t}\n}\n"
      "table inet b {\n\tchain c {\n\t\ttype filter hook forward priority filter + 5; policy drop;\n\t}\n}\n";
  Scene s(rules);
  const HookResult r = s.pass(Hook::forward);
  EXPECT_EQ(r.outcome, Outcome::dropped);
  EXPECT_EQ(explain::phrase(r.where), "nft b c");
  EXPECT_EQ(r.evidence.at(0).line, 9U);
}

TEST(NetfilterRules, RejectNamesItsAnswer) {
  Scene s(in_forward("ip saddr 10.0.0.5 reject with icmpx admin-prohibited"));
  const HookResult r = s.pass(Hook::forward);
  EXPECT_EQ(r.outcome, Outcome::rejected);
  EXPECT_EQ(r.reject_with, "icmpx-admin-prohibited");
}

TEST(NetfilterRules, WhatDumpsDoNotTellIsAsked) {
  Scene yes(in_forward("limit rate 10/second drop"));
  EXPECT_EQ(yes.pass(Hook::forward).outcome, Outcome::dropped);
  ASSERT_EQ(yes.chooser.asked.size(), 1U);
  EXPECT_EQ(yes.chooser.asked[0].kind, ChoicePoint::Kind::unknown);
  EXPECT_EQ(yes.chooser.asked[0].evidence.at(0).line, 4U);
  Scene no(in_forward("limit rate 10/second drop"));
  no.chooser.answers = {1};
  EXPECT_TRUE(no.pass(Hook::forward).goes_on());

  Scene opaque(in_forward("ip saddr 10.0.0.5 frobnicate it"));
  opaque.chooser.answers = {1};
  EXPECT_EQ(opaque.pass(Hook::forward).outcome, Outcome::inconclusive);
  Scene other(in_forward("ip saddr 10.0.0.6 frobnicate it"));
  EXPECT_TRUE(other.pass(Hook::forward).goes_on());
  EXPECT_TRUE(other.chooser.asked.empty());
}

TEST(NetfilterRules, GeneratorsSplitTheCourse) {
  const std::string_view chains = "\tchain x {\n\t\taccept\n\t}\n\tchain y {\n\t\tdrop\n\t}\n";
  Scene s(in_forward("numgen random mod 4 vmap { 0-2 : goto x, 3 : goto y }", chains));
  s.chooser.answers = {1};
  EXPECT_EQ(s.pass(Hook::forward).outcome, Outcome::dropped);
  ASSERT_EQ(s.chooser.asked.size(), 1U);
  EXPECT_EQ(s.chooser.asked[0].kind, ChoicePoint::Kind::split);
  EXPECT_DOUBLE_EQ(*s.chooser.asked[0].options.at(0).weight, 0.75);
}

TEST(NetfilterRules, GeneratorsAreDrawnBesideWhatIsKnown) {
  Scene s(in_forward("ip saddr . numgen random mod 2 vmap { 10.0.0.5 . 0 : drop, 10.0.0.6 . 1 : drop }"));
  s.chooser.answers = {0};
  EXPECT_EQ(s.pass(Hook::forward).outcome, Outcome::dropped);
  ASSERT_EQ(s.chooser.asked.size(), 1U);
  EXPECT_DOUBLE_EQ(*s.chooser.asked[0].options.at(0).weight, 0.5);
}

TEST(NetfilterRules, OwnersOnlyWhereThereIsASocket) {
  Scene passing(in_forward("meta skuid != 0 drop"));
  EXPECT_TRUE(passing.pass(Hook::forward).goes_on());
  EXPECT_TRUE(passing.chooser.asked.empty());
  Scene local(in_chain("filter hook output priority filter; policy accept;", "meta skuid 0 drop"));
  local.local_socket = true;
  EXPECT_EQ(local.pass(Hook::output).outcome, Outcome::dropped);
  EXPECT_EQ(local.chooser.asked.size(), 1U);
}

}  // namespace
}  // namespace egt::engine
