// Summaries tell what led a packet to its end, not only the rule that ended it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/run.h"

namespace {

namespace fs = std::filesystem;

class SampleCopy {
 public:
  SampleCopy() {
    fs::copy(fs::path(EGTRACE_SOURCE_DIR) / "samples/egressip-secondary", folder_.path(),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
  void replace(const std::string& file, const std::string& from, const std::string& to) {
    const std::string path = folder_.path() + "/" + file;
    std::string text = egt::testing::read_file(path);
    const std::size_t at = text.find(from);
    ASSERT_NE(std::string::npos, at) << file;
    egt::testing::write_file(path, text.replace(at, from.size(), to));
  }
  // The summary as one line.
  std::string summary(std::vector<std::string> question) const {
    std::vector<std::string> command = {EGTRACE_BINARY, "explain", folder_.path(), "-q"};
    command.insert(command.end(), question.begin(), question.end());
    std::string out = egt::testing::run(command).out, line;
    for (const char c : out)
      if (c != '\n') line += c;
      else if (!line.empty()) line += ' ';
    for (std::size_t at = line.find("  "); at != std::string::npos; at = line.find("  ")) line.erase(at, 1);
    return line;
  }

 private:
  egt::testing::TemporaryDirectory folder_;
};

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

TEST(Reasons, TheAnswerGoesToTheWrongNode) {
  SampleCopy sample;
  const std::vector<std::string> question = {"--from", "demo-egress/requester-2a", "--to", "192.168.55.13:80", "--reply"};
  EXPECT_FALSE(says(sample.summary(question), "no answer comes back")) << sample.summary(question);
  sample.replace("router/ip_route_show_table_all", "192.168.66.100 nhid 10 via 192.168.99.24", "192.168.66.100 nhid 10 via 192.168.99.23");
  const std::string summary = sample.summary(question);
  EXPECT_TRUE(says(summary, "no answer comes back")) << summary;
  EXPECT_TRUE(says(summary, "sends it to the wrong node: master-02-demo gave the request the address 192.168.66.100")) << summary;
}

TEST(Reasons, TheAnswerHasNoRoute) {
  SampleCopy sample;
  sample.replace("router/ip_route_show_table_all", "192.168.66.100 nhid", "192.168.66.101 nhid");
  const std::string summary = sample.summary({"--from", "demo-egress/requester-2a", "--to", "192.168.55.13:80", "--reply"});
  EXPECT_TRUE(says(summary, "but no answer comes back")) << summary;
  EXPECT_FALSE(says(summary, "wrong node")) << summary;
}

}  // namespace
