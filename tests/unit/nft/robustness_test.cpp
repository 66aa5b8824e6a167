// Cut, garbled and hostile listings: no crash, no endless recursion, and reading goes on.
#include <gtest/gtest.h>

#include <random>

#include "nft_support.h"

namespace egt::parsers {
namespace {

constexpr std::string_view kListing = R"(table inet t {
	set s {
		type ipv4_addr . inet_service
		flags interval
		elements = { 10.0.0.0/8 . 80-90,
			     10.9.0.1 . 53 }
	}

	chain c {
		type filter hook prerouting priority mangle - 5; policy drop;
		ct state vmap { invalid : drop, established : accept }
		ip saddr . tcp dport @s counter packets 1 bytes 2 dnat ip to 10.0.0.1:80 comment "x" # handle 4
		jump {
			accept
		}
	}
}
)";

void read_everything(std::string_view text) {
  for (const Format& f : nft_formats()) {
    const Dump dump = nft_dump(text);
    std::string out;
    Report a, b, c;
    cluster::Cluster cluster;
    cluster::Node node;
    f.recognise(dump);
    f.reprint(dump, out, a);
    f.to_json(dump, out, b);
    f.load(dump, cluster, node, c);
  }
}

TEST(NftRobustness, CutAnywhere) {
  for (std::size_t n = 0; n <= kListing.size(); ++n) read_everything(kListing.substr(0, n));
}

TEST(NftRobustness, CutListingsAreNeverWhole) {
  // The last line break may be missing, but nothing else.
  for (std::size_t n = 1; n + 2 < kListing.size(); ++n) {
    EXPECT_TRUE(load_nft(kListing.substr(0, n)).node.host.nft.partial) << n;
  }
}

TEST(NftRobustness, GarbledBytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    std::string text(kListing);
    for (int i = 0; i < 4; ++i) text[random() % text.size()] = static_cast<char>(random() % 256);
    read_everything(text);
  }
}

TEST(NftRobustness, DeepNesting) {
  std::string open = "table inet t {\n\tchain c {\n\t\tip saddr ";
  for (const char* brace : {"{ ", "(", "jump {\n"}) {
    std::string text = open;
    for (int i = 0; i < 100000; ++i) text += brace;
    read_everything(text);
  }
  std::string json = "{\"nftables\": ";
  for (int i = 0; i < 100000; ++i) json += "[";
  read_everything(json);
}

TEST(NftRobustness, ALineThatIsNotUnderstoodCostsOnlyItself) {
  const Loaded l = load_nft("table inet t {\n\tchain c {\n\t\t\x01\x02 ???\n\t\taccept\n\t}\n}\n");
  EXPECT_EQ(l.chain("t", "c").rules.size(), 2U);
  EXPECT_EQ(l.report.not_understood.size(), 1U);
  EXPECT_EQ(l.report.lines, 6U);
  EXPECT_EQ(l.report.understood, 5U);
}

}  // namespace
}  // namespace egt::parsers
