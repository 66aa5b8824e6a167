// Options stand before the verb or behind it, and dumps that are named one by one need no snapshot.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/run.h"

namespace options_test {
namespace {

using egt::testing::Ran;
using egt::testing::TemporaryDirectory;
using Words = std::vector<std::string>;

Ran egtrace(Words words) {
  words.insert(words.begin(), EGTRACE_BINARY);
  return egt::testing::run(words);
}

TEST(Options, StandBeforeTheVerbOrBehindIt) {
  const std::string value = "0x64580003";
  for (const Words& options : {Words{"--color", "always"},
                               {"--color=always"},
                               {"--format", "json"},
                               {"-v"},
                               {"-qv"},
                               {"--jobs", "1", "--max-memory", "2G"},
                               {"--no-pager", "--strict"},
                               {"--width", "60"},
                               {"-q", "--format=json", "--jobs=2"}}) {
    Words before = options, behind = {"decode", value};
    before.insert(before.end(), {"decode", value});
    behind.insert(behind.end(), options.begin(), options.end());
    const Ran a = egtrace(before), b = egtrace(behind);
    EXPECT_EQ(0, a.status) << a.err;
    EXPECT_EQ(b.out, a.out);
  }
  const TemporaryDirectory d;
  EXPECT_EQ(0, egtrace({"-o", d.path() + "/out", "decode", value}).status);
  EXPECT_NE(std::string::npos, egt::testing::read_file(d.path() + "/out").find("100.88.0.3"));
}

TEST(Options, MistakesBeforeTheVerbAreNamed) {
  const auto complaint = [](const Words& words) {
    const Ran ran = egtrace(words);
    EXPECT_EQ(2, ran.status);
    EXPECT_EQ("", ran.out);
    return ran.err;
  };
  EXPECT_EQ("egtrace: no command given; see `egtrace --help`\n", complaint({"--color", "never"}));
  EXPECT_EQ("egtrace: unknown command `prase`; did you mean `parse`?\n", complaint({"--color", "never", "prase"}));
  EXPECT_EQ("egtrace: unknown option `--colr`; did you mean `--color`?\n", complaint({"--colr", "never", "decode", "1"}));
  EXPECT_NE(std::string::npos, complaint({"-o", "json", "decode", "1"}).find("did you mean `--format json`?"));
}

TEST(Options, DumpsNeedNoSnapshot) {
  const TemporaryDirectory d;
  const std::string dump =
      d.file("ip_rule", "0:\tfrom all lookup local\n5000:\tfrom 10.1.2.3 lookup 7\n32766:\tfrom all lookup main\n");
  const Ran ran = egtrace({"lookup", "--dump", "w1:" + dump, "10.1.2.3"});
  EXPECT_EQ(0, ran.status) << ran.err;
  EXPECT_NE(std::string::npos, ran.out.find("policy rule")) << ran.out;
  EXPECT_EQ(2, egtrace({"lookup", "--dump", "w1:" + dump}).status);
}

TEST(Options, AreCompletedBehindThoseBeforeTheVerb) {
  EXPECT_EQ("decode\n", egtrace({"completion", "--candidates", "--", "--color", "never", "deco"}).out);
  EXPECT_EQ("--format\n", egtrace({"completion", "--candidates", "--", "--color", "never", "decode", "--form"}).out);
}

class DefaultSnapshot : public ::testing::Test {
 protected:
  static std::string sample() { return std::string(EGTRACE_SOURCE_DIR) + "/samples/egressip-secondary"; }
  // The call in a working directory of its own.
  Ran run_there(const std::string& words) const {
    return egt::testing::run({"sh", "-c", "cd " + directory_.path() + " && " + words});
  }
  TemporaryDirectory directory_;
};

TEST_F(DefaultSnapshot, OfTheEnvironment) {
  const std::string call = "EGTRACE_SNAPSHOT=" + sample() + " " + EGTRACE_BINARY;
  EXPECT_EQ(0, run_there(call + " inspect -q").status);
  const Ran named = egtrace({"lookup", sample(), "demo-egress"}), by_default = run_there(call + " lookup demo-egress");
  EXPECT_EQ(0, by_default.status) << by_default.err;
  EXPECT_EQ(named.out, by_default.out);
}

TEST_F(DefaultSnapshot, OfAFileInTheWorkingDirectory) {
  egt::testing::write_file(directory_.path() + "/.egtrace", "# of ticket 4711\n" + sample() + "\n");
  const Ran ran = run_there(std::string(EGTRACE_BINARY) + " inspect -q");
  EXPECT_EQ(0, ran.status) << ran.err;
  EXPECT_NE(std::string::npos, ran.out.find("master-01-demo"));
}

TEST_F(DefaultSnapshot, NoneIsNamed) {
  const Ran ran = run_there("env -u EGTRACE_SNAPSHOT " + std::string(EGTRACE_BINARY) + " inspect");
  EXPECT_EQ(2, ran.status);
  EXPECT_NE(std::string::npos, ran.err.find("EGTRACE_SNAPSHOT"));
}

}  // namespace
}  // namespace options_test
