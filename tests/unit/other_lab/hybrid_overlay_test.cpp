// A node that runs Windows: OVN has no chassis for it, bridge br-ext sends to it in VXLAN, and nothing on it is dumped.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/run.h"

namespace egt::testing {
namespace {

using nlohmann::json;

std::string hybrid_lab(const std::string& name) { return std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/" + name + ".tar.xz"; }

json to_windows(const std::string& name) {
  return json::parse(
      run({EGTRACE_BINARY, "explain", hybrid_lab(name), "--from", "solder/solder-g", "--to", "10.132.0.5:80", "--format", "json"})
          .out);
}

TEST(HybridOverlay, EndsAtTheWindowsNode) {
  const json e = to_windows("hybrid-overlay");
  EXPECT_EQ(e.at("outcome"), "undecided") << e.at("summary");
  EXPECT_EQ(e.at("paths")[0].at("stopped_at").at("reason"), "node-missing") << e.at("summary");
  EXPECT_NE(e.at("summary").get<std::string>().find("which is node win-1"), std::string::npos) << e.at("summary");
}

TEST(HybridOverlay, OfDatabasesAloneEndsAtItsBridge) {
  const json e = to_windows("databases-hybrid");
  EXPECT_EQ(e.at("outcome"), "undecided") << e.at("summary");
  EXPECT_EQ(e.at("paths")[0].at("stopped_at").at("reason"), "patch-peer-missing") << e.at("summary");
}

TEST(HybridOverlay, NothingIsWrongWithIt) {
  for (const char* name : {"hybrid-overlay", "databases-hybrid"}) {
    const json findings = json::parse(run({EGTRACE_BINARY, "triage", hybrid_lab(name), "--format", "json"}).out).at("findings");
    EXPECT_EQ(findings, json::array()) << findings.dump(1);
  }
}

TEST(HybridOverlay, IsNamed) {
  const Ran found = run({EGTRACE_BINARY, "lookup", hybrid_lab("hybrid-overlay"), "win-1"});
  EXPECT_NE(found.out.find("operating system: Windows"), std::string::npos) << found.out;
  EXPECT_NE(found.out.find("hybrid overlay: 10.132.0.0/24"), std::string::npos) << found.out;
  const Ran shown = run({EGTRACE_BINARY, "inspect", hybrid_lab("hybrid-overlay")});
  EXPECT_NE(shown.out.find("pods of win-1"), std::string::npos) << shown.out;
}

}  // namespace
}  // namespace egt::testing
