// Listings as rules of the model.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "nft_support.h"

namespace egt::parsers {
namespace {

namespace nf = netfilter;

template <class T>
const T* find_statement(const nf::Rule& rule) {
  for (const auto& s : rule.statements) {
    if (const T* t = std::get_if<T>(&s)) return t;
  }
  return nullptr;
}
const nf::Compare* compare(const nf::Rule& rule, std::size_t index) {
  std::size_t n = 0;
  for (const auto& s : rule.statements) {
    const auto* t = std::get_if<nf::Test>(&s);
    const auto* c = t != nullptr ? std::get_if<nf::Compare>(t) : nullptr;
    if (c != nullptr && n++ == index) return c;
  }
  return nullptr;
}
nf::Key key_of(const nf::ExprPtr& e) {
  const auto* r = std::get_if<nf::Read>(&e->node);
  return r != nullptr ? r->key : nf::Key::unknown;
}

// Of no protocol, so that nft leaves the checksum as it is.
TEST(NftLower, WritesToPortsOfAnyProtocolAreNotUnderstood) {
  const Loaded l = load_nft("table ip t {\n\tchain c {\n\t\tth dport set 80\n\t\ttcp dport set 80\n\t}\n}\n");
  const auto& rules = l.chain("t", "c").rules;
  EXPECT_NE(find_statement<nf::OpaqueStatement>(rules.at(0)), nullptr);
  EXPECT_NE(find_statement<nf::SetField>(rules.at(1)), nullptr);
}

TEST(NftLower, PrioritiesByFamily) {
  const Loaded l = load_nft(R"(table inet a {
	chain x {
		type filter hook prerouting priority dstnat + 10; policy accept;
	}
	chain y {
		type filter hook forward priority mangle - 5; policy drop;
	}
}
table bridge b {
	chain x {
		type filter hook forward priority filter; policy accept;
	}
}
)");
  EXPECT_EQ(l.chain("a", "x").priority, -90);
  EXPECT_EQ(l.chain("a", "y").priority, -155);
  EXPECT_TRUE(l.chain("a", "y").drop_by_default);
  EXPECT_EQ(l.chain("b", "x").priority, -200);
  EXPECT_FALSE(l.node.host.nft.partial);
}

// As nft lists matches of iptables that libxtables translated.
TEST(NftLower, OperatorsInWordsAreThoseInSigns) {
  const Loaded l = load_nft(R"(table ip a {
	chain words {
		ip ttl gt 10 mark ne 0x1 accept
		meta mark set mark and 0xfffffff0
	}
	chain signs {
		ip ttl > 10 meta mark != 0x1 accept
		meta mark set meta mark & 0xfffffff0
	}
}
)");
  const nf::Chain &words = l.chain("a", "words"), &signs = l.chain("a", "signs");
  ASSERT_EQ(words.rules.size(), 2U);
  const auto *word = compare(words.rules[0], 0), *sign = compare(signs.rules[0], 0);
  ASSERT_TRUE(word != nullptr && sign != nullptr);
  EXPECT_EQ(word->op, nf::Op::gt);
  EXPECT_EQ(sign->op, nf::Op::gt);
  EXPECT_EQ(key_of(compare(words.rules[0], 1)->left), nf::Key::mark);
  EXPECT_EQ(compare(words.rules[0], 1)->op, nf::Op::ne);
  EXPECT_FALSE(l.node.host.nft.partial);
}

TEST(NftLower, TestsThatAreNotPrinted) {
  const Loaded l = load_nft(R"(table inet a {
	chain c {
		ip saddr 10.0.0.0/8 tcp dport 80 accept
	}
}
)");
  const nf::Rule& r = l.chain("a", "c").rules.at(0);
  ASSERT_NE(compare(r, 3), nullptr);
  EXPECT_EQ(key_of(compare(r, 0)->left), nf::Key::nfproto);
  EXPECT_EQ(key_of(compare(r, 1)->left), nf::Key::ip_saddr);
  EXPECT_EQ(key_of(compare(r, 2)->left), nf::Key::l4proto);
  EXPECT_EQ(key_of(compare(r, 3)->left), nf::Key::dport);
  const auto* range = get_if_boxed<nf::NumberRange>(&compare(r, 1)->right);
  ASSERT_NE(range, nullptr);
  EXPECT_TRUE(range->first == nf::Number{0x0a000000} && range->last == nf::Number{0x0affffff});
  EXPECT_EQ(r.from, (Provenance{1, 3}));
}

