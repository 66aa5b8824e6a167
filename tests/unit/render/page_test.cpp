// The page and the chart of a path: what comes from dumps is escaped, nothing is loaded from elsewhere, paths fold.
#include <gtest/gtest.h>

#include <string>

#include "egtrace/explain/fold.h"
#include "egtrace/render/explain.h"

namespace egt {
namespace {

using namespace explain;

const std::string kEvil = "<script>alert(\"1\")</script>&'`#";

PathReport way_with(const std::string& bucket) {
  PathReport path;
  path.verdict = explain::Verdict::delivered;
  path.confidence = explain::Confidence::proven;
  path.summary = "it arrives";
  path.weight = 0.5;
  path.choices.push_back({1, "node-a", "group 7", bucket, false, ""});
  path.hops.resize(3);
  path.hops[0] = {"node-a", "ovs", "br-int table 0", kEvil, true, {{"a/flows", 3, kEvil}}, {}, {}, {}};
  path.hops[1] = {"node-a", "ovs", "br-int group 7", bucket, false, {}, {}, {}, {}};
  path.hops[2] = {"node-b", "host", "iptables nat POSTROUTING", "source becomes 192.0.2.9", false, {{"b/iptables", 9, "-A x"}}, {}, {}, {}};
  SightingReport s;
  s.node = "node-a";
  s.device = "veth0";
  s.in = true;
  s.src = "10.0.0.1";
  s.dst = "192.0.2.1";
  s.proto = "tcp";
  path.sightings.push_back(s);
  s.node = "node-b";
  s.device = "eth0";
  s.in = false;
  s.src = "192.0.2.9";
  s.hop = 3;
  path.sightings.push_back(s);
  return path;
}

Explanation explanation() {
  Explanation e;
  e.packet = {"10.0.0.1", "192.0.2.1", "tcp", 1, 2};
  e.from = {"pod", kEvil, "node-a", "10.0.0.1"};
  e.to = {"external", "", "", "192.0.2.1"};
  e.verdict = explain::Verdict::delivered;
  e.confidence = explain::Confidence::proven;
  e.summary = kEvil;
  e.paths = {way_with("bucket 1 of 2"), way_with("bucket 2 of 2")};
  e.assumptions.push_back({kEvil, "why", {}});
  e.gaps.push_back({"node-a", kEvil, "ip rule"});
  return e;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(Fold, WaysThatDifferOnlyInTheChoice) {
  const Explanation e = explanation();
  const auto groups = fold_paths(e.paths);
  ASSERT_EQ(1u, groups.size());
  EXPECT_DOUBLE_EQ(1.0, *groups[0].weight);
  EXPECT_EQ(std::vector<std::string>{"group 7: bucket 1 of 2 or bucket 2 of 2"}, choices_of(e.paths, groups[0]));
  Explanation other = explanation();
  other.paths[1].sightings[1].src = "192.0.2.10";
  EXPECT_EQ(2u, fold_paths(other.paths).size());
}

TEST(Page, EscapesAndLoadsNothing) {
  const std::string page = render::explain_html(explanation());
  EXPECT_EQ(std::string::npos, page.find("<script>alert"));
  EXPECT_EQ(1u, count(page, "<script>"));
  EXPECT_EQ(std::string::npos, page.find("http://"));
  EXPECT_EQ(std::string::npos, page.find("https://"));
  EXPECT_EQ(std::string::npos, page.find("src=\""));
  EXPECT_NE(std::string::npos, page.find("&lt;script&gt;alert(&quot;1&quot;)"));
  EXPECT_NE(std::string::npos, page.find("a/flows:3"));
  EXPECT_NE(std::string::npos, page.find("<mark>192.0.2.9</mark>"));
  EXPECT_EQ(count(page, "<details"), count(page, "</details>"));
  EXPECT_EQ(count(page, "<div"), count(page, "</div>"));
  EXPECT_EQ(count(page, "<li"), count(page, "</li>"));
}

TEST(Chart, QuotesLabels) {
  const std::string chart = render::explain_mermaid(explanation());
  EXPECT_TRUE(chart.starts_with("flowchart TD\n"));
  EXPECT_EQ(std::string::npos, chart.find("<script"));
  EXPECT_EQ(std::string::npos, chart.find('`'));
  EXPECT_NE(std::string::npos, chart.find("subgraph"));
  EXPECT_NE(std::string::npos, chart.find("192.0.2.9 #gt; 192.0.2.1"));
}

TEST(Text, TablesThatDecidedSomethingAreOfTheFirstLevel) {
  Explanation e = explanation();
  e.paths.front().hops.front().what = "enters logical datapath join";
  render::TextOptions options;
  options.verbose = 1;
  EXPECT_EQ(std::string::npos, render::explain_text(e, options).find("enters logical datapath join"));
  e.paths.front().hops.front().decides = true;
  EXPECT_NE(std::string::npos, render::explain_text(e, options).find("enters logical datapath join"));
  options.verbose = 0;
  EXPECT_EQ(std::string::npos, render::explain_text(e, options).find("enters logical datapath join"));
}

TEST(Text, LevelsTellMoreAndMore) {
  const Explanation e = explanation();
  render::TextOptions options;
  std::size_t before = 0;
  options.quiet = true;
  const std::string quiet = render::explain_text(e, options);
  EXPECT_EQ(2u, count(quiet, "\n"));
  options.quiet = false;
  for (const int level : {0, 2}) {
    options.verbose = level;
    const std::string text = render::explain_text(e, options);
    EXPECT_GT(text.size(), before);
    before = text.size();
  }
}

}  // namespace
}  // namespace egt
