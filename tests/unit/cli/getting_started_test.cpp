// The first lines that docs/getting-started.md reads aloud are what the program prints.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/run.h"

namespace getting_started_test {
namespace {

using egt::testing::read_file;
using egt::testing::run;

struct Text {
  std::string snapshot, from, to;
};

const std::string kSamples = EGTRACE_SOURCE_DIR "/samples/", kLab = EGTRACE_SOURCE_DIR "/../shared/corpus/demo/";

// In the order of the page.
std::vector<Text> texts() {
  return {{kSamples + "egressip-secondary", "demo-egress/requester-2a", "192.168.55.13:80"},
          {kLab + "neg-missing-snat", "demo-egress/requester-2a", "192.168.55.13:80"},
          {kLab + "neg-networkpolicy-drop", "demo-egress/requester-2a", "192.168.55.13:80"},
          {kLab + "plain", "other/client-1", "svc:demo-web/web:9999"},
          {kSamples + "egressip-excerpt", "10.133.0.9", "192.168.55.13:80"}};
}

// What stands between fences below "Read the first lines".
std::vector<std::string> blocks() {
  std::string page = read_file(EGTRACE_SOURCE_DIR "/docs/getting-started.md");
  page = page.substr(page.find("## Read the first lines"));
  page = page.substr(0, page.find("\n| exit status"));
  std::vector<std::string> all;
  const std::string fence = "```\n";
  for (std::size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at)) {
    const std::size_t end = page.find(fence, at + fence.size());
    if (end == std::string::npos) break;
    all.push_back(page.substr(at + fence.size(), end - at - fence.size()));
    at = end + fence.size();
  }
  return all;
}

TEST(GettingStarted, PrintsTheFirstLines) {
  const std::vector<std::string> expected = blocks();
  const std::vector<Text> all = texts();
  ASSERT_EQ(all.size(), expected.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!std::filesystem::exists(all[i].snapshot)) continue;
    const auto ran = run({EGTRACE_BINARY, "explain", all[i].snapshot, "--from", all[i].from, "--to", all[i].to, "--width", "80"});
    EXPECT_EQ(expected[i], ran.out.substr(0, expected[i].size())) << all[i].snapshot;
  }
}

}  // namespace
}  // namespace getting_started_test