TEST(NftLower, SetsKeepTheirElements) {
  const Loaded l = load_nft(R"(table inet a {
	map snat-v4 {
		type ipv4_addr . ifname : ipv4_addr
		elements = { 10.0.0.1 . "eth0" comment "ns/pod" : 192.168.0.9,
			     10.0.0.2 . "eth*" : 192.168.0.10 }
	}

	chain c {
		type nat hook postrouting priority srcnat; policy accept;
		snat ip to ip saddr . oifname map @snat-v4
	}
}
)");
  const auto& set = *l.table("a").sets.at("snat-v4");
  ASSERT_EQ(set.elements.size(), 2U);
  EXPECT_EQ(set.elements[0].comment, "ns/pod");
  EXPECT_EQ(set.elements[1].from.line, 5U);
  EXPECT_TRUE(std::get<nf::Text>(set.elements[1].key[1]).wildcard);
  const auto* nat = find_statement<nf::NatTarget>(l.chain("a", "c").rules.at(0));
  ASSERT_NE(nat, nullptr);
  EXPECT_EQ(nat->family, Family::v4);
  const auto* lookup = std::get_if<nf::MapLookup>(&std::get<nf::ExprPtr>(nat->address)->node);
  ASSERT_NE(lookup, nullptr);
  EXPECT_EQ(lookup->map.get(), &set);
}

TEST(NftLower, TablesOfIptablesAreKnownByShape) {
  const Loaded l = load_nft(R"(table ip nat {
	chain KUBE {
	}
	chain POSTROUTING {
		type nat hook postrouting priority srcnat; policy accept;
		jump KUBE
	}
}
table ip filter {
	chain input {
		type filter hook input priority filter; policy accept;
	}
}
table ip mangle {
	chain OUTPUT {
		type filter hook output priority mangle; policy accept;
	}
}
)");
  EXPECT_TRUE(l.table("nat").from_iptables);
  EXPECT_FALSE(l.table("filter").from_iptables);
  EXPECT_FALSE(l.table("mangle").from_iptables);  // iptables' chain has type route
}

// The rule tests `implied` other things first.
bool ends_undecided(const nf::Rule& rule, std::size_t implied) {
  std::vector<const nf::Test*> tests;
  for (const nf::Statement& s : rule.statements)
    if (const auto* t = std::get_if<nf::Test>(&s)) tests.push_back(t);
  return tests.size() == implied + 1 && std::holds_alternative<nf::Undecided>(*tests.back()) &&
         std::none_of(tests.begin(), tests.end() - 1,
                      [](const nf::Test* t) { return std::holds_alternative<nf::Undecided>(*t); });
}

// A field without a key is of one protocol all the same, and an option that is missing is missing of any.
TEST(NftLower, FieldsWithoutAKeyImplyTheirProtocol) {
  const Loaded l = load_nft(R"(table inet a {
	chain c {
		type filter hook forward priority filter; policy accept;
		esp spi 256 drop
		udp checksum > 100 drop
		icmp mtu 0 drop
		ip id . ip saddr { 1 . 10.0.0.1 } drop
		frag id 1 drop
		exthdr hbh exists drop
		exthdr hbh missing drop
		tcp option maxseg missing drop
		vxlan ip saddr 10.0.0.1 drop
	}
}
)");
  const auto& rules = l.chain("a", "c").rules;
  const std::size_t implied[] = {1, 1, 2, 2, 1, 1, 0, 0, 0};
  ASSERT_EQ(rules.size(), std::size(implied));
  for (std::size_t i = 0; i < rules.size(); ++i) EXPECT_TRUE(ends_undecided(rules[i], implied[i])) << i;
}

