// Clients outside that ask services: what triage walks beside the connections of pods and nodes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/run.h"

namespace egt::testing {
namespace {

using nlohmann::json;

std::string unpacked(const TemporaryDirectory& place) {
  EXPECT_EQ(run({"tar", "-C", place.path(), "-xf", EGTRACE_SOURCE_DIR "/tests/lab/nft-services-local.tar.xz"}).status, 0);
  return place.path() + "/nft-services-local";
}

// By a flow of the node's external bridge.
void drop_port(const std::string& snapshot, const std::string& node, const std::string& port) {
  const std::string dump = snapshot + "/" + node + "/ovs-ofctl_dump-flows_br-ex";
  write_file(dump, read_file(dump) + " cookie=0x0, duration=9.1s, table=0, n_packets=7, n_bytes=518, priority=9000,tcp,tp_dst=" +
                       port + " actions=drop\n");
}

std::string with_dropped_port(const TemporaryDirectory& place, const std::string& port) {
  const std::string snapshot = unpacked(place);
  for (const char* node : {"alder", "larch", "rowan"}) drop_port(snapshot, node, port);
  return snapshot;
}

json lost_from_outside(const std::string& snapshot) {
  const json triage = json::parse(run({EGTRACE_BINARY, "triage", snapshot, "--format", "json"}).out);
  json found = json::array();
  for (const json& f : triage.at("findings"))
    if (f.at("id") == "connection-lost" && f.at("claim").get<std::string>().starts_with("Connections from outside"))
      found.push_back(f);
  return found;
}

TEST(OutsideClients, ANodePortThatABridgeDropsIsAFinding) {
  const TemporaryDirectory place;
  const json found = lost_from_outside(with_dropped_port(place, "31406"));
  ASSERT_EQ(found.size(), 1u) << found;
  EXPECT_EQ(found[0].at("severity"), "error");
  const std::string claim = found[0].at("claim"), remedy = found[0].at("remedy");
  EXPECT_NE(claim.find("(client 203.0.113.40) to service mill/saw-lb at 10.62.20."), std::string::npos) << claim;
  EXPECT_NE(claim.find("the request is lost at "), std::string::npos) << claim;
  EXPECT_NE(claim.find("br-ex table 0"), std::string::npos) << claim;
  EXPECT_EQ(remedy.find("egtrace explain SNAPSHOT --from 203.0.113.40 --to 10.62.20."), 0u) << remedy;
}

TEST(OutsideClients, AnAddressOfALoadBalancerIsAskedFor) {
  const TemporaryDirectory place;
  const json found = lost_from_outside(with_dropped_port(place, "8080"));
  ASSERT_EQ(found.size(), 1u) << found;
  const std::string claim = found[0].at("claim");
  EXPECT_NE(claim.find(" at 10.62.200.6:8080"), std::string::npos) << claim;
}

// One node loses what the others answer: each is asked, however few services there are.
TEST(OutsideClients, EachNodeIsAsked) {
  for (const char* node : {"alder", "larch", "rowan"}) {
    const TemporaryDirectory place;
    const std::string snapshot = unpacked(place);
    std::string services = read_file(snapshot + "/k8s/services.yaml");
    services.replace(services.find("externalTrafficPolicy: Local"), 28, "externalTrafficPolicy: Cluster");
    write_file(snapshot + "/k8s/services.yaml", services);
    drop_port(snapshot, node, "31406");
    bool found = false;
    for (const json& f : lost_from_outside(snapshot)) found |= f.at("node") == node;
    EXPECT_TRUE(found) << node;
  }
}

// No dump shows at which node the client's packets arrive: it is named.
TEST(OutsideClients, WithoutDumpsOfTheClientTheNodeIsNamed) {
  const TemporaryDirectory place;
  const std::string snapshot = with_dropped_port(place, "31406");
  for (const char* outside : {"/router", "/server"}) EXPECT_EQ(run({"rm", "-r", snapshot + outside}).status, 0);
  const json found = lost_from_outside(snapshot);
  ASSERT_EQ(found.size(), 1u) << found;
  const std::string claim = found[0].at("claim"), remedy = found[0].at("remedy");
  EXPECT_NE(claim.find(", arriving at "), std::string::npos) << claim;
  EXPECT_NE(remedy.find(" --arrive-at "), std::string::npos) << remedy;
}

}  // namespace
}  // namespace egt::testing
