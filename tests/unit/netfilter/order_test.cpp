// Which chains run, in which order, and where NAT stands between them.
#include <fmt/format.h>

#include "egtrace/explain/phrases.h"
#include "netfilter_support.h"

namespace egt::engine {
namespace {

std::vector<std::string> chains_hit(const Scene& s) {
  std::vector<std::string> out;
  for (const Step& step : s.record.steps) {
    if (const auto* hit = std::get_if<RuleHit>(&step.kind)) out.push_back(hit->front_end + " " + hit->table + " " + hit->chain);
  }
  return out;
}
std::string chain_at(const char* name, const char* header) {
  return std::string("\tchain ") + name + " {\n\t\ttype " + header + " policy accept;\n\t\taccept\n\t}\n";
}

TEST(NetfilterOrder, PriorityThenLastRegisteredFirst) {
  Scene s("table inet t {\n" + chain_at("first", "filter hook forward priority 10;") +
          chain_at("a", "filter hook forward priority 5;") + chain_at("b", "filter hook forward priority 5;") +
          chain_at("early", "filter hook forward priority -5;") + "}\n");
  s.pass(Hook::forward);
  EXPECT_EQ(chains_hit(s), (std::vector<std::string>{"nft t early", "nft t b", "nft t a", "nft t first"}));
}

TEST(NetfilterOrder, StagesOfPrerouting) {
  Scene s("table inet t {\n" + chain_at("raw", "filter hook prerouting priority raw;") +
          chain_at("mangle", "filter hook prerouting priority mangle;") + chain_at("late", "filter hook prerouting priority 0;") +
          chain_at("nat", "nat hook prerouting priority 50;") + "}\n");
  s.run(Hook::prerouting, Stage::before_conntrack);
  s.run(Hook::prerouting, Stage::before_nat);
  s.run(Hook::prerouting, Stage::nat);
  s.run(Hook::prerouting, Stage::after_nat);
  EXPECT_EQ(chains_hit(s), (std::vector<std::string>{"nft t raw", "nft t mangle", "nft t nat", "nft t late"}));
}

TEST(NetfilterOrder, FirstNatChainThatBindsWins) {
  Scene s(R"(table ip a {
	chain late {
		type nat hook postrouting priority 101; policy accept;
		snat to 192.0.2.1
	}
	chain early {
		type nat hook postrouting priority 99; policy accept;
		ip saddr 10.0.0.6 snat to 192.0.2.2
		accept
	}
}
)");
  const HookResult r = s.run(Hook::postrouting, Stage::nat);
  ASSERT_TRUE(r.nat);
  EXPECT_EQ(r.nat->address->to_string(), "192.0.2.1");
  EXPECT_TRUE(r.nat->source);
  EXPECT_EQ(r.nat->evidence.at(0).line, 4U);
  EXPECT_TRUE(s.record.assumptions.empty());
}

TEST(NetfilterOrder, EqualPriorityAcrossTablesMakesTwoWays) {
  const std::string table = " {\n\tchain c {\n\t\ttype nat hook postrouting priority srcnat; policy accept;\n\t\tsnat ip to ";
  Scene s("table inet a" + table + "192.0.2.1\n\t}\n}\ntable inet b" + table + "192.0.2.2\n\t}\n}\n");
  const HookResult r = s.run(Hook::postrouting, Stage::nat);
  ASSERT_TRUE(r.nat);
  EXPECT_EQ(r.nat->address->to_string(), "192.0.2.2");
  ASSERT_EQ(s.chooser.asked.size(), 1U);
  EXPECT_EQ(s.chooser.asked[0].kind, ChoicePoint::Kind::unknown);
  EXPECT_EQ(s.chooser.asked[0].options.size(), 2U);
  EXPECT_EQ(s.chooser.asked[0].evidence.size(), 2U);

  Scene other("table inet a" + table + "192.0.2.1\n\t}\n}\ntable inet b" + table + "192.0.2.2\n\t}\n}\n");
  other.chooser.answers = {1};
  EXPECT_EQ(other.run(Hook::postrouting, Stage::nat).nat->address->to_string(), "192.0.2.1");
}

TEST(NetfilterOrder, WhetherThePortIsKeptMakesTwoWays) {
  const auto table = [](const char* name, const char* flags) {
    return fmt::format(
        "table inet {} {{\n\tchain c {{\n\t\ttype nat hook postrouting priority srcnat; policy accept;\n\t\tsnat ip "
        "to 192.0.2.1{}\n\t}}\n}}\n",
        name, flags);
  };
  Scene differing(table("a", " random") + table("b", ""));
  EXPECT_FALSE(differing.run(Hook::postrouting, Stage::nat).nat->port_uncertain);
  EXPECT_EQ(differing.chooser.asked.size(), 1U);
  Scene alike(table("a", " random") + table("b", " random"));
  EXPECT_TRUE(alike.run(Hook::postrouting, Stage::nat).nat->port_uncertain);
  EXPECT_TRUE(alike.chooser.asked.empty());
}

TEST(NetfilterOrder, DropAndRejectOfEqualPriorityMakeTwoWays) {
  const auto table = [](const char* name, const char* verdict) {
    return fmt::format(
        "table inet {} {{\n\tchain c {{\n\t\ttype filter hook forward priority 0; policy accept;\n\t\t{}\n\t}}\n}}\n", name,
        verdict);
  };
  Scene s(table("a", "drop") + table("b", "reject"));
  EXPECT_EQ(s.pass(Hook::forward).outcome, HookResult::Outcome::rejected);
  ASSERT_EQ(s.chooser.asked.size(), 1U);
  Scene other(table("a", "drop") + table("b", "reject"));
  other.chooser.answers = {1};
  EXPECT_EQ(other.pass(Hook::forward).outcome, HookResult::Outcome::dropped);
  Scene alike(table("a", "drop") + table("b", "drop"));
  EXPECT_EQ(alike.pass(Hook::forward).outcome, HookResult::Outcome::dropped);
  EXPECT_TRUE(alike.chooser.asked.empty());
}

TEST(NetfilterOrder, RulesOfIptablesCountOnce) {
  const std::string nft = R"(table ip filter {
	chain FORWARD {
		type filter hook forward priority filter; policy accept;
		counter packets 0 bytes 0 drop
	}
}
)";
  Scene both(nft);
  both.iptables("*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n-A FORWARD -j DROP\nCOMMIT\n");
  const HookResult r = both.pass(Hook::forward);
  EXPECT_EQ(explain::phrase(r.where), "iptables filter FORWARD");
  EXPECT_TRUE(both.record.assumptions.empty());

  Scene alone(nft);
  alone.node.host.iptables_v4 = {};
  EXPECT_EQ(explain::phrase(alone.pass(Hook::forward).where), "nft filter FORWARD");
  EXPECT_EQ(alone.record.assumptions.size(), 1U);  // nft does not print all that iptables tests
  EXPECT_TRUE(alone.record.gaps.empty());
}

