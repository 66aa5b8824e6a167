// Listings come back byte for byte.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "nft_support.h"

namespace egt::parsers {
namespace {

namespace fs = std::filesystem;

void expect_same(std::string_view text) {
  const Printed p = print_again(text);
  EXPECT_EQ(p.text, text);
  EXPECT_TRUE(p.report.not_understood.empty());
  EXPECT_TRUE(p.report.diagnostics.empty());
}

TEST(NftRoundTrip, TablesOfIptables) {
  expect_same(R"(# Warning: table ip nat is managed by iptables-nft, do not touch!
table ip nat { # handle 1
	chain POSTROUTING { # handle 16
		type nat hook postrouting priority srcnat; policy accept;
		meta mark 0x000003f0  counter packets 0 bytes 0 return # handle 19
		 counter packets 1 bytes 60 jump KUBE-POSTROUTING # handle 20
		ip saddr 10.0.0.0/8 xt match "connlimit" counter packets 0 bytes 0 xt target "NETMAP" # handle 21
		ip saddr 10.0.0.0/8 xt match set tcp dport 22 counter packets 0 bytes 0 xt target TTL
	}
}
)");
}

// As nft 0.9.8 prints them.
TEST(NftRoundTrip, TranslationsOfOlderReleases) {
  expect_same(
      "table ip t {\n\tchain c {\n\t\tdnat ip addr . port to ip daddr . tcp dport map @services\n"
      "\t\tsnat ip interval to ip saddr map { 10.1.1.0/24 : 10.2.2.2-10.2.2.9 }\n\t}\n}\n");
}

TEST(NftRoundTrip, PartsOfATable) {
  expect_same("\tset s {\n\t\ttype ipv4_addr\n\t}\n\n\tchain c {\n\t\taccept\n\t}\n");
  expect_same("\tchain c {\n\t\taccept\n\t}\n}\ntable inet b {\n}\n");
  expect_same("\t}\n--\n\tchain c {\n\t\taccept\n\t}\n");
}

// Not "meta ipsec", which is the beginning of neither.
TEST(NftRoundTrip, IpsecPolicies) {
  expect_same(
      "table inet t {\n\tchain c {\n\t\tipsec in reqid 1 accept\n\t\tipsec out spi 1-561\n\t\tipsec in spi { 1, 2-7 } drop\n"
      "\t\tipsec out spnum 2 ip saddr 192.0.2.1\n\t\tipsec in ip6 daddr dead::beef counter packets 1 bytes 2\n\t\tmeta ipsec "
      "exists accept\n\t}\n}\n");
}

TEST(NftRoundTrip, SetsMapsAndObjects) {
  expect_same(R"(table inet t {
	comment "of the test"
	set s {
		type ipv4_addr . inet_proto . inet_service
		flags interval,timeout
		timeout 1h
		comment "some"
		elements = { 10.0.0.0/8 . tcp . 80-90 timeout 1h expires 59m3s212ms comment "x",
			     10.9.0.1 . udp . 53 counter packets 1 bytes 2 }
	}

	map m {
		typeof ip saddr . meta mark : verdict
		elements = { 127.0.0.1-127.0.0.4 . 0x00123434-0x00b00122 counter packets 0 bytes 0 : jump c,
			     * : drop }
	}

	map d {
		type ipv4_addr : interval ipv4_addr . inet_service
		flags interval
		elements = { 10.141.10.0/24 : 192.168.2.2-192.168.2.4 . 80 }
	}

	counter hits {
		packets 12 bytes 1433
	}

	ct helper sip {
		type "sip" protocol udp
		l3proto inet
	}

	flowtable f {
		hook ingress priority filter + 10
		devices = { eth0, eth1 }
	}

	chain c {
		comment "a chain"
		type filter hook prerouting priority mangle - 5; policy drop;
		ip saddr . meta mark vmap @m
		ct state vmap { invalid : drop, established : accept, related : accept }
		dnat ip to ip saddr map @d
		update @s { ip saddr . meta l4proto . th dport timeout 30s limit rate over 10/second burst 5 packets } drop
		meta l4proto tcp flow add @f
	}

	chain i {
		type filter hook ingress device "lo" priority filter; policy accept;
		jump {
			tcp dport 22 accept
			drop
		}
	}
}
)");
}

TEST(NftRoundTrip, StatementsAndExpressions) {
  expect_same(R"(table inet t {
	chain c {
		tcp flags & (fin | syn) == syn
		tcp flags syn / fin,syn,rst,ack
		tcp flags ! fin,rst
		ct mark set (meta mark | 0x00000010) << 8
		meta mark set ct mark >> 8
		meta mark & 0x00004000 != 0x00004000 return
		meta random & 2147483647 < 1073741824 counter packets 0 bytes 0
		fib saddr . iif oif missing drop
		fib daddr . iif type != { local, broadcast, multicast } drop
		socket cgroupv2 level 2 "system.slice/sshd.service" accept
		numgen random mod 2 vmap { 0 : goto a, 1 : goto b }
		jhash ip saddr . tcp dport mod 4 seed 0xdeadbeef offset 10 vmap { 10-11 : accept }
		dnat ip6 to [fd00::1]:80
		dnat ip to 10.0.0.1-10.0.0.9:8000-8080 random,persistent
		snat ip prefix to ip saddr map { 10.141.11.0/24 : 192.168.2.0/24 }
		redirect to :tcp dport map { 22 : 8000, 80 : 8080 }
		masquerade to :1024-2048 fully-random
		tproxy ip to 127.0.0.1:50080
		reject with icmpx admin-prohibited
		limit rate over 1025 kbytes/second burst 512 kbytes
		log prefix "x: " level warn flags tcp sequence,options
		queue flags bypass,fanout to 1-3
		tcp option maxseg size set rt mtu
		icmpv6 type { nd-neighbor-solicit, nd-router-advert } ip6 hoplimit 255 accept
		vlan id 5 ether saddr 00:11:22:33:44:55
		ct original ip daddr 10.0.0.1 ct direction reply
		ip ttl gt 10 ip6 hoplimit lt 3 pkttype unicast mark ne 0x1 accept
		meta mark set mark and 0xfffffff0 xor 0x6
		ip6 dscp set ip6 dscp or 0x01
		@th,16,32 0x10 accept comment "last one"
	}
}
)");
}

