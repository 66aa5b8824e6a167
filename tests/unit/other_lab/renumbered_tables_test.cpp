// OVN 26.09 gives the tables of OpenFlow behind the ingress pipeline other numbers, and so those that hold MAC bindings, port security
// or the way to other nodes. Dumps of real nodes, with tables numbered so, lead to the same answers.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "support/run.h"

namespace egt::testing {
namespace {

namespace fs = std::filesystem;

// Egress from 42 to 62, physical and helper tables from 64 to 88 (OFTABLE_LOG_EGRESS_PIPELINE, OFTABLE_SAVE_INPORT of controller/lflow.h).
int renumbered(int table) {
  constexpr int kRemoteOutput = 37, kEgress = 42, kSaveInport = 64;
  if (table < kRemoteOutput) return table;
  return table + (table < kEgress ? 17 : table < kSaveInport ? 20 : 24);
}

std::string with_renumbered_tables(const std::string& text) {
  static const std::regex kTable("(table=|resubmit\\([^,)]*,|goto_table:)([0-9]+)");
  std::string out;
  auto from = text.begin();
  for (std::sregex_iterator at(text.begin(), text.end(), kTable), end; at != end; ++at) {
    out.append(from, (*at)[2].first);
    out += std::to_string(renumbered(std::stoi((*at)[2])));
    from = (*at)[2].second;
  }
  return out.append(from, text.end());
}

std::string converted(const TemporaryDirectory& place, const std::string& name) {
  const std::string lab = std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/" + name + ".tar.xz";
  EXPECT_EQ(run({"tar", "-C", place.path(), "-xf", lab}).status, 0);
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(place.path())) {
    const std::string file = entry.path().filename().string();
    if (file.find("br-int") == file.npos || (file.find("dump-flows") == file.npos && file.find("dump-groups") == file.npos))
      continue;
    write_file(entry.path().string(), with_renumbered_tables(read_file(entry.path().string())));
    ++files;
  }
  EXPECT_GT(files, 0U);
  return place.path() + "/" + name;
}

class RenumberedTables : public ::testing::TestWithParam<const char*> {};

TEST_P(RenumberedTables, LeadToTheSameAnswers) {
  const TemporaryDirectory place;
  const std::string snapshot = converted(place, GetParam());
  const Ran held =
      run({EGTRACE_BINARY, "check", snapshot, std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/" + GetParam() + ".yaml"});
  EXPECT_EQ(held.status, 0) << held.out << held.err;
  const Ran found = run({EGTRACE_BINARY, "triage", snapshot, "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(found.out).at("findings"), nlohmann::json::array()) << found.out;
}

INSTANTIATE_TEST_SUITE_P(Lab, RenumberedTables,
                         ::testing::Values("advertised-default", "nft-services-cluster", "udn-layer2-mixed"),
                         [](const auto& scenario) {
                           std::string name = scenario.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace egt::testing