TEST(NetfilterOrder, ListingsThatDifferAreAGap) {
  const auto gaps = [](const std::string& rules) {
    Scene s(R"(# Warning: table ip filter is managed by iptables-nft, do not touch!
table ip filter {
	chain FORWARD {
		type filter hook forward priority filter; policy accept;
		counter packets 0 bytes 0 drop
	}
}
)");
    s.iptables("*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n" + rules + "COMMIT\n");
    s.pass(Hook::forward);
    return s.record.gaps;
  };
  EXPECT_TRUE(gaps("-A FORWARD -j DROP\n").empty());
  for (const std::string rules : {"", "-A FORWARD -j DROP\n-A INPUT -j DROP\n", "-A FORWARD -j DROP\n-A FORWARD -j DROP\n"}) {
    ASSERT_EQ(gaps(rules).size(), 1U) << rules;
    EXPECT_EQ(explain::gap_of(gaps(rules)[0]).command, "iptables-save -c; nft list ruleset");
  }
}

// What a cut iptables-save lacks stands in the listing of nft, in the table of that name and family.
TEST(NetfilterOrder, NftHasWhatACutListingOfIptablesLacks) {
  const auto table = [](const char* name, const char* rule) {
    return fmt::format(
        "# Warning: table {0} is managed by iptables-nft, do not touch!\ntable {0} {{\n\tchain FORWARD {{\n\t\ttype filter hook "
        "forward priority {1}; policy accept;\n{2}\t}}\n}}\n",
        name, std::string_view(name).ends_with("mangle") ? -150 : 0, rule);
  };
  const std::string accepts = "\t\tcounter packets 0 bytes 0 accept\n";
  const auto hit = [&](const std::string& nft, const char* rules) {
    Scene s(nft);
    s.iptables(std::string("*filter\n:FORWARD ACCEPT [0:0]\n") + rules + "COMMIT\n");
    s.node.host.iptables_v4.partial = true;
    s.pass(Hook::forward);
    return chains_hit(s);
  };
  const std::string others = table("ip mangle", "") + table("ip6 filter", "");
  using Chains = std::vector<std::string>;
  EXPECT_EQ(hit(others + table("ip filter", accepts.c_str()), "-A FORWARD -j ACCEPT\n"), Chains{"iptables filter FORWARD"});
  EXPECT_EQ(hit(others + table("ip filter", (accepts + accepts).c_str()), "-A FORWARD -j ACCEPT\n"),
            Chains{"nft filter FORWARD"});
}