TEST(NftRoundTrip, UnknownPartsStayAndReadingGoesOn) {
  const std::string_view text = R"(table inet t {
	chain c {
		ip saddr 10.0.0.1 frobnicate the packet # handle 4
		accept
	}

	gadget g {
	}
}
)";
  const Printed p = print_again(text);
  EXPECT_EQ(p.text, text);
  ASSERT_FALSE(p.report.diagnostics.empty());
  EXPECT_EQ(p.report.diagnostics[0].at.line, 3U);
  EXPECT_EQ(p.report.diagnostics[0].column, 21U);
}

TEST(NftRoundTrip, JsonComesBackOnOneLine) {
  const std::string_view text =
      "{\"nftables\": [{\"metainfo\": {\"version\": \"1.0.6\", \"json_schema_version\": 1}}, {\"table\": {\"family\": "
      "\"ip\", \"name\": \"t\", \"handle\": 1}}]}\n";
  const Printed p = print_again(text, "nft -j list ruleset");
  EXPECT_EQ(p.text, text);
  EXPECT_TRUE(p.report.not_understood.empty());
}

// --- real listings, where they are at hand -------------------------------------------------------------------------
fs::path shared() { return fs::path(EGTRACE_SOURCE_DIR) / ".." / "shared"; }

std::string read_all(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(NftRoundTrip, ListingsOfTheCorpus) {
  if (!fs::exists(shared() / "corpus")) GTEST_SKIP() << "no corpus";
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(shared() / "corpus")) {
    const std::string name = entry.path().filename().string();
    if (name != "nft_list_ruleset" && name != "nft_-a_list_ruleset") continue;  // compressed ones are the reader's part
    const std::string text = read_all(entry.path());
    const Printed p = print_again(text);
    EXPECT_EQ(p.text, text) << entry.path();
    EXPECT_TRUE(p.report.not_understood.empty()) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0U);
}

TEST(NftRoundTrip, ListingsOfTheSuite) {
  if (!fs::exists(shared() / "conformance")) GTEST_SKIP() << "no conformance vectors";
  std::size_t all = 0;
  for (const auto& entry : fs::recursive_directory_iterator(shared() / "conformance")) {
    if (entry.path().filename() != "nft-ruleset.json") continue;
    const auto doc = nlohmann::json::parse(read_all(entry.path()));
    for (const auto& vector : doc["vectors"]) {
      const std::string text = vector["expect"]["relisted"];
      const Printed p = print_again(text);
      EXPECT_EQ(p.text, text) << vector["id"];
      EXPECT_TRUE(p.report.not_understood.empty()) << vector["id"];
      ++all;
    }
  }
  std::cout << all << " listings\n";
}

}  // namespace
}  // namespace egt::parsers
