// Netfilter rules decide about neighbour discovery as well: what they leave open of it is not proven.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>

#include "egtrace/explain/explanation.h"
#include "egtrace/parsers/snapshot.h"
#include "support/run.h"
#include "support/sample.h"

namespace egt::explain {
namespace {

class TwoHosts {
 public:
  TwoHosts() {
    host("a", "fd01::1", "0a:00:00:00:00:01");
    host("b", "fd01::2", "0a:00:00:00:00:02");
  }
  void filter(const std::string& name, const std::string& rule) {
    egt::testing::write_file(
        folder_.path() + "/" + name + "/nft_list_ruleset",
        "table ip6 t {\n\tchain input {\n\t\ttype filter hook input priority filter; policy accept;\n\t\t" + rule + "\n\t}\n}\n");
  }
  void neighbour(const std::string& name, const std::string& line) {
    egt::testing::write_file(folder_.path() + "/" + name + "/ip_-6_neigh_show", line + "\n");
  }
  PathReport ask() const {
    const auto snapshot = parsers::open_snapshot({folder_.path(), {}, 1});
    Question q;
    q.from = *parse_point("node:a");
    q.to = *parse_point("[fd01::2]:53");
    q.proto = "udp";
    q.one_way = true;
    return explain(snapshot->cluster, q)->paths.front();
  }

 private:
  void host(const std::string& name, const std::string& address, const std::string& mac) {
    const std::string at = folder_.path() + "/" + name;
    std::filesystem::create_directory(at);
    egt::testing::write_file(at + "/hostname", name + "\n");
    egt::testing::write_file(
        at + "/ip_-d_addr",
        "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000\n"
        "    link/ether " +
            mac +
            " brd ff:ff:ff:ff:ff:ff\n"
            "    inet6 " +
            address + "/64 scope global\n       valid_lft forever preferred_lft forever\n");
    egt::testing::write_file(at + "/ip_-6_rule", "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n");
    egt::testing::write_file(at + "/ip_-6_route_show_table_all",
                             "fd01::/64 dev eth0 proto kernel metric 256 pref medium\n"
                             "local " +
                                 address + " dev eth0 table local proto kernel metric 0 pref medium\n");
    egt::testing::write_file(at + "/nft_list_ruleset", "table ip6 t {\n}\n");
  }

