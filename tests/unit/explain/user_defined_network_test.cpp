// A pod whose primary network is a user-defined one is never walked on the default network.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "support/run.h"

namespace {

namespace fs = std::filesystem;

class UserDefinedNetwork : public ::testing::Test {
 protected:
  UserDefinedNetwork() {
    fs::copy(fs::path(EGTRACE_SOURCE_DIR) / "samples/egressip-secondary", d_.path(),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    const std::string path = d_.path() + "/k8s/pods.yaml";
    std::string text = egt::testing::read_file(path);
    const std::string first = "\"role\":\"primary\"}}'", at_name = "name: requester-2a";
    const std::size_t at = text.find(first, text.find(at_name));
    egt::testing::write_file(path, text.replace(at, first.size(),
                                                "\"role\":\"infrastructure-locked\"},\"demo-egress/blue\":{\"ip_addresses\":[\"10.20.0.5/16\"],"
                                                "\"mac_address\":\"0a:58:0a:14:00:05\",\"role\":\"primary\"}}'"));
  }

  nlohmann::json told(std::vector<std::string> args) const {
    args.insert(args.begin(), EGTRACE_BINARY);
    for (const char* more : {"--format", "json"}) args.emplace_back(more);
    return nlohmann::json::parse(egt::testing::run(args).out);
  }
  nlohmann::json explained(const std::string& from, const std::string& to) const {
    return told({"explain", d_.path(), "--from", from, "--to", to});
  }

  egt::testing::TemporaryDirectory d_;
};

TEST_F(UserDefinedNetwork, OfTheSender) {
  const auto e = explained("demo-egress/requester-2a", "192.168.55.13:80");
  EXPECT_EQ("undecided", e["outcome"]);
  EXPECT_NE(std::string::npos, e["summary"].get<std::string>().find("demo-egress/blue")) << e["summary"];
}

TEST_F(UserDefinedNetwork, OfTheReceiver) { EXPECT_EQ("undecided", explained("demo-egress/requester-3a", "demo-egress/requester-2a")["outcome"]); }

TEST_F(UserDefinedNetwork, OthersAreWalked) { EXPECT_NE("undecided", explained("demo-egress/requester-3a", "192.168.55.13:80")["outcome"]); }

TEST_F(UserDefinedNetwork, AuditLeavesItsRowsOpen) {
  const auto rows = told({"audit", d_.path()})["rows"];
  int of_pod = 0;
  for (const auto& row : rows)
    if (row["pod"] == "requester-2a") {
      ++of_pod;
      EXPECT_EQ("undecided", row["outcome"]) << row;
    }
  EXPECT_LT(0, of_pod);
}

TEST_F(UserDefinedNetwork, TriageBlamesNothingOnIt) {
  for (const auto& f : told({"triage", d_.path()})["findings"])
    for (const auto& pod : f.value("pods", nlohmann::json::array())) EXPECT_NE("demo-egress/requester-2a", pod) << f;
}

}  // namespace
