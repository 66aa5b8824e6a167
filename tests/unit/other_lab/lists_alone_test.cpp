// What ovn-nbctl and ovn-sbctl list, and Kubernetes objects, without a dump of any switch or host and without database files: what
// was observed in the lab must not be in conflict, and hosts that nothing explains are left open.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/pack.h"
#include "support/run.h"

namespace egt::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kArchives = std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/";

// The lists and objects of a scenario, unpacked into a directory.
void take_lists(const std::string& scenario, const TemporaryDirectory& into) {
  ASSERT_EQ(0, run({"tar", "-xJf", kArchives + scenario + ".tar.xz", "--strip-components=1", "-C", into.path()}).status);
  for (const PackedFile& file : files_below(into.path())) {
    const bool is_kept = file.name.starts_with("k8s/") || file.name.find("/ovn-nbctl_") != std::string::npos ||
                         file.name.find("/ovn-sbctl_") != std::string::npos;
    if (!is_kept) fs::remove(into.path() + "/" + file.name);
  }
}

json checked(const std::string& scenario, const TemporaryDirectory& snapshot) {
  const Ran ran = run({EGTRACE_BINARY, "check", snapshot.path(), kArchives + scenario + ".yaml", "--format", "json"});
  EXPECT_NE(ran.status, 2) << ran.err;
  return json::parse(ran.out).at("expectations");
}

class ListsAlone : public ::testing::TestWithParam<std::string> {};

TEST_P(ListsAlone, ContradictNothingThatWasObserved) {
  const TemporaryDirectory snapshot;
  take_lists(GetParam(), snapshot);
  for (const json& result : checked(GetParam(), snapshot)) EXPECT_NE(result.at("holds"), json(false)) << result.dump(1);
}

INSTANTIATE_TEST_SUITE_P(Lab, ListsAlone, ::testing::Values("plain", "egressip-secondary", "egressservice"),
                         [](const auto& scenario) {
                           std::string name = scenario.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Without the object nobody knows the EgressIP's device, and whether the host translates.
TEST(ListsAlone, LeaveOpenHowHostsSendForUnknownObjects) {
  const TemporaryDirectory snapshot;
  take_lists("egressip-secondary", snapshot);
  fs::remove(snapshot.path() + "/k8s/egressips.yaml");
  const Ran ran = run(
      {EGTRACE_BINARY, "explain", snapshot.path(), "--from", "payments/ledger-0", "--to", "203.0.113.13:80", "--format", "json"});
  const json shown = json::parse(ran.out);
  EXPECT_EQ(shown.at("outcome"), "undecided");
  EXPECT_EQ(shown.at("paths")[0].at("stopped_at").at("reason"), "host-egress-unknown") << shown.at("paths")[0].at("stopped_at");
  EXPECT_NE(shown.at("gaps").dump().find("dumps of the node"), std::string::npos) << shown.at("gaps");
}

// A device of which annotations have the address alone has neither a known name nor a known MAC.
TEST(ListsAlone, SayWhatIsMadeUp) {
  const TemporaryDirectory snapshot;
  take_lists("egressip-secondary", snapshot);
  const Ran ran = run(
      {EGTRACE_BINARY, "explain", snapshot.path(), "--from", "payments/ledger-0", "--to", "203.0.113.13:80", "--format", "json"});
  const json shown = json::parse(ran.out);
  const json& path = shown.at("paths")[0];
  EXPECT_EQ(path.at("source_seen").at("ip"), "172.31.77.100");
  EXPECT_NE(shown.at("assumptions").dump().find("a device of its own for 172.31.77."), std::string::npos)
      << shown.at("assumptions");
  EXPECT_EQ(path.at("sightings").back().at("smac"), json()) << path.at("sightings").back();
}

}  // namespace
}  // namespace egt::testing
