#include "snapshot/segment.h"

#include <gtest/gtest.h>

namespace egt::parsers {
namespace {

TEST(ClassifyLine, TellsTheLinesOfARunbook) {
  EXPECT_EQ(LineKind::flow, classify_line("cookie=0x1, duration=1s, table=19, n_packets=0, priority=1,ip actions=drop"));
  EXPECT_EQ(LineKind::policy_rule, classify_line("30:     from all fwmark 0x1745ec lookup 7"));
  EXPECT_EQ(LineKind::route, classify_line("172.22.0.0/16 via 10.133.0.1 dev ovn-k8s-mp0"));
  EXPECT_EQ(LineKind::route, classify_line("local 10.0.0.1 dev lo table local"));
  EXPECT_EQ(LineKind::iptables, classify_line("-A CHAIN -s 10.0.0.1/32 -j SNAT --to-source 192.0.2.1"));
  EXPECT_EQ(LineKind::record, classify_line("_uuid               : d13fa80a-5e84-4eeb-bef7-d6d3cc51feb9"));
  EXPECT_EQ(LineKind::neighbour, classify_line("10.0.0.1 dev eth0 lladdr 02:00:00:00:00:01 STALE"));
  EXPECT_EQ(LineKind::link, classify_line("2: eth0: <BROADCAST,UP> mtu 1500 qdisc mq state UP"));
  EXPECT_EQ(LineKind::logical_flow, classify_line("  table=0 (ls_in_x), priority=100  , match=(1), action=(drop;)"));
  EXPECT_EQ(LineKind::sysctl, classify_line("net.ipv4.ip_forward = 1"));
  EXPECT_EQ(LineKind::none, classify_line("The route is missing, as the dump shows."));
  EXPECT_EQ(LineKind::none, classify_line("10.0.0.1"));
}

constexpr const char* kRunbook = R"(cookie=0x1, table=19, priority=103,ip actions=drop
cookie=0x2, table=25, priority=102,ip actions=resubmit(,26)
30:     from all fwmark 0x1745ec lookup 7
172.22.0.0/16 via 10.133.0.1 dev ovn-k8s-mp0
-A CHAIN -s 10.133.0.9/32 -o br-ex -j SNAT --to-source 192.168.66.100
_uuid               : d13fa80a-5e84-4eeb-bef7-d6d3cc51feb9
addresses           : ["10.132.0.13", "10.133.0.9"]
name                : a11563627067456827758
)";

TEST(SplitPasted, CutsWhereTheKindChanges) {
  const Segments segments = split_pasted(kRunbook);
  ASSERT_EQ(5U, segments.pieces.size());
  EXPECT_EQ(5U, segments.kinds);
  EXPECT_EQ(0U, segments.prompts);
  EXPECT_EQ(1U, segments.pieces[0].first_line);
  EXPECT_EQ(3U, segments.pieces[1].first_line);
  EXPECT_EQ("30:     from all fwmark 0x1745ec lookup 7\n", segments.pieces[1].text());
  EXPECT_EQ(6U, segments.pieces[4].first_line);
  EXPECT_TRUE(segments.pieces[4].text().ends_with("a11563627067456827758\n"));
}

TEST(SplitPasted, PromptsNameCommandAndHost) {
  const Segments segments = split_pasted(
      "[root@w1 ~]# ip rule\n0:\tfrom all lookup local\n\n[root@w2 ~]# ip route\ndefault via 10.0.0.1 dev eth0\n"
      "[root@w2 ~]# ls\nnotes.txt\n");
  ASSERT_EQ(2U, segments.pieces.size());
  EXPECT_EQ("ip rule", segments.pieces[0].command);
  EXPECT_EQ("w1", segments.pieces[0].host);
  EXPECT_EQ(2U, segments.pieces[0].first_line);
  EXPECT_EQ("0:\tfrom all lookup local\n", segments.pieces[0].text());
  EXPECT_EQ("w2", segments.pieces[1].host);
  EXPECT_EQ(5U, segments.pieces[1].first_line);
}

TEST(SplitPasted, TakesCommentSignsAndIndentationAway) {
  const Segments segments = split_pasted(
      "Look at the routes:\n\n    # default via 10.0.0.1 dev eth0\n\n    # 10.0.0.0/24 dev eth0 scope link\n\nThat is all.\n");
  ASSERT_EQ(1U, segments.pieces.size());
  EXPECT_EQ("default via 10.0.0.1 dev eth0\n\n10.0.0.0/24 dev eth0 scope link\n", segments.pieces[0].text());
  EXPECT_EQ(3U, segments.pieces[0].first_line);
}

TEST(SplitPasted, KeepsBlocksTogether) {
  const Segments segments = split_pasted(
      "table inet x {\n\tchain y {\n\t\ttype nat hook postrouting priority srcnat; policy accept;\n\t}\n}\n"
      "2: eth0: <UP> mtu 1500\n    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n    inet 10.0.0.1/24 scope global eth0\n");
  ASSERT_EQ(2U, segments.pieces.size());
  EXPECT_EQ(LineKind::nft, segments.pieces[0].kind);
  EXPECT_EQ(6U, segments.pieces[1].first_line);
}

TEST(SplitPasted, ProseGivesNothing) {
  const Segments segments = split_pasted("Nothing here.\n\nAt 12:00: it was fine. 10.0.0.1 answered.\n");
  EXPECT_TRUE(segments.pieces.empty());
  EXPECT_TRUE(split_pasted("").pieces.empty());
}

}  // namespace
}  // namespace egt::parsers
