// The page about a snapshot: complete, of one file, harmless whatever the snapshot holds, and at work in a browser.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "egtrace/base/sha256.h"
#include "support/run.h"

namespace report_test {
namespace {

namespace fs = std::filesystem;
using egt::testing::Ran;
using egt::testing::read_file;
using egt::testing::TemporaryDirectory;

const std::string kSample = EGTRACE_SOURCE_DIR "/samples/egressip-secondary";

std::string page(std::vector<std::string> words) {
  words.insert(words.begin(), EGTRACE_BINARY);
  const Ran ran = egt::testing::run(words);
  EXPECT_EQ(0, ran.status) << ran.err;
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
  for (const char* foreign : {"http://", "https://", " src=\"", " style=\"", "unsafe-inline", "<link", "@import", "url(", " onclick", "javascript:"})
    EXPECT_EQ(std::string::npos, html.find(foreign)) << what << ": " << foreign;
  for (const char* tag : {"style", "script"}) {
    const std::string open = "<" + std::string(tag) + ">", close = "</" + std::string(tag) + ">";
    ASSERT_EQ(1u, count(html, open)) << what;
    ASSERT_EQ(1u, count(html, close)) << what;
    const std::size_t begin = html.find(open) + open.size();
    const std::string text = html.substr(begin, html.find(close) - begin);
    EXPECT_NE(std::string::npos, html.find(std::string(tag) + "-src 'sha256-" + egt::sha256_base64(text) + "'")) << what << " " << tag;
  }
  for (const char* tag : {"details", "section", "article", "ol", "div", "table", "tr", "svg", "g", "p", "code", "a"})
    EXPECT_EQ(count(html, "<" + std::string(tag) + " ") + count(html, "<" + std::string(tag) + ">"), count(html, "</" + std::string(tag) + ">")) << what << " " << tag;
}

// Every link leads to an element of the page, and no two have one id.
void expect_links(const std::string& html) {
  static const std::regex id(" id=\"([^\"]*)\""), link(" href=\"#([^\"]*)\"");
  std::set<std::string> ids;
  for (std::sregex_iterator i(html.begin(), html.end(), id), end; i != end; ++i) EXPECT_TRUE(ids.insert((*i)[1]).second) << (*i)[1];
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
  static const std::regex rule("<li id=\"e[0-9]+\" class=\"hit\" data-line=\"([0-9]+)\"><code>[^\n]*SNAT[^\n]*</code></li>\n<li data-line=\"([0-9]+)\">");
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

TEST(Report, PagesOfOtherVerbsAreItsParts) {
  const TemporaryDirectory home;
  const std::string expectations = home.file("e.yaml", "version: 1\nexpect:\n  - {name: n, from: demo-egress/requester-3a, to: 192.168.55.13:80, outcome: answered}\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> verbs = {
      {{"triage", kSample}, "findings"}, {{"audit", kSample}, "audit"}, {{"inspect", kSample}, "dumps"}, {{"check", kSample, expectations}, "expectations"}};
  for (auto [words, part] : verbs) {
    words.insert(words.end(), {"--format", "html"});
    const std::string html = page(words);
    expect_of_one_file(words[0], html);
    expect_links(html);
    EXPECT_EQ(1u, count(html, "data-part=\"" + part + "\"")) << words[0];
    EXPECT_EQ(0u, count(html, "data-part=\"map\"")) << words[0];
  }
}

// Names and lines that would be markup, script or another text.
class HostileReport : public ::testing::Test {
 protected:
  void SetUp() override {
    const fs::path dumps = fs::path(home_.path()) / "dumps";
    fs::create_directory(dumps);
    for (const char* node : {"master-01-demo", "master-03-demo", "k8s"}) fs::copy(kSample + "/" + node, dumps / node, fs::copy_options::recursive);
    std::string pods;
    for (const char* name : {"</script><script>alert(1)</script>", "</style><img src=x onerror=alert(1)>", "\\u202egpj", "\\\" onmouseover=alert(1) x=\\\"", "{{script}}", "'-alert(1)-'"})
      pods += "---\napiVersion: v1\nkind: Pod\nmetadata: {name: \"" + std::string(name) + "\", namespace: \"<b>\", labels: {a: \"&lt;\"}}\n" +
              "spec:\n  nodeName: master-03-demo\n  containers:\n  - env:\n    - name: A\n      value: hidden-canary\nstatus: {podIP: 10.133.0.9, podIPs: [{ip: 10.133.0.9}]}\n";
    home_.file("dumps/k8s/hostile.yaml", pods);
    home_.file("dumps/k8s/hostile_egressip.yaml",
               "apiVersion: k8s.ovn.org/v1\nkind: EgressIP\nmetadata: {name: \"</script><b>\"}\nspec: {egressIPs: [192.0.2.77], namespaceSelector: {}, podSelector: {}}\n"
               "status: {items: [{egressIP: 192.0.2.77, node: \"master-03-demo\"}]}\n");
    home_.file("dumps/k8s/hostile_node.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: \"</title></svg><script>alert(2)</script>\"}\nstatus: {addresses: []}\n");
    home_.file("dumps/master-01-demo/odd.txt", "# ip rule\n0:\tfrom all lookup </script><script>alert(3)</script>\xe2\x80\xae\n\xff\xfe<!--\n");
  }
  TemporaryDirectory home_;
};

TEST_F(HostileReport, HasNoMarkupOfTheirs) {
  const std::vector<std::vector<std::string>> calls = {{"report"}, {"triage", "--format", "html"}, {"audit", "--format", "html"}, {"inspect", "--format", "html"}};
  for (std::vector<std::string> words : calls) {
    words.insert(words.begin() + 1, home_.path() + "/dumps");
    const std::string html = page(words);
    expect_of_one_file(words[0], html);
    for (const char* harm : {"<script>alert", "<img", "\u202e", "</title></svg>", "hidden-canary", "\xff"}) EXPECT_EQ(std::string::npos, html.find(harm)) << words[0] << ": " << harm;
    EXPECT_EQ(std::string::npos, html.find("x=\"\"")) << words[0];
  }
  const std::string html = page({"report", home_.path() + "/dumps"});
  EXPECT_NE(std::string::npos, html.find("&lt;/script&gt;"));
  EXPECT_NE(std::string::npos, html.find("\\u202egpj"));
  EXPECT_NE(std::string::npos, html.find("{{script}}"));
}

TEST_F(HostileReport, ChartsHaveNoMarkupOfTheirs) {
  for (const char* format : {"svg", "dot"}) {
    const std::string chart = egt::testing::run({EGTRACE_BINARY, "explain", home_.path() + "/dumps", "--from", "10.133.0.9", "--to", "192.168.55.13:80", "--format", format}).out;
    EXPECT_NE(std::string::npos, chart.find("10.133.0.9")) << format;
    for (const char* harm : {"<script", "<img", "\u202e", "http://192"}) EXPECT_EQ(std::string::npos, chart.find(harm)) << format << ": " << harm;
  }
}

// ---- In a browser, where there is one.

std::string chromium() {
  for (const char* path : {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"})
    if (fs::exists(path)) return path;
  return {};
}

class InBrowser : public HostileReport {
 protected:
  void SetUp() override {
    if (chromium().empty()) GTEST_SKIP() << "no chromium: the page is not opened";
    HostileReport::SetUp();
    egt::testing::write_file(home_.path() + "/case.html", page({"report", home_.path() + "/dumps"}));
  }
  // The document after the script has run; what the console says fails.
  std::string open(const std::string& hash) {
    const Ran ran = egt::testing::run({chromium(), "--headless=new", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + home_.path() + "/profile", "--enable-logging=stderr",
                                       "--virtual-time-budget=5000", "--dump-dom", "file://" + home_.path() + "/case.html" + hash});
    EXPECT_EQ(0, ran.status) << ran.err;
    EXPECT_EQ(std::string::npos, ran.err.find("CONSOLE")) << ran.err;
    return ran.out;
  }
};

TEST_F(InBrowser, OpensSearchesAndFilters) {
  const std::string plain = open("");
  EXPECT_NE(std::string::npos, plain.find("class=\"copy\""));                       // the script ran
  const std::size_t in_script = count(plain, "unfound"), filters = count(plain, "unwanted");
  EXPECT_NE(std::string::npos, open("#path-1").find("id=\"path-1\" open"));          // a permanent link opens what it leads to
  const std::string searched = open("#q=192.168.55.13");
  EXPECT_NE(std::string::npos, searched.find(" of "));
  EXPECT_GT(count(searched, "unfound"), in_script);
  EXPECT_NE(std::string::npos, open("#q=no-such-word-anywhere").find(">0 of "));
  const std::string filtered = open("#audit=master-01-demo&show=answered");
  EXPECT_GT(count(filtered, "unwanted"), filters);
}

}  // namespace
}  // namespace report_test
