// What was observed in a lab with other names, networks and numbers of nodes than the samples have (tests/lab/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/run.h"

namespace egt::testing {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> scenarios() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(std::string(EGTRACE_SOURCE_DIR) + "/tests/lab"))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class OtherLab : public ::testing::TestWithParam<std::string> {};

TEST_P(OtherLab, EveryObservationHolds) {
  const std::string base = std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/" + GetParam();
  const Ran ran = run({EGTRACE_BINARY, "check", base + ".tar.xz", base + ".yaml"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

// On this node's userspace datapath the request recirculates more often than Open vSwitch as released lets it.
TEST(OtherLabCauses, AReplyToAnAssumedRequestLacksNothing) {
  const std::string snapshot = std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/plain.tar.xz";
  const Ran ran =
      run({EGTRACE_BINARY, "explain", snapshot, "--from", "node:infra-c9", "--to", "172.25.12.34:80", "--format", "json"});
  const nlohmann::json shown = nlohmann::json::parse(ran.out);
  std::size_t assumed = 0;
  for (const auto& path : shown.at("paths")) {
    if (path.at("assumptions").empty()) continue;
    ++assumed;
    EXPECT_EQ(path.at("reply").at("confidence"), "assumed");
    for (const auto& reply : path.at("reply").at("paths")) EXPECT_TRUE(reply.at("gaps").empty()) << reply.at("gaps").dump();
  }
  EXPECT_GT(assumed, 0u);
}

// A node's packet to a Service is translated by a load balancer and, for the way back, by an option of the router.
TEST(OtherLabCauses, EveryTranslationNamesItsRow) {
  const std::string snapshot = std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/plain.tar.xz";
  const Ran ran =
      run({EGTRACE_BINARY, "explain", snapshot, "--from", "node:worker-a7", "--to", "172.25.12.34:80", "--format", "json"});
  const nlohmann::json shown = nlohmann::json::parse(ran.out);
  std::set<std::string> tables;
  for (const auto& way : shown.at("paths"))
    for (const auto& hop : way.at("hops")) {
      if (hop.at("layer") != "ovn" || !hop.at("what").get<std::string>().starts_with("NAT:")) continue;
      EXPECT_FALSE(hop.at("rows").empty()) << hop.dump(1);
      for (const auto& row : hop.at("rows")) tables.insert(row.at("table").get<std::string>());
    }
  EXPECT_EQ(tables, (std::set<std::string>{"Load_Balancer", "Logical_Router"}));
}

// A node that sends to a pod asks OVN for its MAC: the flows that answer are dumped, and are evidence.
TEST(OtherLabNeighbours, WhatOvnAnswersIsProvenByItsFlows) {
  const std::string snapshot = std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/metallb-local.tar.xz";
  const Ran ran = run(
      {EGTRACE_BINARY, "explain", snapshot, "--from", "other/client-1", "--to", "203.0.113.13:80", "-vv", "--format", "json"});
  const nlohmann::json shown = nlohmann::json::parse(ran.out);
  EXPECT_EQ(shown.at("confidence"), "proven") << shown.at("assumptions").dump(1);
  bool is_shown = false;
  for (const auto& hop : shown.at("paths")[0].at("reply").at("paths")[0].at("hops"))
    if (hop.at("what").get<std::string>().starts_with("neighbour "))
      for (const auto& line : hop.at("evidence"))
        is_shown |= line.at("dump").get<std::string>().find("dump-flows") != std::string::npos;
  EXPECT_TRUE(is_shown);
}

INSTANTIATE_TEST_SUITE_P(FourNodes, OtherLab, ::testing::ValuesIn(scenarios()), [](const auto& scenario) {
  std::string name = scenario.param;
  for (char& c : name)
    if (c == '-' || c == '.') c = '_';
  return name;
});

}  // namespace
}  // namespace egt::testing
