// OpenFlow flows against the logical flows that they realise, of nodes whose ovn-controller kept up and of one whose did not.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/run.h"

namespace egt::testing {
namespace {

using nlohmann::json;

json cross_check(const std::string& scenario, const std::string& from, const std::string& to) {
  const std::string snapshot = std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/" + scenario + ".tar.xz";
  const Ran ran = run({EGTRACE_BINARY, "explain", snapshot, "--from", from, "--to", to, "--cross-check", "--format", "json"});
  return json::parse(ran.out).at("cross_check");
}

TEST(CrossCheck, BothTakeTheSameStages) {
  const json shown = cross_check("underlay-mtu-router", "stock/crate-k", "10.72.3.13:8080");
  EXPECT_EQ(shown.at("differences"), json::array()) << shown.dump(1);
  EXPECT_GT(shown.at("stages"), 60);
}

// ovn-controller of pier-02 stood still when a policy was added.
TEST(CrossCheck, ALaggingNodePartsAtTheStageThatChanged) {
  const json shown = cross_check("lagging-controller", "signals/buoy-a", "10.216.2.12:8080");
  ASSERT_EQ(shown.at("differences").size(), 1U) << shown.dump(1);
  const json& first = shown.at("differences")[0];
  EXPECT_EQ(first.at("node"), "pier-02");
  EXPECT_EQ(first.at("direction"), "request");
  EXPECT_EQ(first.at("intended").at("stage"), "ls_out_acl");
  EXPECT_EQ(first.at("intended").at("actions").get<std::string>().find("reg0[1] = 1"), std::string::npos);
  EXPECT_EQ(first.at("realised").at("match"), "ip && !ct.est");
}

}  // namespace
}  // namespace egt::testing
