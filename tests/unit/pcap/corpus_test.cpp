// Captures of a real lab against its dumps: each call's fate and place must be the one that was measured. Runs over some
// scenarios of ../shared/corpus where that is at hand; EGTRACE_CASES=N for more of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/run.h"

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path kCorpus = fs::path(EGTRACE_SOURCE_DIR) / "../shared/corpus";

std::vector<fs::path> scenarios() {
  std::vector<fs::path> all;
  std::error_code none;
  for (const auto& lab : fs::directory_iterator(kCorpus, none))
    for (const auto& scenario : fs::directory_iterator(lab.path(), none))
      if (fs::exists(scenario.path() / "truth.json") && fs::exists(scenario.path() / "pcap")) all.push_back(scenario.path());
  std::sort(all.begin(), all.end());
  return all;
}

// The dumps alone: what was measured is not for the program to see.
void link_dumps(const fs::path& scenario, const fs::path& snapshot) {
  for (const auto& entry : fs::directory_iterator(scenario)) {
    const std::string name = entry.path().filename().string();
    if (name != "truth.json" && name != "pcap" && name != "trace") fs::create_symlink(entry.path(), snapshot / name);
  }
}

Json study(const fs::path& scenario) {
  const egt::testing::TemporaryDirectory folder;
  link_dumps(scenario, folder.path());
  std::vector<std::string> command = {EGTRACE_BINARY, "pcap", folder.path(), "--follow-links", "--format", "json", "-q"};
  for (const auto& file : fs::directory_iterator(scenario / "pcap"))
    if (file.path().extension() == ".pcap") command.push_back(file.path().string());
  std::sort(command.begin() + 7, command.end());
  return Json::parse(egt::testing::run(command).out, nullptr, false);
}

const Json* flow_of(const Json& flows, const Json& c) {
  const Json& packet = c["packet"];
  for (const Json& f : flows) {
    if (f["src"] != packet.value("src", "") || f["dst"] != packet["dst"] || f["sport"] != packet["sport"] ||
        f["dport"] != packet["dport"])
      continue;
    const double time = f["time"];
    if (packet["sport"].is_null() && (time < c["window"][0].get<double>() - 0.5 || time > c["window"][1].get<double>() + 0.5))
      continue;
    return &f;
  }
  return nullptr;
}

void expect_as_measured(const Json& flow, const Json& c) {
  const std::string verdict = c["verdict"];
  EXPECT_EQ(verdict == "delivered" ? "answered" : verdict == "dropped" ? "lost" : "rejected", flow["fate"]) << flow["why"];
  if (verdict == "delivered" || !c.contains("last_seen") || c["last_seen"].is_null()) return;
  EXPECT_EQ(c["lost_direction"], flow["direction"]) << flow["why"];
  ASSERT_TRUE(flow["last_seen"].is_object());
  EXPECT_EQ(c["last_seen"]["node"], flow["last_seen"]["node"]);
  EXPECT_EQ(c["last_seen"]["iface"], flow["last_seen"]["device"]);
  EXPECT_EQ(c["last_seen"]["dir"], flow["last_seen"]["dir"]);
}

TEST(CapturesOfTheCorpus, TellWhatWasMeasured) {
  const std::vector<fs::path> all = scenarios();
  if (all.empty()) GTEST_SKIP() << "no corpus at " << kCorpus;
  const char* wanted = std::getenv("EGTRACE_CASES");
  const std::size_t count = std::min<std::size_t>(all.size(), wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : 4);
  for (std::size_t i = 0; i < count; ++i) {
    const fs::path& scenario = all[i * all.size() / count];
    SCOPED_TRACE(scenario.string());
    const Json report = study(scenario);
    ASSERT_TRUE(report.is_object());
    const Json truth = Json::parse(egt::testing::read_file((scenario / "truth.json").string()));
    for (const Json& c : truth["cases"]) {
      SCOPED_TRACE(c["id"].get<std::string>());
      const Json* flow = flow_of(report["flows"], c);
      EXPECT_NE(nullptr, flow);
      if (flow != nullptr) expect_as_measured(*flow, c);
    }
  }
}

}  // namespace
