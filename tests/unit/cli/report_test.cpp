// The page about a snapshot: complete, of one file, harmless whatever the snapshot holds. (tests/unit/browser opens it.)
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "egtrace/base/sha256.h"
#include "support/hostile_snapshot.h"
#include "support/run.h"
#include "support/sample.h"

namespace report_test {
namespace {

namespace fs = std::filesystem;
using egt::testing::Ran;
using egt::testing::read_file;
using egt::testing::TemporaryDirectory;

const std::string kSample = EGTRACE_SOURCE_DIR "/samples/egressip-secondary";

const std::string kCaptures = EGTRACE_SOURCE_DIR "/tests/golden/pcap-egressip-secondary/captures";

std::string page(std::vector<std::string> words) {
  words.insert(words.begin(), EGTRACE_BINARY);
  const Ran ran = egt::testing::run(words);
  EXPECT_EQ(words[1] == "diff" ? 1 : 0, ran.status) << ran.err;
  return ran.out;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// One style, one script, and a policy that names both and nothing else; no element that is not closed.
void expect_of_one_file(const std::string& what, const std::string& html) {
  EXPECT_LT(html.size(), std::size_t{5} << 20) << what;
  for (const char* foreign :
       {"http://", "https://", " src=\"", " style=\"", "unsafe-inline", "<link", "@import", "url(", " onclick", "javascript:"})
    EXPECT_EQ(std::string::npos, html.find(foreign)) << what << ": " << foreign;
  for (const char* tag : {"style", "script"}) {
    const std::string open = "<" + std::string(tag) + ">", close = "</" + std::string(tag) + ">";
    ASSERT_EQ(1u, count(html, open)) << what;
    ASSERT_EQ(1u, count(html, close)) << what;
    const std::size_t begin = html.find(open) + open.size();
    const std::string text = html.substr(begin, html.find(close) - begin);
    EXPECT_NE(std::string::npos, html.find(std::string(tag) + "-src 'sha256-" + egt::sha256_base64(text) + "'"))
        << what << " " << tag;
  }
  for (const char* tag : {"details", "section", "article", "ol", "div", "table", "tr", "svg", "g", "p", "code", "a"})
    EXPECT_EQ(count(html, "<" + std::string(tag) + " ") + count(html, "<" + std::string(tag) + ">"),
              count(html, "</" + std::string(tag) + ">"))
        << what << " " << tag;
}

// Every link leads to an element of the page, and no two have one id.
void expect_links(const std::string& html) {
  static const std::regex id(" id=\"([^\"]*)\""), link(" href=\"#([^\"]*)\"");
  std::set<std::string> ids;
  for (std::sregex_iterator i(html.begin(), html.end(), id), end; i != end; ++i)
    EXPECT_TRUE(ids.insert((*i)[1]).second) << (*i)[1];
  for (std::sregex_iterator i(html.begin(), html.end(), link), end; i != end; ++i) EXPECT_TRUE(ids.contains((*i)[1])) << (*i)[1];
}

TEST(Report, HasAllParts) {
  const std::string html = page({"report", kSample, "--pair", "demo-egress/requester-3a=192.0.2.1:443"});
  expect_of_one_file("report", html);
  expect_links(html);
  for (const char* id : {"summary", "findings", "map", "audit", "paths", "evidence", "dumps"})
    EXPECT_EQ(1u, count(html, " id=\"" + std::string(id) + "\"")) << id;
  EXPECT_NE(std::string::npos, html.find("asked for"));
  EXPECT_NE(std::string::npos, html.find("192.0.2.1:443"));
  EXPECT_NE(std::string::npos, html.find("class=\"tunnel\""));
  EXPECT_NE(std::string::npos, html.find("printed by <code class=\"command\">"));
  EXPECT_EQ(html, page({"report", kSample, "--pair", "demo-egress/requester-3a=192.0.2.1:443", "--jobs", "1"}));
}

// Five lines before and behind a line of evidence, as the dump has them.
TEST(Report, ShowsEvidenceAmongItsNeighbours) {
  const std::string html = page({"report", kSample, "--paths", "2"});
  static const std::regex rule(
      "<li id=\"e[0-9]+\" class=\"hit\" data-line=\"([0-9]+)\"><code>[^\n]*SNAT[^\n]*</code></li>\n<li data-line=\"([0-9]+)\">");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(html, found, rule));
  EXPECT_EQ(std::stoi(found[1]) + 1, std::stoi(found[2]));
}

TEST(Report, RefusesWhatIsNoPair) {
  for (const char* pair : {"demo-egress/requester-3a", "=192.0.2.1", "demo-egress/nobody=192.0.2.1"}) {
    const Ran ran = egt::testing::run({EGTRACE_BINARY, "report", kSample, "--pair", pair});
    EXPECT_EQ(2, ran.status) << pair;
    EXPECT_NE(std::string::npos, ran.err.find("--pair: ")) << ran.err;
    EXPECT_EQ("", ran.out);
  }
}

// Without the rules that the sample's egress IP needs.
void break_egress_ip(egt::testing::Sample& sample) {
  for (const char* file : {"iptables-save", "iptables_-t_nat_-S"})
    sample.without_lines("master-02-demo/" + std::string(file), "--to-source 192.168.66.100");
  sample.without_lines("master-02-demo/nft_list_ruleset", "snat to 192.168.66.100");
}

TEST(Report, PagesOfOtherVerbsAreItsParts) {
  const TemporaryDirectory home;
  egt::testing::Sample broken;
  break_egress_ip(broken);
  const std::string expectations = home.file(
      "e.yaml", "version: 1\nexpect:\n  - {name: n, from: demo-egress/requester-3a, to: 192.168.55.13:80, outcome: answered}\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> verbs = {{{"triage", kSample}, "findings"},
                                                                               {{"audit", kSample}, "audit"},
                                                                               {{"inspect", kSample}, "dumps"},
                                                                               {{"check", kSample, expectations}, "expectations"},
                                                                               {{"pcap", kSample, kCaptures}, "captured"},
                                                                               {{"diff", kSample, broken.path()}, "differences"}};
  for (auto [words, part] : verbs) {
    words.insert(words.end(), {"--format", "html"});
    const std::string html = page(words);
    expect_of_one_file(words[0], html);
    expect_links(html);
    EXPECT_EQ(1u, count(html, "data-part=\"" + part + "\"")) << words[0];
    EXPECT_EQ(0u, count(html, "data-part=\"map\"")) << words[0];
  }
}

// What follows from the rule stands in its item, and each side has its own evidence.
TEST(Report, ComparesTwoSnapshots) {
  egt::testing::Sample broken;
  break_egress_ip(broken);
  const std::string html = page({"diff", kSample, broken.path(), "--format", "html"});
  EXPECT_NE(std::string::npos, html.find("<h3>Changes paths</h3>\n<details class=\"item\" id=\"difference-1\""));
  EXPECT_NE(std::string::npos, html.find("<del>answered as 192.168.66.100 by master-02-demo br-ex</del>"));
  EXPECT_NE(std::string::npos, html.find(">before: master-02-demo/iptables-save"));
  EXPECT_EQ(1u, count(html, " id=\"dumps-before\""));
  EXPECT_EQ(1u, count(html, "<h1>egressip-secondary \xe2\x86\x92 " + fs::path(broken.path()).filename().string() + "</h1>"));
}

TEST(Report, ShowsCapturedFlows) {
  const std::string html = page({"pcap", kSample, kCaptures, "--format", "html"});
  EXPECT_NE(std::string::npos, html.find("<span class=\"verdict good\">answered</span> tcp <b>10.133.0.9:"));
  EXPECT_NE(std::string::npos, html.find("SYN-ACK, data, FIN <span class=\"soft\">(reply)</span>"));
  EXPECT_NE(std::string::npos, html.find("<span class=\"encap small\">in geneve"));
  EXPECT_NE(std::string::npos, html.find("<td class=\"path-of-file\">master-02-demo__br-ex.pcap</td>"));
  EXPECT_EQ(std::string::npos, html.find(kCaptures));
}

class HostileReport : public ::testing::Test {
 protected:
  TemporaryDirectory home_;
  std::string dumps_ = egt::testing::hostile_snapshot(home_);
};

TEST_F(HostileReport, HasNoMarkupOfTheirs) {
  const std::vector<std::vector<std::string>> calls = {{"report"},
                                                       {"triage", "--format", "html"},
                                                       {"audit", "--format", "html"},
                                                       {"inspect", "--format", "html"},
                                                       {"diff", kSample, "--format", "html"},
                                                       {"pcap", kCaptures, "--format", "html"}};
  for (std::vector<std::string> words : calls) {
    words.insert(words.begin() + 1, dumps_);
    const std::string html = page(words);
    expect_of_one_file(words[0], html);
    for (const char* harm : {"<script>alert", "<img", "\u202e", "</title></svg>", "hidden-canary", "\xff"})
      EXPECT_EQ(std::string::npos, html.find(harm)) << words[0] << ": " << harm;
    EXPECT_EQ(std::string::npos, html.find("x=\"\"")) << words[0];
  }
  const std::string html = page({"report", dumps_});
  EXPECT_NE(std::string::npos, html.find("&lt;/script&gt;"));
  EXPECT_NE(std::string::npos, html.find("\\u202egpj"));
  EXPECT_NE(std::string::npos, html.find("{{script}}"));
}

TEST_F(HostileReport, ChartsHaveNoMarkupOfTheirs) {
  for (const char* format : {"svg", "dot"}) {
    const std::string chart = egt::testing::run({EGTRACE_BINARY, "explain", dumps_, "--from", "10.133.0.9", "--to",
                                                 "192.168.55.13:80", "--format", format})
                                  .out;
    EXPECT_NE(std::string::npos, chart.find("10.133.0.9")) << format;
    for (const char* harm : {"<script", "<img", "\u202e", "http://192"})
      EXPECT_EQ(std::string::npos, chart.find(harm)) << format << ": " << harm;
  }
}

}  // namespace
}  // namespace report_test
