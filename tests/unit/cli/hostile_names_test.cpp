// Names that turn text round, colour it, or mean something to a browser or a spreadsheet, through every format of every verb.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "egtrace/base/sha256.h"
#include "support/run.h"

namespace {

namespace fs = std::filesystem;
using egt::testing::Ran;
using egt::testing::read_file;
using egt::testing::TemporaryDirectory;

class HostileNames : public ::testing::Test {
 protected:
  void SetUp() override {
    const fs::path dumps = fs::path(home_.path()) / "dumps";
    fs::create_directory(dumps);
    for (const char* node : {"master-01-demo", "k8s"})
      fs::copy(EGTRACE_SOURCE_DIR "/samples/egressip-secondary/" + std::string(node), dumps / node, fs::copy_options::recursive);
    std::string pods;
    for (const char* name : {"\\u202egpj.exe", "zero\\u200bwidth", "c1\\u009b31m", "sgr\\e[31mred\\e[0m", "title\\e]0;x\\a",
                             "<script>alert(1)</script>", "]]>&x;"})
      pods +=
          "---\napiVersion: v1\nkind: Pod\nmetadata: {name: \"" + std::string(name) +
          "\", namespace: \"=cmd\"}\nspec: {nodeName: master-01-demo}\nstatus: {podIP: 10.133.0.9, podIPs: [{ip: 10.133.0.9}]}\n";
    home_.file("dumps/k8s/hostile.yaml", pods);
    home_.file("dumps/master-01-demo/ovs-ofctl_dump-flows_br-odd",
               " cookie=0x1, duration=1.5s, table=0, n_packets=0, n_bytes=0, priority=1,ip actions=\033[31mdrop\xe2\x80\xae\n");
  }

  // Nothing in it that a terminal, a browser or a reader would be misled by. `colours`: ours may stand there.
  static void expect_harmless(const std::string& what, const std::string& text, bool colours = false) {
    for (const char* harm : {"\u202e", "\u200b", "\xc2\x9b", "\033]", "\a", "\033[31m"})
      EXPECT_EQ(std::string::npos, text.find(harm))
          << what << ": " << std::regex_replace(std::string(harm), std::regex("\033"), "ESC");
    EXPECT_TRUE(colours || text.find('\033') == std::string::npos) << what;
  }

  std::string egtrace(std::vector<std::string> arguments, bool colours = false) {
    const std::string what = arguments[0] + " " + arguments.back();
    arguments.insert(arguments.begin(), EGTRACE_BINARY);
    const Ran ran = egt::testing::run(arguments, "", home_.path());
    EXPECT_NE(2, ran.status) << what << ran.err;
    expect_harmless(what, ran.out, colours);
    expect_harmless(what, ran.err);
    return ran.out;
  }

  TemporaryDirectory home_;
};

TEST_F(HostileNames, AreShownAsEscapes) {
  const std::string lookup = egtrace({"lookup", "dumps", "10.133.0.9", "--color", "always"}, true);
  EXPECT_NE(std::string::npos, lookup.find("\\u202egpj.exe"));
  for (const char* format : {"text", "json", "csv", "table"}) egtrace({"audit", "dumps", "-n", "=cmd", "--format", format});
  egtrace({"triage", "dumps", "--format", "github"});
  for (const char* format : {"text", "json"}) {
    egtrace({"inspect", "dumps", "-vv", "--format", format});
    egtrace({"triage", "dumps", "--format", format});
    egtrace({"lookup", "dumps", "10.133.0.9", "--format", format});
  }
  for (const char* format : {"text", "json", "html", "mermaid"})
    egtrace({"explain", "dumps", "--from", "10.133.0.9", "--to", "192.0.2.1:80", "--format", format});
  for (const char* format : {"text", "json", "csv"}) egtrace({"flows", "dumps", "--format", format});
  egtrace({"trace", "dumps", "--node", "master-01-demo", "--bridge", "br-odd", "in_port=1,ip", "--color", "always"}, true);
}

TEST_F(HostileNames, JsonMeansWhatTheyAre) {
  const auto found = nlohmann::json::parse(egtrace({"lookup", "dumps", "10.133.0.9", "--format", "json"}));
  EXPECT_NE(std::string::npos, found.dump().find("\u202egpj.exe"));
}

TEST_F(HostileNames, AreNoFormulas) {
  const std::string csv = egtrace({"audit", "dumps", "-n", "=cmd", "--format", "csv"});
  EXPECT_NE(std::string::npos, csv.find("\n'=cmd,")) << csv;
  EXPECT_EQ(std::string::npos, csv.find("\n=cmd,"));
}

TEST_F(HostileNames, ReportsOfCheck) {
  home_.file("e.yaml", "version: 1\nexpect:\n  - {name: \"n \\u202e ]]> <x>\", from: \"=cmd/*\", to: 192.0.2.1:80}\n");
  egtrace(
      {"check", "dumps", "e.yaml", "--format", "github", "--junit", "j.xml", "--sarif", "s.json", "--write-baseline", "b.json"});
  for (const char* file : {"j.xml", "s.json"}) expect_harmless(file, read_file(home_.path() + "/" + file));
  const auto sarif = nlohmann::json::parse(read_file(home_.path() + "/s.json")).dump();
  EXPECT_EQ(std::string::npos, sarif.find("\u202e"));  // also to those who read the JSON
  EXPECT_NE(std::string::npos, sarif.find("u202e"));
}

TEST_F(HostileNames, ThePageRunsItsOwnScriptAlone) {
  const std::string page = egtrace({"explain", "dumps", "--from", "10.133.0.9", "--to", "192.0.2.1:80", "--format", "html"});
  EXPECT_EQ(std::string::npos, page.find("unsafe-inline"));
  EXPECT_EQ(std::string::npos, page.find(" style=\""));  // which the policy forbids
  for (const char* tag : {"style", "script"}) {
    const std::string open = "<" + std::string(tag) + ">", close = "</" + std::string(tag) + ">";
    const std::size_t begin = page.find(open) + open.size();
    const std::string text = page.substr(begin, page.find(close, begin) - begin);
    EXPECT_NE(std::string::npos, page.find(std::string(tag) + "-src 'sha256-" + egt::sha256_base64(text) + "'")) << tag;
    EXPECT_EQ(std::string::npos, page.find(open, begin)) << tag;
  }
}

}  // namespace
