// `ip rule` without the rule 32766, which leads to table main: whether it was deleted shows where the last rule does.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/sample.h"

namespace {

using egt::testing::Sample;

nlohmann::json explained(const Sample& sample, const char* to) {
  return nlohmann::json::parse(egt::testing::run({EGTRACE_BINARY, "explain", sample.path(), "--from", "node:master-02-demo",
                                                  "--to", to, "--format", "json"})
                                   .out);
}

// connect() fails with ENETUNREACH.
TEST(DeletedMainRule, BetweenTheFirstAndTheLastIsCertain) {
  Sample sample;
  sample.without_lines("master-02-demo/ip_rule", "lookup main");
  const auto e = explained(sample, "192.168.55.13:80");
  EXPECT_EQ("refused", e["outcome"]) << e["summary"];
  EXPECT_EQ("proven", e["confidence"]) << e["summary"];
}

// `ip rule flush` leaves the first alone, and so does whoever cuts the rest off.
TEST(DeletedMainRule, WithoutTheLastIsOpen) {
  Sample sample;
  sample.without_lines("master-02-demo/ip_rule", "lookup main").without_lines("master-02-demo/ip_rule", "lookup default");
  const auto e = explained(sample, "192.168.55.13:80");
  EXPECT_EQ("undecided", e["outcome"]) << e["summary"];
  EXPECT_NE(std::string::npos, e["gaps"].dump().find("ip -4 rule")) << e["gaps"];
}

TEST(DeletedMainRule, OfIpv6IsOpen) {
  Sample sample;
  sample.without_lines("master-02-demo/ip_-6_rule_list", "lookup main");
  const auto e = explained(sample, "[fd55::13]:80");
  EXPECT_EQ("undecided", e["outcome"]) << e["summary"];
}

// What runbooks keep of the rules shows none of the kernel's.
TEST(DeletedMainRule, IsAssumedInAnExcerpt) {
  Sample sample;
  sample.without_lines("master-02-demo/ip_rule", "from all lookup");
  const auto e = explained(sample, "192.168.55.13:80");
  EXPECT_EQ("answered", e["outcome"]) << e["summary"];
  EXPECT_EQ("assumed", e["confidence"]);
}

}  // namespace
