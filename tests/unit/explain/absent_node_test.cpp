// A pod on a node of which the snapshot has no dump.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

#include "support/run.h"

namespace {

namespace fs = std::filesystem;

TEST(AbsentNode, OthersShowNothingOfItsPods) {
  const egt::testing::TemporaryDirectory d;
  fs::copy(fs::path(EGTRACE_SOURCE_DIR) / "samples/egressip-secondary", d.path(),
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  fs::remove_all(fs::path(d.path()) / "master-03-demo");
  const auto ran = egt::testing::run({EGTRACE_BINARY, "explain", d.path(), "--from", "demo-egress/requester-3a", "--to",
                                      "192.168.55.13:80", "--format", "json"});
  EXPECT_EQ(3, ran.status);
  const auto e = nlohmann::json::parse(ran.out);
  EXPECT_EQ("undecided", e["outcome"]);
  EXPECT_EQ("the snapshot has no dumps of master-03-demo, where the path of demo-egress/requester-3a begins", e["summary"]);
  ASSERT_EQ(1U, e["gaps"].size());
  EXPECT_EQ("master-03-demo", e["gaps"][0]["node"]);
}

}  // namespace
