// Sets and maps of all kinds of keys, loaded by nft in a network namespace of their own: its listings print back.
// Skipped without root, nft or the kernel's support.
#include <gtest/gtest.h>

#include "nft_support.h"
#include "support/run.h"

namespace egt::parsers {
namespace {

constexpr const char* kRuleset = R"(table inet t {
  set genres { typeof osf name; elements = { "Linux" } }
  set tags { typeof vlan id . ip saddr; flags interval; elements = { 3 . 10.0.0.0/8, 5-10 . 1.2.3.4 } }
  set flagged { typeof tcp flags; elements = { syn, fin | syn } }
  set codes { typeof icmp type . icmp code; elements = { echo-request . 0 } }
  set wild { typeof iifname . ip saddr; flags interval; elements = { "eth*" . 10.0.0.0/8, "lo" . 1.2.3.4 } }
  set aged { typeof ip6 saddr; flags interval,timeout; timeout 1d2h3m4s; gc-interval 5m; counter;
             elements = { fd00::/8 counter packets 5 bytes 6 timeout 1h expires 30m comment "a, b; }" } }
  set seen { typeof ip saddr . tcp dport; size 1000; flags dynamic,timeout; timeout 5m; }
  set days { typeof meta day; elements = { "Monday", "Sunday" } }
  set marks { type mark . ifname . inet_proto; flags constant,interval; elements = { 1 . "x*" . tcp } }
  map jumps { typeof ip saddr . ct mark : verdict; elements = { 1.2.3.4 . 0x1 : jump other, 5.6.7.8 . 0x2 : drop } }
  map ranges { type inet_proto . inet_service : interval ipv4_addr . inet_service; elements = { tcp . 80 : 10.0.0.1-10.0.0.9 . 80-90 } }
  map counters { type ipv4_addr : counter; elements = { 1.2.3.4 : "one" } }
  counter one { packets 5 bytes 6; comment "it's" }
  quota five { over 5 mbytes used 3 bytes; }
  limit often { rate over 400/hour burst 5 packets; }
  synproxy proxy { mss 1460; wscale 7; timestamp sack-perm; }
  ct helper ftp { type "ftp" protocol tcp; l3proto ip; }
  ct timeout patient { protocol tcp; l3proto ip; policy = { established: 123, close: 12 }; }
  ct expectation later { protocol tcp; dport 5432; timeout 1h; size 12; l3proto ip; }
  chain other { comment "the other's"; }
  chain first {
    type filter hook prerouting priority mangle; policy accept;
    osf name @genres drop
    ip saddr . ct mark vmap @jumps
    add @seen { ip saddr . tcp dport timeout 1m limit rate 5/second burst 5 packets } counter name "one"
    ct helper set "ftp" ct timeout set "patient"
    counter name ip saddr map @counters
  }
}
)";

// As files for `nft -f` are written: several lines of a listing in one.
TEST(ToolNft, FilesAreReadAsListings) {
  const Printed p = print_again(kRuleset);
  EXPECT_TRUE(p.report.not_understood.empty());
  for (const char* part : {"\tset codes {\n\t\ttypeof icmp type . icmp code\n\t\telements = { echo-request . 0 }\n\t}\n",
                           "\tquota five {\n\t\tover 5 mbytes used 3 bytes\n\t}\n",
                           "\tct helper ftp {\n\t\ttype \"ftp\" protocol tcp\n\t\tl3proto ip\n\t}\n",
                           "\t\ttype filter hook prerouting priority mangle; policy accept;\n\t\tosf name @genres drop\n"})
    EXPECT_NE(p.text.find(part), std::string::npos) << part << "in\n" << p.text;
  const Printed short_one = print_again(
      "table inet t { chain c { type nat hook output priority -100; policy drop; tcp dport { 22, 80 } accept; drop } }\n");
  EXPECT_EQ(short_one.text,
            "table inet t {\n\tchain c {\n\t\ttype nat hook output priority -100; policy drop;\n\t\ttcp dport { 22, 80 } "
            "accept\n\t\tdrop\n\t}\n}\n");
}

TEST(ToolNft, ListingsPrintBack) {
  std::size_t listed = 0;
  for (const std::string options : {"", "-a", "-s", "-n", "-y", "-S", "-j", "-j -a"}) {
    const testing::Ran ran =
        testing::run({"unshare", "-n", "sh", "-c", "nft -f - && nft " + options + " list ruleset"}, kRuleset);
    if (ran.status != 0 || ran.out.empty()) continue;
    ++listed;
    const Printed p = print_again(ran.out, options.starts_with("-j") ? "nft -j list ruleset" : "nft list ruleset");
    EXPECT_TRUE(p.report.not_understood.empty()) << options;
    EXPECT_EQ(p.text, ran.out) << options;
  }
  if (listed == 0) GTEST_SKIP() << "no root, no nft or no support in the kernel";
}

}  // namespace
}  // namespace egt::parsers
