// Groups with other backends than the logical flows that lead to them: the dump is another node's, or of another moment.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/run.h"

namespace egt::testing {
namespace {

namespace fs = std::filesystem;

class GroupAgreement : public ::testing::Test {
 protected:
  GroupAgreement() { run({"tar", "xJf", std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/plain.tar.xz", "-C", d_.path()}); }

  void replace_in_groups(const std::string& what, const std::string& with) {
    for (const char* version : {"13", "15"}) {
      const std::string file = d_.path() + "/plain/worker-a7/ovs-ofctl_-O_OpenFlow" + version + "_dump-groups_br-int";
      std::string text = read_file(file);
      for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) text.replace(at, what.size(), with);
      write_file(file, text);
    }
  }
  // The pods of another service in place of those of web.
  void lead_elsewhere() { replace_in_groups("dst=10.128.0.39", "dst=10.128.0.40"); }
  nlohmann::json shown(const std::vector<std::string>& args) const {
    std::vector<std::string> all = {EGTRACE_BINARY};
    all.insert(all.end(), args.begin(), args.end());
    for (const char* more : {"--format", "json"}) all.emplace_back(more);
    return nlohmann::json::parse(run(all).out);
  }
  nlohmann::json explained() const {
    return shown({"explain", d_.path() + "/plain", "--from", "node:worker-a7", "--to", "172.25.12.34:80"});
  }

  static bool assumes_groups(const nlohmann::json& path) {
    return path.dump().find("group") != std::string::npos && !path.at("assumptions").empty();
  }

  TemporaryDirectory d_;
};

TEST_F(GroupAgreement, SameBackendsProve) { EXPECT_EQ("proven", explained()["confidence"]); }

TEST_F(GroupAgreement, OtherBackendsProveNothing) {
  lead_elsewhere();
  const nlohmann::json e = explained();
  EXPECT_NE("proven", e["confidence"]) << e["summary"];
  for (const auto& path : e["paths"]) {
    EXPECT_NE("proven", path["confidence"]);
    EXPECT_TRUE(assumes_groups(path)) << path["assumptions"];
  }
}

// The same service's group of a router, as another node numbers it.
TEST_F(GroupAgreement, OtherTablesProveNothing) {
  replace_in_groups("ct(commit,table=16", "ct(commit,table=21");
  EXPECT_NE("proven", explained()["confidence"]);
}

TEST_F(GroupAgreement, NorInAudits) {
  lead_elsewhere();
  const nlohmann::json rows = shown({"audit", d_.path() + "/plain", "--to", "172.25.12.34:80"})["rows"];
  int of_node = 0;
  for (const auto& row : rows)
    if (row["pod"].is_null() && row["node"] == "worker-a7") {
      ++of_node;
      EXPECT_NE("proven", row["confidence"]) << row;
    }
  EXPECT_LT(0, of_node);
}

}  // namespace
}  // namespace egt::testing
