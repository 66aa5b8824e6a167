// Counters beside findings of triage: what the node counted stands among the evidence.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/run.h"

namespace triage_counters_test {
namespace {

using nlohmann::json;

// The sample, with forwarding off on the node that hosts an egress IP, and its counters.
std::string evidence_beside(const std::string& finding, const std::string& counters) {
  const egt::testing::TemporaryDirectory folder;
  const std::string dumps = folder.path() + "/dumps";
  std::filesystem::copy(std::string(EGTRACE_SOURCE_DIR) + "/samples/egressip-secondary", dumps,
                        std::filesystem::copy_options::recursive);
  const std::string sysctl = dumps + "/master-02-demo/sysctl", on = "br-ex.forwarding = 1";
  std::string text = egt::testing::read_file(sysctl);
  text.replace(text.find(on), on.size(), "br-ex.forwarding = 0");
  egt::testing::write_file(sysctl, text);
  folder.file("dumps/master-02-demo/nstat_-az", counters);
  const auto ran = egt::testing::run({EGTRACE_BINARY, "triage", dumps, "--format", "json", "-q"});
  const json triage = json::parse(ran.out);
  for (const json& f : triage.at("findings"))
    if (f.at("id") == finding) return f.at("evidence").dump();
  return "no such finding";
}

const std::string kCounters =
    "#kernel\nIpInReceives 1200 0.0\nTcpExtListenDrops 3 0.0\nIpForwDatagrams 5 0.0\nIpOutNoRoutes 7 0.0\nIpInAddrErrors 9 0.0\n";

TEST(TriageCounters, StandAmongTheEvidence) {
  const std::string evidence = evidence_beside("egressip-forwarding-off", kCounters);
  EXPECT_NE(std::string::npos, evidence.find("forwarding = 0")) << evidence;
  EXPECT_NE(std::string::npos, evidence.find("IpInAddrErrors 9")) << evidence;
  EXPECT_NE(std::string::npos, evidence.find("master-02-demo/nstat_-az")) << evidence;
}

TEST(TriageCounters, OfOtherDropsDoNot) {
  const std::string evidence = evidence_beside("egressip-forwarding-off", kCounters);
  EXPECT_EQ(std::string::npos, evidence.find("TcpExtListenDrops")) << evidence;
  EXPECT_EQ(std::string::npos, evidence.find("IpInReceives")) << evidence;
}

TEST(TriageCounters, ThatCountedNothingDoNot) {
  const std::string evidence =
      evidence_beside("egressip-forwarding-off", "#kernel\nIpInReceives 1200 0.0\nIpOutNoRoutes 0 0.0\nIpInAddrErrors 0 0.0\n");
  EXPECT_NE(std::string::npos, evidence.find("forwarding = 0")) << evidence;
  EXPECT_EQ(std::string::npos, evidence.find("nstat")) << evidence;
}

}  // namespace
}  // namespace triage_counters_test
