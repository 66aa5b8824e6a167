// What clients saw, against what the databases and Kubernetes objects of the lab show without a dump of any switch or host:
// what a must-gather holds (tests/lab/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "support/run.h"

namespace egt::testing {
namespace {

using nlohmann::json;

const std::string kLab = std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/databases-";

json explained(const std::string& scenario, const json& asked) {
  const Ran ran = run({EGTRACE_BINARY, "explain", kLab + scenario + ".tar.xz", "--from", asked.at("from"), "--to", asked.at("to"),
                       "--proto", asked.at("proto"), "--format", "json"});
  return json::parse(ran.out);
}

class DatabasesAlone : public ::testing::TestWithParam<std::string> {};

TEST_P(DatabasesAlone, TellWhatTheClientSees) {
  for (const json& asked : json::parse(read_file(kLab + GetParam() + ".json"))) {
    const json shown = explained(GetParam(), asked);
    // Who listens no database shows.
    const bool may_be_closed =
        shown.at("outcome") == "answered" && shown.at("listener") == "unknown" && asked.at("outcome") == "refused";
    if (!may_be_closed) {
      EXPECT_EQ(shown.at("outcome"), asked.at("outcome")) << asked;
    }
    EXPECT_NE(shown.at("confidence"), "proven") << asked;
  }
}

INSTANTIATE_TEST_SUITE_P(Lab, DatabasesAlone,
                         ::testing::Values("plain", "acl-ingress-reject", "egressip-primary", "central", "udn-layer3",
                                           "udn-layer2-mixed"),
                         [](const auto& scenario) {
                           std::string name = scenario.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// ACLs as OVN-Kubernetes writes them for policies name the rule of the object that stops the packet.
TEST(DatabasesAlone, NameTheRuleOfThePolicy) {
  const auto cause = [](const char* to) {
    return explained("central", {{"from", "vault/safe-a"}, {"to", to}, {"proto", "tcp"}})
        .at("cause")
        .at("claim")
        .get<std::string>();
  };
  EXPECT_EQ(cause("192.0.2.9:80"), "EgressFirewall vault/default rule 2 is Deny 0.0.0.0/0");
  EXPECT_EQ(cause("10.77.2.6:8080"), "AdminNetworkPolicy closed-shelves denies this packet: ingress rule 0 (from-vault)");
}

TEST(DatabasesAlone, KeepWhatPoliciesAsk) {
  const Ran ran = run({EGTRACE_BINARY, "check", kLab + "central.tar.xz", "--from-objects", "--format", "json"});
  EXPECT_NE(ran.out.find("EgressFirewall vault/default rule 2 denies vault/safe-a to 0.0.0.0/0"), std::string::npos)
      << ran.out << ran.err;
  EXPECT_NE(ran.out.find("AdminNetworkPolicy closed-shelves ingress rule 0 denies vault/safe-a to depot/shelf-a"),
            std::string::npos)
      << ran.out;
  EXPECT_EQ(ran.status, 0) << ran.out;
}

// What leaves for a pod of another network nobody delivers, as far as databases show.
TEST(DatabasesAlone, LeaveOpenWhoTakesAPodsAddressOutside) {
  const json shown = explained("udn-layer3", {{"from", "mason-team/chisel-g"}, {"to", "10.84.2.12:8080"}, {"proto", "tcp"}});
  EXPECT_EQ(shown.at("outcome"), "undecided");
  EXPECT_EQ(shown.at("paths")[0].at("stopped_at").at("reason"), "pod-address-outside") << shown.at("paths")[0].at("stopped_at");
}

// All rows of a database file are in a few lines: evidence names the table and the row.
TEST(DatabasesAlone, NameTheRowsBehindSteps) {
  const json shown = explained("plain", {{"from", "stock/crate-k"}, {"to", "10.72.2.12:8080"}, {"proto", "tcp"}});
  std::size_t rows = 0;
  for (const json& hop : shown.at("paths")[0].at("hops"))
    for (const json& line : hop.at("evidence")) {
      if (!line.contains("table") || line["table"] != "Logical_Flow") continue;
      ++rows;
      EXPECT_EQ(line["uuid"].get<std::string>().size(), 36U) << line;
      EXPECT_NE(line["text"].get<std::string>().find(line["uuid"].get<std::string>()), std::string::npos) << line;
    }
  EXPECT_GT(rows, 10U);
}

// The management port k8s-PREFIX_NODE is the host's, whose VRF and masquerading no database shows.
TEST(DatabasesAlone, LeaveOpenWhatTheHostDoesForANetworkInLocalGatewayMode) {
  const json shown = explained("udn-layer2-local", {{"from", "flock-a/ewe-g"}, {"to", "192.0.2.44:80"}, {"proto", "tcp"}});
  EXPECT_EQ(shown.at("outcome"), "undecided");
  EXPECT_EQ(shown.at("paths")[0].at("stopped_at").at("reason"), "network-host-unknown") << shown.at("summary");
  const Ran found = run({EGTRACE_BINARY, "triage", kLab + "udn-layer2-local.tar.xz", "--format", "json"});
  EXPECT_EQ(json::parse(found.out).at("findings"), json::array()) << found.out;
}

// OVN 26.03 comes with releases of OVN-Kubernetes that use no iptables; before, they do.
TEST(DatabasesAlone, PresumeTheRulesOfTheRelease) {
  const auto assumed = [](const char* scenario, const char* from, const char* to) {
    return explained(scenario, {{"from", from}, {"to", to}, {"proto", "tcp"}}).at("assumptions").dump();
  };
  EXPECT_NE(assumed("udn-layer2-mixed", "broom/broom-g", "10.72.9.12:9100").find("as OVN-Kubernetes does it, with nft alone"),
            std::string::npos)
      << assumed("udn-layer2-mixed", "broom/broom-g", "10.72.9.12:9100");
  EXPECT_NE(assumed("plain", "stock/crate-k", "10.72.2.12:8080").find("as OVN-Kubernetes does it, with iptables"),
            std::string::npos);
}

TEST(DatabasesAlone, SayWhatTheyRestOn) {
  const json shown = explained("plain", {{"from", "stock/crate-k"}, {"to", "10.72.2.12:8080"}, {"proto", "tcp"}});
  const std::string assumed = shown.at("assumptions").dump();
  EXPECT_NE(assumed.find("ovn-controller on kiwi has realised its logical flows"), std::string::npos) << assumed;
  EXPECT_NE(assumed.find("the host kiwi is set up as OVN-Kubernetes does it"), std::string::npos) << assumed;
}

}  // namespace
}  // namespace egt::testing
