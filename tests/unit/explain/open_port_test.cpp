// Ports that the kernel picks are left open, not made up.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/run.h"

namespace {

namespace fs = std::filesystem;
using egt::testing::read_file;
using nlohmann::json;

TEST(OpenPort, OfARandomTranslationIsNull) {
  const egt::testing::TemporaryDirectory folder;
  fs::copy(fs::path(EGTRACE_SOURCE_DIR) / "samples/egressip-secondary", folder.path(), fs::copy_options::recursive);
  const std::string rules = folder.path() + "/master-02-demo/iptables-save", target = "--to-source 192.168.66.100";
  std::string text = read_file(rules);
  ASSERT_NE(std::string::npos, text.find(target));
  for (std::size_t at = text.find(target); at != std::string::npos; at = text.find(target, at + 1))
    text.insert(at + target.size(), " --random-fully");
  egt::testing::write_file(rules, text);
  const auto ran = egt::testing::run({EGTRACE_BINARY, "explain", folder.path(), "--from", "demo-egress/requester-2a", "--to",
                                      "192.168.55.13:80", "--reply", "--format", "json"});
  const json path = json::parse(ran.out).at("paths").at(0);
  EXPECT_EQ("assumed", path.at("confidence"));
  EXPECT_EQ("192.168.66.100", path.at("source_seen").at("ip"));
  EXPECT_TRUE(path.at("source_seen").at("port").is_null());
  EXPECT_TRUE(path.at("snat").at(0).at("to").at("port").is_null());
  EXPECT_EQ(54321, path.at("sightings").front().at("sport"));
  EXPECT_TRUE(path.at("sightings").back().at("sport").is_null());
  // The answer goes to whatever port it was, and arrives at the pod's own.
  const json answer = path.at("reply").at("paths").at(0);
  EXPECT_EQ("delivered", answer.at("verdict"));
  EXPECT_TRUE(answer.at("sightings").front().at("dport").is_null());
  EXPECT_EQ(54321, answer.at("sightings").back().at("dport"));
}

}  // namespace
