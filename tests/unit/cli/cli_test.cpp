// The command line as users meet it: statuses, streams, the one error line.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/run.h"

namespace {

using egt::testing::Ran;
using egt::testing::TemporaryDirectory;

Ran egtrace(std::vector<std::string> arguments, const std::string& input = "") {
  arguments.insert(arguments.begin(), EGTRACE_BINARY);
  return egt::testing::run(arguments, input);
}

void expect_one_error_line(const Ran& ran, const std::string& part) {
  EXPECT_EQ(2, ran.status);
  EXPECT_EQ("", ran.out);
  EXPECT_TRUE(ran.err.starts_with("egtrace: ")) << ran.err;
  EXPECT_EQ(1, std::count(ran.err.begin(), ran.err.end(), '\n')) << ran.err;
  EXPECT_NE(std::string::npos, ran.err.find(part)) << ran.err;
}

TEST(Cli, VersionAndHelp) {
  const Ran version = egtrace({"--version"});
  EXPECT_EQ(0, version.status);
  EXPECT_TRUE(version.out.starts_with("egtrace ")) << version.out;
  const Ran help = egtrace({"--help"});
  EXPECT_EQ(0, help.status);
  EXPECT_NE(std::string::npos, help.out.find("parse"));
  EXPECT_EQ(0, egtrace({"parse", "--help"}).status);
}

// What is odd in the dumps is no second line beside the error, but it is shown where the verb has done its work.
TEST(Cli, WarningsDoNotMixWithTheError) {
  const TemporaryDirectory d;
  d.file("w1/ip_rule", "0:\tfrom all lookup local\n7: nonsense\n32766:\tfrom all lookup main\n");
  expect_one_error_line(egtrace({"explain", d.path(), "--from", "a/b", "--to", "192.0.2.1"}), "a/b");
  const Ran ran = egtrace({"inspect", d.path()});
  EXPECT_EQ(0, ran.status);
  EXPECT_EQ("egtrace: 1 line not understood; `egtrace inspect` lists it\n", ran.err);
}

// What a dump brings along moves no cursor and breaks no reader of UTF-8; only `parse` gives it back as it is.
TEST(Cli, OddBytesOfADumpAreNotPassedOn) {
  const TemporaryDirectory d;
  const std::string line = "7:\x1b]0;title\x07 \xff\xc3( lookup";
  const std::string file = d.file("w1/ip_rule", "0:\tfrom all lookup local\n" + line + "\n32766:\tfrom all lookup main\n");
  const Ran ran = egtrace({"inspect", d.path()});
  EXPECT_NE(std::string::npos, ran.out.find("\xef\xbf\xbd]0;title\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd( lookup")) << ran.out;
  EXPECT_EQ(std::string::npos, (ran.out + ran.err).find_first_of("\x1b\x07\xff"));
  const Ran parsed = egtrace({"parse", file});
  EXPECT_NE(std::string::npos, parsed.out.find(line));
  EXPECT_EQ(std::string::npos, parsed.err.find_first_of("\x1b\x07\xff"));
}

TEST(Cli, MistypedThingsAreAnsweredWithTheNearest) {
  expect_one_error_line(egtrace({"prase"}), "did you mean `parse`?");
  expect_one_error_line(egtrace({"parse", "--fromat", "json", "x"}), "did you mean `--format`?");
  expect_one_error_line(egtrace({"parse", "--format", "jsno", "x"}), "json");
  expect_one_error_line(egtrace({"parse", "-o", "json", "x"}), "did you mean `--format json`?");
  expect_one_error_line(egtrace({}), "no command");
  expect_one_error_line(egtrace({"parse"}), "FILE");
}

TEST(Cli, ParsePrintsADumpBack) {
  const std::string rules = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n";
  const Ran text = egtrace({"parse", "-"}, rules);
  EXPECT_EQ(0, text.status) << text.err;
  EXPECT_EQ(rules, text.out);
  const Ran json = egtrace({"parse", "--format", "json", "-"}, rules);
  EXPECT_EQ(0, json.status) << json.err;
  EXPECT_NE(std::string::npos, json.out.find("\"schema\": \"egtrace.parse/1\""));
}

TEST(Cli, ParseWritesToAFile) {
  const TemporaryDirectory d;
  const std::string rules = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n";
  const Ran ran = egtrace({"parse", "-o", d.path() + "/out", d.file("ip_rule", rules)});
  EXPECT_EQ(0, ran.status) << ran.err;
  EXPECT_EQ("", ran.out);
  EXPECT_EQ(rules, egt::testing::read_file(d.path() + "/out"));
}

TEST(Cli, UnusableInputIsOneLine) {
  const TemporaryDirectory d;
  expect_one_error_line(egtrace({"parse", d.path() + "/none"}), "no such file");
  expect_one_error_line(egtrace({"parse", d.path()}), "is a directory");
  expect_one_error_line(egtrace({"parse", d.file("empty", "")}), "is empty");
  expect_one_error_line(egtrace({"parse", d.file("bin", std::string("\0\1\2", 3))}), "binary");
  expect_one_error_line(egtrace({"parse", d.file("prose", "hello\n")}), "--kind");
  expect_one_error_line(egtrace({"parse", "--kind", "ip rul", d.file("x", "0:\tfrom all lookup local\n")}), "did you mean");
}

TEST(Cli, StrictRefusesWhatIsNotUnderstood) {
  const std::string rules = "0:\tfrom all lookup local\n@@@ what is this\n32766:\tfrom all lookup main\n";
  EXPECT_EQ(0, egtrace({"parse", "--kind", "ip rule", "-q", "-"}, rules).status);
  const Ran strict = egtrace({"parse", "--kind", "ip rule", "--strict", "-q", "-"}, rules);
  EXPECT_EQ(2, strict.status);
  EXPECT_NE(std::string::npos, strict.err.find("(standard input):2:")) << strict.err;
}

}  // namespace
