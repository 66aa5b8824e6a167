// Shell completion: what may come next, and bash asking for it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/run.h"

namespace {

using egt::testing::Ran;

const std::string kCompleted = EGTRACE_SOURCE_DIR "/samples/egressip-secondary";

std::string candidates(std::vector<std::string> words) {
  std::vector<std::string> command = {EGTRACE_BINARY, "completion", "--candidates", "--"};
  command.insert(command.end(), words.begin(), words.end());
  return egt::testing::run(command).out;
}

bool has(const std::string& text, const std::string& line) { return ("\n" + text).find("\n" + line + "\n") != std::string::npos; }

TEST(Completion, OffersVerbsOptionsAndValues) {
  EXPECT_EQ("assert\naudit\n", candidates({"a"}));
  EXPECT_TRUE(has(candidates({""}), "explain"));
  EXPECT_EQ("--from\n", candidates({"explain", "x", "--fr"}));
  EXPECT_EQ("csv\nhtml\njson\ntable\ntext\n", candidates({"audit", "x", "--format", ""}));
  EXPECT_EQ("--color=always\n", candidates({"audit", "x", "--color=al"}));
  EXPECT_EQ("bash\n", candidates({"completion", "b"}));
  EXPECT_EQ(":files\n", candidates({"explain", ""}));
  EXPECT_EQ(":files\n", candidates({"check", "x", "--junit", ""}));
  EXPECT_EQ("stale-mac\n", candidates({"triage", "x", "--only", "stale-m"}));
  EXPECT_EQ("", candidates({"nosuchverb", "x"}));
}

TEST(Completion, OffersNamesOfTheSnapshot) {
  EXPECT_TRUE(has(candidates({"explain", kCompleted, "--from", "demo-egress/requester-"}), "demo-egress/requester-3a"));
  EXPECT_TRUE(has(candidates({"explain", kCompleted, "--reply", "--to=node:master-0"}), "--to=node:master-01-demo"));
  EXPECT_TRUE(has(candidates({"trace", kCompleted, "--bridge", "br-"}), "br-int"));
  EXPECT_TRUE(has(candidates({"lookup", kCompleted, "demo-egress/"}), "demo-egress/requester-3a"));
  EXPECT_EQ("", candidates({"explain", "/nonexistent", "--from", ""}));
}

TEST(Completion, OffersNoNameThatAShellWouldRun) {
  const egt::testing::TemporaryDirectory d;
  std::string pods;
  for (const char* name : {"a", "$(touch x)", "`id`", "b;id", "c d", "e\u2066f", "g'h", "-o", "~", "i*", "{1,2}", "!!"})
    pods += "---\napiVersion: v1\nkind: Pod\nmetadata: {name: \"" + std::string(name) + "\", namespace: ns}\n";
  d.file("pods.yaml", pods + "---\napiVersion: v1\nkind: Node\nmetadata: {name: --output=x}\n");
  EXPECT_EQ("ns/-o\nns/a\n", candidates({"explain", d.path(), "--from", ""}));
  EXPECT_EQ("", candidates({"explain", d.path(), "--arrive-at", ""}));
}

TEST(Completion, BashAsks) {
  const std::string binary = EGTRACE_BINARY;
  const std::string folder = binary.substr(0, binary.rfind('/'));
  const auto ask = [&](const std::string& line) {
    const Ran ran = egt::testing::run({"bash", "-c",
                                       "PATH=" + folder +
                                           ":$PATH; source <(egtrace completion bash); COMP_WORDBREAKS=$' \\t\\n\"><=;|&(:'\n"
                                           "COMP_LINE='" +
                                           line + "'; COMP_POINT=${#COMP_LINE}; _egtrace; printf '%s\\n' \"${COMPREPLY[@]}\""});
    EXPECT_EQ("", ran.err);
    return ran.out;
  };
  EXPECT_EQ("inspect\n", ask("egtrace ins"));
  EXPECT_EQ("demo-egress/requester-3a\n", ask("egtrace explain " + kCompleted + " --from demo-egress/requester-3a"));
  EXPECT_EQ("master-01-demo\n", ask("egtrace explain " + kCompleted + " --from node:master-01"));  // behind the colon
  EXPECT_EQ("always\n", ask("egtrace explain x --color=al"));
}

TEST(Completion, PrintsAScriptForEachShell) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Ran ran = egt::testing::run({EGTRACE_BINARY, "completion", shell});
    EXPECT_EQ(0, ran.status);
    EXPECT_NE(std::string::npos, ran.out.find("egtrace completion --candidates --")) << shell;
  }
  const Ran ran = egt::testing::run({EGTRACE_BINARY, "completion", "tcsh"});
  EXPECT_EQ(2, ran.status);
  EXPECT_EQ("egtrace: which shell? bash, zsh or fish\n", ran.err);
}

}  // namespace