  egt::testing::TemporaryDirectory folder_;
};

bool assumes_discovery(const PathReport& path) {
  return std::any_of(path.assumptions.begin(), path.assumptions.end(),
                     [](const AssumptionReport& a) { return a.what.starts_with("rules and flows let neighbour discovery"); });
}

// Tables of nft's family arp, on a host of the sample that has no entry of its next hop.
class ArpRules : public ::testing::Test {
 protected:
  nlohmann::json explained(const std::string& chains) {
    sample_.without_lines("master-03-demo/ip_neigh", "dev br-ex");
    sample_.append("master-03-demo/nft_list_ruleset", "table arp t {\n" + chains + "}\n");
    const std::vector<std::string> words{EGTRACE_BINARY, "explain",          sample_.path(),   "--from",   "node:master-03-demo",
                                         "--to",         "192.168.55.13:80", "--no-conntrack", "--format", "json"};
    return nlohmann::json::parse(egt::testing::run(words).out);
  }
  static std::string chain(const std::string& hook, const std::string& rule) {
    return "\tchain " + hook + " {\n\t\ttype filter hook " + hook + " priority filter; policy accept;\n\t\t" + rule + "\n\t}\n";
  }
  egt::testing::Sample sample_;
};

// The host hears from itself that nobody answers (EHOSTUNREACH).
TEST_F(ArpRules, LoseTheRequest) {
  const auto e = explained(chain("output", "oifname \"br-ex\" arp operation request drop"));
  EXPECT_EQ("refused", e["outcome"]) << e["summary"];
}

TEST_F(ArpRules, LoseTheReply) {
  const auto e = explained(chain("input", "iifname \"br-ex\" arp operation reply drop"));
  EXPECT_EQ("refused", e["outcome"]) << e["summary"];
}

TEST_F(ArpRules, CompareTheProtocol) { EXPECT_EQ("refused", explained(chain("output", "meta protocol arp drop"))["outcome"]); }

TEST_F(ArpRules, CompareAnotherProtocol) {
  EXPECT_EQ("answered", explained(chain("output", "meta protocol ip drop"))["outcome"]);
}

TEST_F(ArpRules, LeaveOthersAlone) {
  const auto e = explained(chain("output", "oifname \"br-ex\" arp operation reply drop") +
                           chain("input", "iifname \"eth9\" arp operation reply drop"));
  EXPECT_EQ("answered", e["outcome"]) << e["summary"];
}

struct ArpFields : ArpRules, ::testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(ArpFields, AreComparedOnTheWayOut) {
  const auto& [rule, outcome] = GetParam();
  const auto e = explained(chain("output", std::string("oifname \"br-ex\" ") + rule));
  EXPECT_EQ(std::string(outcome), e["outcome"]) << rule << ": " << e["summary"];
}

INSTANTIATE_TEST_SUITE_P(
    OfTheRequest, ArpFields,
    ::testing::Values(std::pair("arp daddr ip 192.168.99.12 drop", "refused"),
                      std::pair("arp daddr ip 192.168.99.13 drop", "answered"),
                      std::pair("arp saddr ip 192.168.99.25 drop", "refused"),
                      std::pair("arp saddr ip != 192.168.99.0/24 drop", "answered"),
                      std::pair("arp saddr ip 192.168.99.20-192.168.99.30 drop", "refused"),
                      std::pair("arp saddr ip . arp daddr ip { 192.168.99.25 . 192.168.99.12 } drop", "refused"),
                      std::pair("arp saddr ether 02:00:00:00:00:01 drop", "answered"),
                      std::pair("arp daddr ether 00:00:00:00:00:00 drop", "refused"),
                      // As arptables-nft begins its rules.
                      std::pair("arp htype 1 arp ptype ip arp hlen 6 arp plen 4 arp daddr ip 192.168.99.12 drop", "refused"),
                      std::pair("arp htype 6 drop", "answered"), std::pair("arp ptype 0x0806 drop", "answered")));

struct DeviceChains : ArpRules, ::testing::WithParamInterface<std::tuple<const char*, const char*, const char*>> {};

TEST_P(DeviceChains, OfNetdevSeeArp) {
  const auto [hook, rule, outcome] = GetParam();
  sample_.append("master-03-demo/nft_list_ruleset", std::string("table netdev d {\n\tchain c {\n\t\ttype filter hook ") + hook +
                                                        " device \"br-ex\" priority filter; policy accept;\n\t\t" + rule +
                                                        "\n\t}\n}\n");
  const auto e = explained("");
  EXPECT_EQ(std::string(outcome), e["outcome"]) << hook << " " << rule << ": " << e["summary"];
}

INSTANTIATE_TEST_SUITE_P(OfTheHost, DeviceChains,
                         ::testing::Values(std::tuple("egress", "ether type arp drop", "refused"),
                                           std::tuple("egress", "arp operation request drop", "refused"),
                                           std::tuple("egress", "arp operation reply drop", "answered"),
                                           std::tuple("ingress", "arp operation reply drop", "refused"),
                                           std::tuple("ingress", "arp operation request drop", "answered"),
                                           std::tuple("ingress", "ether type vlan drop", "answered")));

TEST_F(ArpRules, ThatWriteAreNotFollowed) {
  const auto e = explained(chain("output", "arp daddr ip set 192.168.99.13 accept"));
  EXPECT_EQ("answered", e["outcome"]) << e["summary"];
  EXPECT_EQ("assumed", e["confidence"]);
}

TEST_F(ArpRules, ReadWhatOthersWrote) {
  const auto e = explained(chain("output", "arp daddr ip set 192.168.99.13\n\t\tarp daddr ip 192.168.99.13 drop"));
  EXPECT_EQ("refused", e["outcome"]) << e["summary"];
}

TEST_F(ArpRules, ThatAreNotDecidedAreAssumedToPass) {
  const auto e = explained(chain("output", "numgen random mod 2 0 drop"));
  EXPECT_EQ("answered", e["outcome"]) << e["summary"];
  EXPECT_EQ("assumed", e["confidence"]);
  EXPECT_NE(std::string::npos, e["assumptions"].dump().find("rules and flows let neighbour discovery")) << e["assumptions"];
}

TEST(NeighbourDiscovery, IsAssumedToPassRulesThatAreNotDecided) {
  TwoHosts hosts;
  const PathReport open = hosts.ask();
  EXPECT_EQ(Verdict::delivered, open.verdict);
  EXPECT_FALSE(assumes_discovery(open));
  hosts.filter("b", "icmpv6 type nd-neighbor-solicit numgen random mod 2 0 drop");
  const PathReport random = hosts.ask();
  EXPECT_EQ(Verdict::delivered, random.verdict);
  EXPECT_TRUE(assumes_discovery(random));
  hosts.filter("b", "icmpv6 type nd-neighbor-solicit drop");
  EXPECT_EQ(Verdict::rejected, hosts.ask().verdict);
}

// Seen with two hosts of Linux 6.18: EHOSTUNREACH, and the entry of the one that asks becomes FAILED.
TEST(NeighbourDiscovery, IsAnsweredToTheMacThatTheNeighbourTableKeeps) {
  TwoHosts hosts;
  hosts.neighbour("b", "fd01::1 dev eth0 lladdr 0a:00:00:00:00:99 PERMANENT");
  EXPECT_EQ(Verdict::rejected, hosts.ask().verdict);
  hosts.neighbour("b", "fd01::1 dev eth0 lladdr 0a:00:00:00:00:99 STALE");
  EXPECT_EQ(Verdict::delivered, hosts.ask().verdict);
  hosts.neighbour("b", "fd01::1 dev eth0 lladdr 0a:00:00:00:00:01 PERMANENT");
  EXPECT_EQ(Verdict::delivered, hosts.ask().verdict);
}

}  // namespace
}  // namespace egt::explain
