// A user-defined network that is advertised by BGP: isolation of such networks from each other by ACLs and from hosts by nft, and routes back.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/run.h"

namespace egt::testing {
namespace {

using nlohmann::json;

std::string flint(const std::string& name) { return std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/" + name + ".tar.xz"; }

json of_flint(std::vector<std::string> args) {
  args.insert(args.begin(), EGTRACE_BINARY);
  for (const char* more : {"--format", "json"}) args.emplace_back(more);
  return json::parse(run(args).out);
}

json walked_in_flint(const std::string& name, const std::string& from, const std::string& to) {
  return of_flint({"explain", flint(name), "--from", from, "--to", to});
}

std::string summary_of(const json& e) { return e.at("summary"); }

TEST(AdvertisedNetworks, KeepTheirAddressesAndAreHealthy) {
  const json e = walked_in_flint("udn-advertised", "nodule/spade-g", "203.0.113.44:80");
  EXPECT_EQ(e.at("outcome"), "answered") << summary_of(e);
  EXPECT_EQ(e.at("confidence"), "proven") << e.at("assumptions").dump(1);
  EXPECT_EQ(e.at("paths")[0].at("source_seen").at("ip"), "10.25.1.5");
  const json findings = of_flint({"triage", flint("udn-advertised")}).at("findings");
  EXPECT_EQ(findings, json::array()) << findings.dump(1);
}

// Priority 1050, tier 0; that of 1100 lets pass what stays in the network.
TEST(AdvertisedNetworks, AreIsolatedFromEachOtherByAnAcl) {
  const json e = walked_in_flint("udn-advertised", "nodule/spade-g", "10.26.0.9:80");
  EXPECT_EQ(e.at("outcome"), "unanswered");
  EXPECT_EQ(e.at("confidence"), "proven");
  EXPECT_NE(summary_of(e).find("drop from-lport 1050"), std::string::npos) << summary_of(e);
  EXPECT_NE(summary_of(e).find("isolation between advertised networks"), std::string::npos) << summary_of(e);
  EXPECT_EQ(walked_in_flint("udn-advertised", "nodule/spade-g", "nodule/spade-s:8080").at("outcome"), "answered");
}

TEST(AdvertisedNetworks, AreClosedToNewConnectionsOfHosts) {
  const json e = walked_in_flint("udn-advertised", "node:chert", "10.25.2.5:8080");
  EXPECT_EQ(e.at("outcome"), "unanswered");
  EXPECT_NE(summary_of(e).find("a rule of chain udn-bgp-drop drops it"), std::string::npos) << summary_of(e);
  EXPECT_EQ(walked_in_flint("udn-advertised", "203.0.113.44", "10.25.2.5:8080").at("outcome"), "answered");
}

TEST(AdvertisedNetworks, AreFoundByName) {
  const Ran set = run({EGTRACE_BINARY, "lookup", flint("udn-advertised"), "a_advertised_v4"});
  EXPECT_NE(set.out.find("isolation between advertised networks"), std::string::npos) << set.out;
  const Ran object = run({EGTRACE_BINARY, "lookup", flint("udn-advertised"), "to-the-rack"});
  EXPECT_NE(object.out.find("accepted: yes"), std::string::npos) << object.out;
  const Ran decoded = run({EGTRACE_BINARY, "decode", "udn-bgp-drop"});
  EXPECT_NE(decoded.out.find("connections to advertised user-defined"), std::string::npos) << decoded.out;
}

TEST(AdvertisedNetworks, LoseRepliesWithoutTheRouteOrTheRuleBack) {
  const auto only_cause = [](const char* name) {
    const json findings = of_flint({"triage", flint(name)}).at("findings");
    return findings.size() == 1 ? findings[0].at("claim").get<std::string>() : findings.dump(1);
  };
  EXPECT_NE(only_cause("udn-advertised-rule-missing").find("the reply is lost at chert"), std::string::npos)
      << only_cause("udn-advertised-rule-missing");
  EXPECT_NE(only_cause("udn-advertised-route-missing").find("no route to 10.25.2.5"), std::string::npos)
      << only_cause("udn-advertised-route-missing");
}

// ClusterNetworkConnect: a router of OVN between the networks, whose packets cross nodes in OVN's own tunnels.
TEST(ConnectedNetworks, AreWalkedThroughTheirRouter) {
  const json e = walked_in_flint("networks-connected", "upper/rake-g", "lower/spud-o:8080");
  EXPECT_EQ(e.at("outcome"), "answered") << summary_of(e);
  EXPECT_EQ(e.at("confidence"), "proven") << e.at("assumptions").dump(1);
  EXPECT_NE(e.at("paths")[0].at("hops").dump().find("connect_router_fields"), std::string::npos);
  const json findings = of_flint({"triage", flint("networks-connected")}).at("findings");
  EXPECT_EQ(findings, json::array()) << findings.dump(1);
}

TEST(ConnectedNetworks, AreNotWithoutIt) {
  EXPECT_EQ(walked_in_flint("networks-not-connected", "upper/rake-g", "10.28.2.5:8080").at("outcome"), "refused");
  const json e = walked_in_flint("networks-connect-route-missing", "upper/rake-g", "10.28.2.5:8080");
  EXPECT_EQ(e.at("outcome"), "unanswered");
  EXPECT_NE(summary_of(e).find("connect_router_fields"), std::string::npos) << summary_of(e);
}

TEST(ConnectedNetworks, HaveARouteToEachPortOfTheirRouter) {
  for (const char* scenario : {"networks-connect-route-missing", "networks-connect-route-missing-layer2"}) {
    const TemporaryDirectory place;
    ASSERT_EQ(run({"tar", "-C", place.path(), "-xf", flint(scenario)}).status, 0);
    const json findings = of_flint({"triage", place.path() + "/" + scenario}).at("findings");
    ASSERT_EQ(findings.size(), 1u) << findings.dump(1);
    EXPECT_EQ(findings[0].at("id"), "network-connect-route-missing");
    EXPECT_NE(findings[0].at("claim").get<std::string>().find("has no route by its port crtor-"), std::string::npos);
  }
}

}  // namespace
}  // namespace egt::testing
