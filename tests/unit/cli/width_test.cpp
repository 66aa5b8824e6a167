// Text fits the terminal, whatever dumps and files are called.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/columns.h"
#include "support/run.h"
#include "support/terminal.h"

namespace width_test {
namespace {

namespace fs = std::filesystem;
using egt::testing::Ran;
using egt::testing::TemporaryDirectory;
using Words = std::vector<std::string>;

const std::string kSample = EGTRACE_SOURCE_DIR "/samples/egressip-secondary";

std::size_t widest(std::string_view text) {
  std::size_t most = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    most = std::max(most, egt::columns_of(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return most;
}

Ran egtrace(Words words, const std::string& directory = "") {
  words.insert(words.begin(), EGTRACE_BINARY);
  return egt::testing::run(words, "", directory);
}

// One node of the sample, deep in folders, with names from all over the world.
class Width : public testing::Test {
 protected:
  Width() {
    const std::string folder = d_.path() + "/案件-2026-ノード調査/a-support-case-with-a-name-that-is-longer-than-any-line/w1";
    fs::create_directories(folder);
    for (const auto& file : fs::directory_iterator(kSample + "/master-02-demo"))
      fs::copy_file(file.path(), folder + "/" + file.path().filename().string());
    egt::testing::write_file(
        folder + "/ovs-ofctl_dump-flows_br9",
        " cookie=0x1, duration=1.0s, table=0, n_packets=0, n_bytes=0, priority=1,in_port=\"größe-ノードの調査\" "
        "actions=frobnicate:1\n");
  }
  TemporaryDirectory d_;
};

TEST_F(Width, OfEveryVerb) {
  for (const Words& words :
       {Words{"explain", ".", "--from", "demo-egress/requester-2a", "--to", "192.168.55.13:80"},
        {"explain", ".", "--from", "demo-egress/requester-2a", "--to", "[fd55::13]:80", "-vv"},
        {"assert", ".", "--from", "demo-egress/requester-2a", "--to", "192.168.55.13:80", "--snat", "192.0.2.7"},
        {"triage", ".", "-v"},
        {"triage", "--list"},
        {"audit", ".", "--to", "192.168.55.13:80"},
        {"check", ".", "--from-objects", "-v"},
        {"inspect", ".", "-vv"},
        {"lookup", ".", "10.132.0.13", "-v"},
        {"flows", ".", "--bridge", "br-ex", "-v"},
        {"flows", ".", "--by", "lflow", "--top", "20"},
        {"diff", kSample, ".", "--only", "rules", "--only", "routes", "--only", "logical flows"},
        {"decode", "load:0x64580003->NXM_NX_XXREG0[96..127]"}})
    for (const std::size_t width : {60U, 80U, 200U}) {
      Words with = words;
      with.insert(with.end(), {"--width", std::to_string(width)});
      const Ran ran = egtrace(with, d_.path());
      EXPECT_NE(2, ran.status) << ran.err;
      EXPECT_LE(widest(ran.out), width) << words.front() << "\n" << ran.out;
    }
}

TEST_F(Width, PathsAreNeverBroken) {
  const std::string out =
      egtrace({"explain", ".", "--from", "demo-egress/requester-2a", "--to", "192.168.55.13:80"}, d_.path()).out;
  EXPECT_NE(std::string::npos, out.find("/iptables-save:")) << out;
  EXPECT_EQ(std::string::npos, out.find("/\n"));
}

TEST_F(Width, CaretsStandBelowTheirCharacters) {
  const std::string out = egtrace({"inspect", ".", "-v", "--width", "60"}, d_.path()).out;
  const std::size_t caret = out.find("^\n");
  ASSERT_NE(std::string::npos, caret) << out;
  const std::size_t begin = out.rfind('\n', caret) + 1, line = out.rfind('\n', begin - 2) + 1;
  const std::string quoted = out.substr(line, begin - 1 - line);
  const std::size_t word = quoted.find("in_port");
  ASSERT_NE(std::string::npos, word) << quoted;
  EXPECT_EQ(egt::columns_of(quoted.substr(0, word)), caret - begin) << quoted;
}

TEST(Help, FitsEightyColumns) {
  Words verbs = {""};
  for (const char* verb :
       {"explain", "assert", "check", "triage",  "audit", "trace",   "ltrace",  "pcap",       "lookup", "flows",
        "merge",   "decode", "diff",  "inspect", "parse", "compile", "collect", "completion", "shell",  "serve"})
    verbs.emplace_back(verb);
  for (const std::string& verb : verbs) {
    const Ran ran = verb.empty() ? egtrace({"--help"}) : egtrace({verb, "--help"});
    EXPECT_EQ(0, ran.status);
    EXPECT_LE(widest(ran.out), 80U) << ran.out;
  }
}

// Where it is a terminal its columns count, or what COLUMNS says; a width that nobody has is taken for the nearest.
TEST(Terminal, TellsTheWidth) {
  const auto shown = [](const std::string& columns) {
    egt::testing::Terminal terminal({EGTRACE_BINARY, "explain", kSample, "--from", "demo-egress/requester-3a", "--to",
                                     "192.168.55.13:80", "-q", "--no-pager", "--color", "never"},
                                    ".", {"COLUMNS=" + columns});
    terminal.wait_for("br-ex\r\n");
    std::string text = terminal.shown();
    std::erase(text, '\r');
    return text;
  };
  EXPECT_GT(widest(shown("120")), 80U);
  EXPECT_LE(widest(shown("120")), 120U);
  EXPECT_LE(widest(shown("10")), 60U);
  EXPECT_LE(widest(egtrace({"explain", kSample, "--from", "demo-egress/requester-3a", "--to", "192.168.55.13:80", "-q"}).out),
            80U);
}

}  // namespace
}  // namespace width_test
