// Pods on a primary user-defined network: which of their networks is walked, and how a call names another one.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/run.h"

namespace egt::testing {
namespace {

using nlohmann::json;

const std::string kNetworks = std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/udn-layer3.tar.xz";

Ran networks_shown(const std::vector<std::string>& args) {
  std::vector<std::string> all = {EGTRACE_BINARY};
  all.insert(all.end(), args.begin(), args.end());
  for (const char* more : {"--format", "json"}) all.emplace_back(more);
  return run(all);
}

json walked(const std::string& from, const std::string& to, const std::vector<std::string>& more = {}) {
  std::vector<std::string> args = {"explain", kNetworks, "--from", from, "--to", to};
  args.insert(args.end(), more.begin(), more.end());
  return json::parse(networks_shown(args).out);
}

TEST(Networks, ThePrimaryOneIsWalked) {
  const json e = walked("mason-team/chisel-g", "198.51.100.44:80");
  EXPECT_EQ(e.at("packet").at("src"), "10.20.1.5");
  EXPECT_EQ(e.at("outcome"), "answered");
  EXPECT_EQ(e.at("confidence"), "proven");
  EXPECT_EQ(e.at("paths")[0].at("source_seen").at("ip"), "10.61.4.11");
}

TEST(Networks, APodIsReachedByItsPrimaryAddress) {
  EXPECT_EQ(walked("mason-team/chisel-g", "mason-team/chisel-s:8080").at("packet").at("dst"), "10.20.2.5");
}

TEST(Networks, AnotherOneIsNamedBehindThePod) {
  for (const json& e : {walked("mason-team/chisel-g@default", "198.51.100.44:80"),
                        walked("mason-team/chisel-g", "198.51.100.44:80", {"--network", "default"})})
    EXPECT_EQ(e.at("packet").at("src"), "10.84.1.31");
  for (const char* network : {"stone", "mason-team/stone"})
    EXPECT_EQ(walked("mason-team/chisel-g@" + std::string(network), "198.51.100.44:80").at("packet").at("src"), "10.20.1.5");
}

TEST(Networks, OneThatThePodIsNotOnIsRefused) {
  const Ran ran =
      networks_shown({"explain", kNetworks, "--from", "mason-team/chisel-g@mason-team/stine", "--to", "198.51.100.44:80"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("is not on network mason-team/stine (did you mean mason-team/stone?)"), std::string::npos) << ran.err;
}

TEST(Networks, TheAuditHasTheirRows) {
  int of_network = 0;
  const json rows = json::parse(networks_shown({"audit", kNetworks}).out).at("rows");
  for (const json& row : rows)
    if (row.at("namespace") == "mason-team" && row.at("to") == "198.51.100.44") {
      ++of_network;
      EXPECT_EQ(row.at("outcome"), "answered") << row;
      EXPECT_TRUE(row.at("ip").get<std::string>().starts_with("10.20.")) << row;
    }
  EXPECT_EQ(of_network, 3);
}

// Before OVN-Kubernetes 1.2: each node's gateway router has a port of its own on the switch, under one name and with a key of its own.
TEST(Networks, NothingIsWrongWithTheOlderLayer2Topology) {
  const std::string snapshot = std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/udn-layer2-join.tar.xz";
  const json findings = json::parse(networks_shown({"triage", snapshot}).out).at("findings");
  EXPECT_EQ(findings, json::array()) << findings.dump(1);
}

// While OVN-Kubernetes is upgraded to 1.2 or later: nodes with a transit router know the gateway routers of the others by ports on the
// switch, and are known there by their -upgrade ports.
TEST(Networks, NothingIsWrongWhereOneNodeHasTheOlderLayer2Topology) {
  const std::string snapshot = std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/udn-layer2-mixed.tar.xz";
  const json findings = json::parse(networks_shown({"triage", snapshot}).out).at("findings");
  EXPECT_EQ(findings, json::array()) << findings.dump(1);
}

TEST(Networks, NothingIsWrongWithLayer2InLocalGatewayMode) {
  const std::string snapshot = std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/udn-layer2-local-gateway.tar.xz";
  const json findings = json::parse(networks_shown({"triage", snapshot}).out).at("findings");
  EXPECT_EQ(findings, json::array()) << findings.dump(1);
}

// RouteAdvertisements: pods keep their address, but for what they send to nodes (allowed_ext_ips of the NAT rows).
TEST(Networks, AnAdvertisedNetworkLeavesAsItIs) {
  const std::string snapshot = std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/advertised-default.tar.xz";
  EXPECT_EQ(json::parse(networks_shown({"triage", snapshot}).out).at("findings"), json::array());
  const auto seen = [&](const char* to) {
    return json::parse(networks_shown({"explain", snapshot, "--from", "mill/saw-l", "--to", to}).out)
        .at("paths")[0]
        .at("source_seen")
        .at("ip")
        .get<std::string>();
  };
  EXPECT_EQ(seen("203.0.113.40:80"), "10.148.1.11");
  EXPECT_EQ(seen("10.62.20.12:9100"), "10.62.20.11");
}

// Where no router is dumped, that it knows the way back is an assumption, with the object that makes it so.
TEST(Networks, RoutesBackToAdvertisedPodsAreAssumed) {
  const TemporaryDirectory place;
  const std::string lab = std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/advertised-default.tar.xz";
  ASSERT_EQ(run({"tar", "-C", place.path(), "--exclude=router", "--exclude=server", "-xf", lab}).status, 0);
  const std::string snapshot = place.path() + "/advertised-default";
  const auto assumed = [&] {
    const json e = json::parse(networks_shown({"explain", snapshot, "--from", "mill/saw-l", "--to", "203.0.113.40:80"}).out);
    EXPECT_NE(e.at("confidence"), "proven");
    return e.at("assumptions").dump();
  };
  const std::string route = "routers outside the cluster have a route to 10.148.1.11 by larch";
  EXPECT_NE(assumed().find(route), std::string::npos) << assumed();
  EXPECT_NE(assumed().find("no RouteAdvertisements object"), std::string::npos) << assumed();
  write_file(snapshot + "/k8s/routeadvertisements.yaml",
             "apiVersion: k8s.ovn.org/v1\nkind: RouteAdvertisements\nmetadata:\n  name: default-pods\nspec:\n"
             "  advertisements: [PodNetwork]\n  networkSelectors:\n  - networkSelectionType: DefaultNetwork\n");
  EXPECT_NE(assumed().find("RouteAdvertisements default-pods advertises its network"), std::string::npos) << assumed();
}

TEST(Networks, NothingIsWrongWhereNothingIs) {
  const json findings = json::parse(networks_shown({"triage", kNetworks}).out).at("findings");
  EXPECT_EQ(findings, json::array()) << findings.dump(1);
}

}  // namespace
}  // namespace egt::testing
