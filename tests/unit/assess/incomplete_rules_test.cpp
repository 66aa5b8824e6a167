// `ip rule` without a rule that every kernel begins with: an excerpt, or somebody deleted it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/sample.h"

namespace {

using egt::testing::Sample;

std::string claim_of(const Sample& sample) {
  const auto document =
      nlohmann::json::parse(egt::testing::run({EGTRACE_BINARY, "triage", sample.path(), "--format", "json"}).out);
  for (const auto& finding : document.at("findings"))
    if (finding.at("id") == "dump-incomplete") return finding.at("claim");
  return {};
}

TEST(IncompleteRules, WithoutThatOfTableLocal) {
  Sample sample;
  EXPECT_EQ(claim_of(sample), "");
  sample.without_lines("master-02-demo/ip_rule", "lookup local");
  const std::string claim = claim_of(sample);
  EXPECT_NE(claim.find("IPv4 policy rules of master-02-demo has none for table local"), std::string::npos) << claim;
}

TEST(IncompleteRules, WithoutThatOfTableMain) {
  Sample sample;
  sample.without_lines("master-02-demo/ip_-6_rule_list", "lookup main");
  const std::string claim = claim_of(sample);
  EXPECT_NE(claim.find("IPv6 policy rules of master-02-demo has none for table main"), std::string::npos) << claim;
}

// Where VRFs come first.
TEST(IncompleteRules, ThatOfTableLocalMayStandElsewhere) {
  Sample sample;
  sample.replace("master-02-demo/ip_rule", "0:\tfrom all lookup local", "7:\tfrom all lookup local");
  EXPECT_EQ(claim_of(sample), "");
}

}  // namespace
