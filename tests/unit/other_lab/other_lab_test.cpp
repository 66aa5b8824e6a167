// What was observed in a lab with other names, networks and numbers of nodes than the samples have (tests/lab/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
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

INSTANTIATE_TEST_SUITE_P(FourNodes, OtherLab, ::testing::ValuesIn(scenarios()), [](const auto& scenario) {
  std::string name = scenario.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace egt::testing
