// The same calls in the same lab, with other releases of OVN: what clients see, who translates and who is translated to are the same. Some releases ran
// there; others are dumps of these whose tables were given the numbers of that release, by the names of stages (tests/lab/releases).
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "support/run.h"

namespace egt::testing {
namespace {

const std::string kLabs = std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/";

std::string unpacked(const TemporaryDirectory& place, const std::string& name) {
  EXPECT_EQ(run({"tar", "-C", place.path(), "-xf", kLabs + name + ".tar.xz"}).status, 0);
  return place.path() + "/" + name;
}

void convert(const std::string& snapshot, const std::string& release) {
  const Ran ran = run({"python3", kLabs + "releases/convert", snapshot, release});
  ASSERT_EQ(ran.status, 0) << ran.out << ran.err;
}

bool has_python() { return run({"python3", "-c", ""}).status == 0; }

std::string as_test_name(std::string name) {
  for (char& c : name)
    if (c == '-' || c == '.') c = '_';
  return name;
}

// What is seen of each expectation.
std::map<std::string, nlohmann::json> seen(const std::string& snapshot, const std::string& expectations) {
  const Ran ran = run({EGTRACE_BINARY, "check", snapshot, kLabs + expectations + ".yaml", "--format", "json"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  std::map<std::string, nlohmann::json> all;
  for (const auto& e : nlohmann::json::parse(ran.out).at("expectations")) {
    nlohmann::json& what = all[e.at("name")];
    for (const char* key : {"outcome", "snat", "dnat", "node"})
      if (e.at("seen").contains(key)) what[key] = e.at("seen").at(key);
  }
  return all;
}

std::set<std::string> finding_ids(const std::string& snapshot) {
  const Ran ran = run({EGTRACE_BINARY, "triage", snapshot, "--format", "json"});
  std::set<std::string> ids;
  for (const auto& finding : nlohmann::json::parse(ran.out).at("findings")) ids.insert(finding.at("id"));
  return ids;
}

std::string release_of(const std::string& snapshot) {
  const Ran ran = run({EGTRACE_BINARY, "inspect", snapshot, "--format", "json"});
  return nlohmann::json::parse(ran.out).at("ovn_version").at("candidates").dump();
}

// Last line first, as no switch lists them.
void reverse_lines(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::ofstream out(file);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) out << *line << '\n';
}

struct Release {
  const char* name;
  const char* from;  // the release that ran
  friend void PrintTo(const Release& r, std::ostream* out) { *out << r.name << " from " << r.from; }
};

class Releases : public ::testing::TestWithParam<Release> {};

TEST_P(Releases, GiveTheSameOutcomes) {
  const auto [release, ran] = GetParam();
  if (std::string(release) != ran && !has_python()) GTEST_SKIP() << "no python3";
  const TemporaryDirectory place;
  const std::string snapshot = unpacked(place, std::string("egress-families-") + ran);
  if (std::string(release) != ran) convert(snapshot, release);
  EXPECT_NE(release_of(snapshot).find(release), std::string::npos) << release_of(snapshot);
  EXPECT_EQ(seen(snapshot, "egress-families-25.03"), seen(kLabs + "egress-families-25.03.tar.xz", "egress-families-25.03"));
  EXPECT_EQ(finding_ids(snapshot), std::set<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Lab, Releases,
                         ::testing::Values(Release{"23.03", "23.03"}, Release{"24.03", "25.03"}, Release{"24.09", "25.03"},
                                           Release{"25.03", "25.03"}, Release{"25.09", "25.03"}, Release{"26.03", "26.03"},
                                           Release{"26.09", "26.09"}),
                         [](const auto& release) { return as_test_name(release.param.name); });

// Tables follow each other in dumps of a switch, but not in what somebody sorted.
TEST(ReleaseOfFlows, DependsOnNoOrderOfFlows) {
  const TemporaryDirectory place;
  const std::string snapshot = unpacked(place, "egress-families-25.03");
  const std::string before = release_of(snapshot);
  std::size_t dumps = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(snapshot))
    if (file.path().filename().string().find("dump-flows_br-int") != std::string::npos) {
      reverse_lines(file.path());
      ++dumps;
    }
  EXPECT_GT(dumps, 0U);
  EXPECT_NE(before.find("25.03"), std::string::npos) << before;
  EXPECT_EQ(release_of(snapshot), before);
}

// Conversions from a release to that which ran as well, and to its own.
TEST(ReleaseConversion, LeadsToWhatAnotherReleaseDoes) {
  if (!has_python()) GTEST_SKIP() << "no python3";
  const TemporaryDirectory place;
  const std::string snapshot = unpacked(place, "egress-families-23.03");
  const auto before = seen(snapshot, "egress-families-23.03");
  for (const char* release : {"23.03", "26.03", "26.09"}) {
    convert(snapshot, release);
    EXPECT_EQ(seen(snapshot, "egress-families-23.03"), before) << release;
    EXPECT_NE(release_of(snapshot).find(release), std::string::npos) << release_of(snapshot);
  }
}

TEST(ReleaseConversion, ToItsOwnReleaseChangesNothing) {
  if (!has_python()) GTEST_SKIP() << "no python3";
  const TemporaryDirectory place, other;
  const std::string snapshot = unpacked(place, "egress-families-26.09"), same = unpacked(other, "egress-families-26.09");
  convert(snapshot, "26.09");
  const Ran ran = run({"diff", "-r", "-x", "*nb_global", "-x", "*.db", snapshot, same});
  EXPECT_EQ(ran.status, 0) << ran.out.substr(0, 2000);
}

// OVN 26.09 gives the tables behind the ingress pipeline other numbers, and so those that hold MAC bindings, port security or the way to other nodes.
class RenumberedTables : public ::testing::TestWithParam<const char*> {};

TEST_P(RenumberedTables, LeadToTheSameAnswers) {
  if (!has_python()) GTEST_SKIP() << "no python3";
  const TemporaryDirectory place;
  const std::string snapshot = unpacked(place, GetParam());
  convert(snapshot, "26.09");
  const Ran held = run({EGTRACE_BINARY, "check", snapshot, kLabs + GetParam() + ".yaml"});
  EXPECT_EQ(held.status, 0) << held.out << held.err;
  EXPECT_EQ(finding_ids(snapshot), std::set<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Lab, RenumberedTables,
                         ::testing::Values("advertised-default", "nft-services-cluster", "udn-layer2-mixed"),
                         [](const auto& scenario) { return as_test_name(scenario.param); });

}  // namespace
}  // namespace egt::testing