TEST(NftLower, WhatIsNotUnderstoodStaysVisible) {
  const Loaded l = load_nft(R"(table inet a {
	chain c {
		type filter hook forward priority filter; policy accept;
		ip saddr 10.0.0.1 frobnicate it
		limit rate 10/second accept
		tcp option maxseg size 1000 drop
		ip daddr set 10.0.0.2
	}
}
)");
  const auto& rules = l.chain("a", "c").rules;
  ASSERT_NE(find_statement<nf::OpaqueStatement>(rules.at(0)), nullptr);
  EXPECT_EQ(find_statement<nf::OpaqueStatement>(rules.at(0))->text, "frobnicate it");
  EXPECT_TRUE(std::holds_alternative<nf::Undecided>(*find_statement<nf::Test>(rules.at(1))));
  EXPECT_TRUE(ends_undecided(rules.at(2), 1));
  EXPECT_NE(find_statement<nf::SetField>(rules.at(3)), nullptr);
  EXPECT_EQ(l.report.not_understood.size(), 1U);
}

TEST(NftLower, CutOrOddListingsAreParts) {
  EXPECT_TRUE(load_nft("table inet a {\n\tchain c {\n\t\taccept\n").node.host.nft.partial);
  EXPECT_TRUE(load_nft("table inet a {\n\tchain c {\n\t\ttype filter hook sideways priority 0;\n\t}\n}\n").node.host.nft.partial);
  EXPECT_TRUE(load_nft("table inet a {\n}\n", "nft list ruleset", "nft list table inet a").node.host.nft.partial);
  const Loaded empty = load_nft("");
  EXPECT_TRUE(empty.node.host.nft.present);
  EXPECT_FALSE(empty.node.host.nft.partial);
}

TEST(NftLower, ChainsCutOutOfTheirTableAreRead) {
  const Loaded l = load_nft(
      "\tmap m {\n\t\ttype ipv4_addr : ipv4_addr\n\t\telements = { 10.0.0.1 : 9.9.9.9 }\n\t}\n--\n\t}\n"
      "\tchain c {\n\t\ttype nat hook postrouting priority srcnat; policy accept;\n\t\tsnat ip to ip saddr map @m\n\t}\n",
      "nft list ruleset");
  EXPECT_TRUE(l.report.not_understood.empty());
  EXPECT_TRUE(l.node.host.nft.partial);
  ASSERT_FALSE(l.node.host.nft.value.tables.empty());
  const nf::Table& table = l.node.host.nft.value.tables.front();
  EXPECT_EQ(nf::TableFamily::inet, table.family);
  ASSERT_EQ(1U, table.chains.size());
  EXPECT_NE(find_statement<nf::NatTarget>(table.chains[0].rules.at(0)), nullptr);
}

TEST(NftLower, JsonGivesTheSameRules) {
  const Loaded l = load_nft(
      R"({"nftables": [{"metainfo": {"version": "1.0.6"}}, {"table": {"family": "inet", "name": "a", "handle": 1}},
{"map": {"family": "inet", "name": "m", "table": "a", "type": "ipv4_addr", "map": "ipv4_addr", "elem": [["10.0.0.1", "9.9.9.9"]]}},
{"chain": {"family": "inet", "table": "a", "name": "c", "type": "nat", "hook": "postrouting", "prio": 100, "policy": "accept"}},
{"rule": {"family": "inet", "table": "a", "chain": "c", "handle": 2, "comment": "DoNotSNAT", "expr": [{"match": {"op": "==", "left": {"meta": {"key": "mark"}}, "right": 1008}}, {"return": null}]}},
{"rule": {"family": "inet", "table": "a", "chain": "c", "handle": 3, "expr": [{"match": {"op": "in", "left": {"ct": {"key": "state"}}, "right": ["established", "new"]}}, {"snat": {"family": "ip", "addr": {"map": {"key": {"payload": {"protocol": "ip", "field": "saddr"}}, "data": "@m"}}}}]}}]})",
      "nft -j list ruleset");
  const nf::Chain& c = l.chain("a", "c");
  EXPECT_EQ(c.priority, 100);
  ASSERT_EQ(c.rules.size(), 2U);
  EXPECT_EQ(c.rules[0].comment, "DoNotSNAT");
  ASSERT_NE(compare(c.rules[0], 0), nullptr);
  EXPECT_TRUE(std::get<nf::Number>(compare(c.rules[0], 0)->right) == nf::Number{1008});
  EXPECT_EQ(compare(c.rules[1], 0)->op, nf::Op::any_bits_of);
  EXPECT_NE(find_statement<nf::NatTarget>(c.rules[1]), nullptr);
}

