// Long text at a terminal goes through the pager, whichever verb prints it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/terminal.h"

namespace pager_test {
namespace {

using egt::testing::Terminal;
using Words = std::vector<std::string>;

std::string shown(Words words, const std::string& pager) {
  words.insert(words.begin(), EGTRACE_BINARY);
  Terminal terminal(words, EGTRACE_SOURCE_DIR "/samples/egressip-secondary", {"PAGER=" + pager, "TERM=dumb"});
  terminal.wait_for("nothing that any verb prints");  // its end
  return terminal.shown();
}

const Words kLong[] = {{"explain", ".", "--from", "demo-egress/requester-3a", "--to", "192.168.55.13:80", "-vv"},
                       {"inspect", "."},
                       {"triage", "--list"},
                       {"audit", ".", "--width", "60"},
                       {"lookup", ".", "10.133.0.9"}};

TEST(Pager, ShowsWhatIsLongerThanTheTerminal) {
  for (const Words& words : kLong) {
    EXPECT_NE(std::string::npos, shown(words, "echo it pages").find("it pages")) << words[0];
    Words without = words;
    without.push_back("--no-pager");
    EXPECT_EQ(std::string::npos, shown(without, "echo it pages").find("it pages")) << words[0];
  }
  EXPECT_EQ(std::string::npos, shown({"decode", "0x64580003"}, "echo it pages").find("it pages"));
}

}  // namespace
}  // namespace pager_test
