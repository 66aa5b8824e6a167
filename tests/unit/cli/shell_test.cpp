// `egtrace shell`: as a script, and before a terminal.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "support/run.h"
#include "support/terminal.h"

namespace shell_test {
namespace {

using egt::testing::Ran;
using egt::testing::TemporaryDirectory;
using egt::testing::Terminal;

const std::string kRules = "0:\tfrom all lookup local\n5000:\tfrom 10.1.2.3 lookup 7\n32766:\tfrom all lookup main\n";

class Shell : public testing::Test {
 protected:
  Shell() {
    home_.file("dumps/w1/ip_rule", kRules);
    home_.file("dumps/w1/ip_addr", "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 state UNKNOWN\n    inet 127.0.0.1/8 scope host lo\n");
    home_.file("dumps/k8s/pods.yaml",
               "apiVersion: v1\nkind: Pod\nmetadata: {name: cart-1, namespace: shop}\nspec: {nodeName: w1}\n---\n"
               "apiVersion: v1\nkind: Pod\nmetadata: {name: \"red\\e[31m\", namespace: shop}\nspec: {nodeName: w1}\n");
    home_.file("other/w9/ip_rule", "0:\tfrom all lookup local\n5000:\tfrom 10.9.9.9 lookup 7\n");
  }
  Ran script(const std::string& lines, std::vector<std::string> more = {}) {
    std::vector<std::string> command = {EGTRACE_BINARY, "shell", "dumps"};
    command.insert(command.end(), more.begin(), more.end());
    return egt::testing::run(command, lines, home_.path());
  }
  std::string history() const { return home_.path() + "/state/egtrace/history"; }
  Terminal terminal() const {
    return Terminal({EGTRACE_BINARY, "shell", "dumps"}, home_.path(),
                    {"XDG_STATE_HOME=" + home_.path() + "/state", "TERM=dumb", "PAGER=cat", "INPUTRC=/dev/null"});
  }
  TemporaryDirectory home_;
};

std::string alone(const std::vector<std::string>& words, const std::string& directory) {
  std::vector<std::string> command = {EGTRACE_BINARY};
  command.insert(command.end(), words.begin(), words.end());
  return egt::testing::run(command, "", directory).out;
}

TEST_F(Shell, AnswersAsTheProgramDoes) {
  const Ran ran = script("lookup 10.1.2.3\ninspect --format json\negtrace lookup cart-1   # pasted\n");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, alone({"lookup", "dumps", "10.1.2.3"}, home_.path()) +
                         alone({"inspect", "dumps", "--format", "json"}, home_.path()) +
                         alone({"lookup", "dumps", "cart-1"}, home_.path()));
}

// Nothing of a line stays: not its options, not another snapshot that it named.
TEST_F(Shell, KeepsNothingOfALine) {
  const Ran ran = script("lookup w9 -q\nlookup other w9 -q\nlookup 10.1.2.3\nlookup w9 -q\n");
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(ran.out, alone({"lookup", "dumps", "w9", "-q"}, home_.path()) + alone({"lookup", "other", "w9", "-q"}, home_.path()) +
                         alone({"lookup", "dumps", "10.1.2.3"}, home_.path()) +
                         alone({"lookup", "dumps", "w9", "-q"}, home_.path()));
}

TEST_F(Shell, GoesOnBehindALineThatFailsAndEndsWithTheStatusOfTheFirst) {
  const Ran ran =
      script("# a comment\n\nlookup nothing-of-the-kind\nfrobnicate\nlookup \"open\ndecode 0x64580003\nexit\ndecode 1\n");
  EXPECT_EQ(ran.status, 3);
  EXPECT_NE(std::string::npos, ran.out.find("100.88.0.3"));
  EXPECT_EQ(std::string::npos, ran.out.find("decode 1"));
  for (const char* line : {"egtrace: line 3: exit status 3\n", "unknown command `frobnicate`", "egtrace: line 4: exit status 2\n",
                           "egtrace: the line lacks a second quote\n", "egtrace: line 5: exit status 2\n"})
    EXPECT_NE(std::string::npos, ran.err.find(line)) << line << "\n" << ran.err;
  EXPECT_EQ(std::string::npos, ran.err.find("line 6"));
}

TEST_F(Shell, RefusesWhatCannotBe) {
  EXPECT_EQ(script("shell\n").status, 2);
  EXPECT_EQ(egt::testing::run({EGTRACE_BINARY, "shell", "nowhere"}, "", home_.path()).status, 2);
  EXPECT_EQ(egt::testing::run({EGTRACE_BINARY, "shell", "-"}, kRules, home_.path()).status, 2);
  EXPECT_EQ(egt::testing::run({EGTRACE_BINARY, "shell"}, "", home_.path()).status, 2);
  EXPECT_EQ(
      egt::testing::run({EGTRACE_BINARY, "shell", "--dump", "w1:dumps/w1/ip_rule"}, "lookup 10.1.2.3 -q\n", home_.path()).status,
      0);
}

TEST_F(Shell, WritesNothingIntoTheSnapshot) {
  const Ran ran = script("lookup 10.1.2.3 -o dumps/answer\n");
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(std::string::npos, ran.err.find("lies in the snapshot"));
}

TEST_F(Shell, AnswersAtATerminalAndRemembersLinesForTheOwnerAlone) {
  {
    Terminal t = terminal();
    ASSERT_TRUE(t.wait_for("egtrace> "));
    t.type("lookup 10.1.2.3\r");
    ASSERT_TRUE(t.wait_for("policy rules that concern it")) << t.shown();
    t.type("frobnicate\r");
    ASSERT_TRUE(t.wait_for("unknown command")) << t.shown();
    ASSERT_TRUE(t.wait_for("egtrace> "));
    t.type("lookup nod");
    t.type("\x03");
    ASSERT_TRUE(t.wait_for("egtrace> ")) << t.shown();
    t.type("decode 0x64580003\r");
    ASSERT_TRUE(t.wait_for("100.88.0.3")) << t.shown();
    ASSERT_TRUE(t.wait_for("egtrace> "));
    t.type("quit\r");
    t.wait_for("nothing any more");
  }
  EXPECT_EQ("lookup 10.1.2.3\nfrobnicate\ndecode 0x64580003\nquit\n", egt::testing::read_file(history()));
  struct stat info {};
  ASSERT_EQ(0, ::stat(history().c_str(), &info));
  EXPECT_EQ(0600u, info.st_mode & 0777u);
  ASSERT_EQ(0, ::stat((home_.path() + "/state/egtrace").c_str(), &info));
  EXPECT_EQ(0700u, info.st_mode & 0777u);
}

TEST_F(Shell, PrintsNothingThatATerminalObeys) {
  Terminal t = terminal();
  ASSERT_TRUE(t.wait_for("egtrace> "));
  t.type("lookup shop/cart-2\r");
  ASSERT_TRUE(t.wait_for("egtrace> "));
  t.type("inspect -v\r");
  ASSERT_TRUE(t.wait_for("egtrace> "));
  EXPECT_EQ(std::string::npos, t.shown().find("\x1b[31m"));
}

// A line that waits for what never comes.
TEST_F(Shell, InterruptsTheLineAlone) {
  Terminal t = terminal();
  ASSERT_TRUE(t.wait_for("egtrace> "));
  t.type("sql -\r");
  ASSERT_TRUE(t.wait_for("sql -"));
  t.type("\x03");
  ASSERT_TRUE(t.wait_for("egtrace> ")) << t.shown();
  t.type("parse -\r");
  ASSERT_TRUE(t.wait_for("parse -"));
  t.type("\x03");
  ASSERT_TRUE(t.wait_for("egtrace> ")) << t.shown();
  t.type("decode 0x64580003\r");
  ASSERT_TRUE(t.wait_for("100.88.0.3")) << t.shown();
}

#ifdef EGTRACE_READLINE
TEST_F(Shell, CompletesVerbsOptionsAndNames) {
  Terminal t = terminal();
  ASSERT_TRUE(t.wait_for("egtrace> "));
  t.type("look\t");
  ASSERT_TRUE(t.wait_for("lookup ")) << t.shown();
  t.type("shop/c\t");
  ASSERT_TRUE(t.wait_for("shop/cart-1 ")) << t.shown();
  t.type("--for\t");
  ASSERT_TRUE(t.wait_for("--format ")) << t.shown();
  t.type("\x15help deco\t");
  ASSERT_TRUE(t.wait_for("help decode ")) << t.shown();
}
#endif

}  // namespace
}  // namespace shell_test
