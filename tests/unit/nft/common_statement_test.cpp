// The quick way of reading common statements must give the grammar's tree, or leave them to the grammar.
#include <gtest/gtest.h>

#include "nft/grammar.h"
#include "nft/print.h"

namespace egt::parsers::nft {
namespace {

struct Read {
  bool understood = false;
  std::size_t kind = 0, left = 0;
  std::string text;
};

Read with(bool (*parse)(Position&, Position, Statement&), std::string_view text) {
  Statement s;
  Position at = text.data();
  const Position last = at + text.size();
  Read r;
  r.understood = parse(at, last, s);
  if (!r.understood) return r;
  r.kind = s.node.index();
  r.left = static_cast<std::size_t>(last - at);
  print(s, r.text);
  return r;
}

TEST(NftCommonStatement, SameAsTheGrammar) {
  for (const std::string_view text : {"accept",
                                      "drop",
                                      "return",
                                      "jump c",
                                      "goto a-b.c",
                                      "counter",
                                      "counter packets 3 bytes 180 accept",
                                      "ip saddr 10.0.0.1",
                                      "ip saddr != 10.0.0.0/8 counter",
                                      "ip6 daddr fd00::/64 drop",
                                      "ip daddr 10.0.0.1-10.0.0.9 accept",
                                      "tcp dport 80 accept",
                                      "tcp dport { 80, 443 } accept",
                                      "udp dport 1000-2000",
                                      "th dport @ports",
                                      "ip saddr . tcp dport { 10.0.0.1 . 80, 10.0.0.2 . 443-445 } accept",
                                      "meta mark 0x00000001",
                                      "meta mark set 0x00000001 accept",
                                      "ct state established,related accept",
                                      "ct state vmap { established : accept, invalid : drop }",
                                      "ct state { new, untracked } counter packets 1 bytes 2",
                                      "iifname \"eth0\" accept",
                                      "oifname != \"br*\"",
                                      "iif \"lo\" accept",
                                      "meta l4proto . th dport vmap { tcp . 80 : goto x, udp . 53 : accept }",
                                      "meta mark < 0x3",
                                      "ip dscp cs0",
                                      "ether saddr 02:00:00:00:00:01"}) {
    const Read quick = with(parse_common_statement, text), slow = with(parse_statement, text);
    ASSERT_TRUE(quick.understood) << text;
    EXPECT_EQ(quick.kind, slow.kind) << text;
    EXPECT_EQ(quick.left, slow.left) << text;
    EXPECT_EQ(quick.text, slow.text) << text;
  }
}

TEST(NftCommonStatement, LeavesTheRestToTheGrammar) {
  for (const std::string_view text :
       {"meta mark & 0x1 == 0x1", "meta mark set meta mark | 0x1", "tcp flags syn / syn,ack", "ct original ip saddr 10.0.0.1",
        "tcp option maxseg size set rt mtu", "ip saddr map @m", "counter name \"c\"", "limit rate 3/second",
        "meta mark set ip saddr map { 10.0.0.1 : 0x1 }", "ip saddr { 10.0.0.1 timeout 3s }", "snat to 10.0.0.1", "jump {",
        "ip saddr . 10.0.0.1", "tcp dport  80", "ip saddr", "{", ""})
    EXPECT_FALSE(with(parse_common_statement, text).understood) << text;
}

}  // namespace
}  // namespace egt::parsers::nft