TEST(NetfilterOrder, RulesOfLegacyAloneAreAllOfTheirFamily) {
  const auto gaps = [](bool v4, bool v6, bool partial) {
    Scene s("");
    s.node.host.iptables_v4 = {};
    s.node.host.iptables_legacy_v4.present = v4;
    s.node.host.iptables_legacy_v6.present = v6;
    s.node.host.iptables_legacy_v4.partial = partial;
    s.pass(Hook::forward);
    return s.record.gaps.size();
  };
  EXPECT_EQ(gaps(true, false, false), 0U);
  EXPECT_EQ(gaps(true, false, true), 1U);
  EXPECT_EQ(gaps(false, true, false), 1U);
}

TEST(NetfilterOrder, MissingDumpsAreGaps) {
  Scene s("");
  s.node.host.nft = {};
  s.node.host.iptables_v4 = {};
  s.pass(Hook::forward);
  ASSERT_EQ(s.record.gaps.size(), 2U);
  EXPECT_EQ(explain::gap_of(s.record.gaps[0]).command, "nft list ruleset");
  EXPECT_EQ(explain::gap_of(s.record.gaps[1]).command, "iptables-save -c");
}

TEST(NetfilterOrder, OnlyRouteChainsRouteAnew) {
  const auto reroutes = [](const char* header) {
    Scene s(in_chain(header, "meta mark set 0x00000005"));
    bool any = false;
    for (Stage stage : {Stage::before_conntrack, Stage::before_nat, Stage::nat, Stage::after_nat}) {
      any = s.run(Hook::output, stage).mark_changed_in_route_chain || any;
    }
    EXPECT_EQ(s.mark(), 5U);
    return any;
  };
  EXPECT_TRUE(reroutes("route hook output priority mangle; policy accept;"));
  EXPECT_FALSE(reroutes("filter hook output priority mangle; policy accept;"));
}

// ipt_mangle_out() is the only one of iptables' tables that does.
TEST(NetfilterOrder, OfIptablesOnlyMangleRoutesAnew) {
  for (const std::string table : {"mangle", "filter"}) {
    Scene s("");
    s.iptables("*" + table + "\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -j MARK --set-xmark 0x5/0xffffffff\nCOMMIT\n");
    bool any = false;
    for (Stage stage : {Stage::before_conntrack, Stage::before_nat, Stage::nat, Stage::after_nat})
      any = s.run(Hook::output, stage).mark_changed_in_route_chain || any;
    EXPECT_EQ(s.mark(), 5U);
    EXPECT_EQ(any, table == "mangle");
  }
}

TEST(NetfilterOrder, NotrackOnlyBeforeConntrack) {
  Scene s(in_chain("filter hook prerouting priority raw; policy accept;", "tcp dport 80 notrack"));
  EXPECT_TRUE(s.run(Hook::prerouting, Stage::before_conntrack).untracked);
  Scene zone(in_chain("filter hook prerouting priority raw; policy accept;", "iifname \"eth0\" ct zone set 7"));
  EXPECT_EQ(zone.run(Hook::prerouting, Stage::before_conntrack).zone, 7);
}

TEST(NetfilterOrder, DormantTablesSleep) {
  Scene s("table inet t {\n\tflags dormant\n\tchain c {\n\t\ttype filter hook forward priority 0; policy drop;\n\t}\n}\n");
  EXPECT_TRUE(s.pass(Hook::forward).goes_on());
}

}  // namespace
}  // namespace egt::engine