// Copies and frames that are sent elsewhere, in both forms.
TEST(NftLower, CopiesAndFramesSentElsewhere) {
  const Loaded text = load_nft(R"(table ip t {
	chain c {
		dup to 10.0.0.1 device "eth0"
		dup to ip saddr map { 10.0.0.1 : 10.0.0.2 }
	}
}
table netdev n {
	chain c {
		dup to "eth0"
		fwd to "eth1"
		fwd ip to 10.0.0.1 device "eth1"
	}
}
)");
  const Loaded json = load_nft(
      R"({"nftables": [{"table": {"family": "ip", "name": "t"}}, {"table": {"family": "netdev", "name": "n"}},
{"chain": {"family": "ip", "table": "t", "name": "c"}}, {"chain": {"family": "netdev", "table": "n", "name": "c"}},
{"rule": {"family": "ip", "table": "t", "chain": "c", "expr": [{"dup": {"addr": "10.0.0.1", "dev": "eth0"}}]}},
{"rule": {"family": "ip", "table": "t", "chain": "c", "expr": [{"dup": {"addr": {"map": {"key": {"payload": {"protocol": "ip", "field": "saddr"}}, "data": {"set": [["10.0.0.1", "10.0.0.2"]]}}}}}]}},
{"rule": {"family": "netdev", "table": "n", "chain": "c", "expr": [{"dup": {"addr": "eth0"}}]}},
{"rule": {"family": "netdev", "table": "n", "chain": "c", "expr": [{"fwd": {"dev": "eth1"}}]}},
{"rule": {"family": "netdev", "table": "n", "chain": "c", "expr": [{"fwd": {"family": "ip", "addr": "10.0.0.1", "dev": "eth1"}}]}}]})",
      "nft -j list ruleset");
  for (const Loaded* l : {&text, &json}) {
    const auto& routed = l->chain("t", "c").rules;
    ASSERT_EQ(routed.size(), 2U);
    const auto *first = find_statement<nf::Duplicate>(routed[0]), *second = find_statement<nf::Duplicate>(routed[1]);
    ASSERT_TRUE(first != nullptr && second != nullptr);
    EXPECT_EQ(first->device, "eth0");
    EXPECT_TRUE(std::holds_alternative<nf::Constant>(first->gateway->node));
    EXPECT_TRUE(std::holds_alternative<nf::MapLookup>(second->gateway->node));
    const auto& frames = l->chain("n", "c").rules;
    ASSERT_EQ(frames.size(), 3U);
    const auto* copy = find_statement<nf::Duplicate>(frames[0]);
    ASSERT_NE(copy, nullptr);
    EXPECT_FALSE(copy->gateway);
    EXPECT_EQ(copy->device, "eth0");
    ASSERT_NE(find_statement<nf::SendFrame>(frames[1]), nullptr);
    EXPECT_EQ(find_statement<nf::SendFrame>(frames[1])->device, "eth1");
    EXPECT_NE(find_statement<nf::OpaqueStatement>(frames[2]), nullptr);
  }
}

}  // namespace
}  // namespace egt::parsers
