// The page and the chart of a path: what comes from dumps is escaped, nothing is loaded from elsewhere, paths fold.
#include <gtest/gtest.h>

#include <string>

#include "egtrace/explain/fold.h"
#include "egtrace/render/explain.h"

namespace egt {
namespace {

using namespace explain;

const std::string kEvil = "<script>alert(\"1\")</script>&'`#";

PathReport path_with(const std::string& bucket) {
  PathReport path;
  path.verdict = explain::Verdict::delivered;
  path.confidence = explain::Confidence::proven;
  path.summary = "it arrives";
  path.weight = 0.5;
  path.choices.push_back({1, "node-a", "group 7", bucket, false, ""});
  path.hops.resize(3);
  path.hops[0] = {"node-a", "ovs", "br-int table 0", kEvil, true, {{"a/flows", 3, kEvil}}, {}, {}, {}};
  path.hops[1] = {"node-a", "ovs", "br-int group 7", bucket, false, {}, {}, {}, {}};
  path.hops[2] = {
      "node-b", "host", "iptables nat POSTROUTING", "source becomes 192.0.2.9", false, {{"b/iptables", 9, "-A x"}}, {}, {}, {}};
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
  e.paths = {path_with("bucket 1 of 2"), path_with("bucket 2 of 2")};
  e.assumptions.push_back({kEvil, "why", {}});
  e.gaps.push_back({"node-a", kEvil, "ip rule"});
  return e;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(Fold, PathsThatDifferOnlyInTheChoice) {
  const Explanation e = explanation();
  const auto groups = fold_paths(e.paths);
  ASSERT_EQ(1u, groups.size());
  EXPECT_DOUBLE_EQ(1.0, *groups[0].weight);
  EXPECT_EQ(std::vector<std::string>{"group 7: bucket 1 of 2 or bucket 2 of 2"}, choices_of(e.paths, groups[0]));
  Explanation other = explanation();
  other.paths[1].sightings[1].src = "192.0.2.10";
  EXPECT_EQ(2u, fold_paths(other.paths).size());
}

// Two paths that part at the group: one is lost behind it.
Explanation mixed() {
  Explanation e = explanation();
  e.outcome = Outcome::mixed;
  e.verdict.reset();
  e.paths[0].hops[0].detail = e.paths[1].hops[0].detail = false;
  e.paths[0].hops[0].what = e.paths[1].hops[0].what = "before the branch";
  e.paths[1].verdict = explain::Verdict::dropped;
  e.paths[1].summary = "it is lost";
  e.paths[1].sightings.pop_back();
  return e;
}

TEST(Fold, StepsBeforeTheBranchAreThoseOfAllPaths) {
  const Explanation e = mixed();
  const CommonPrefix common = common_prefix(e.paths, fold_paths(e.paths));
  EXPECT_EQ(1u, common.hops);
  EXPECT_EQ(1u, common.sightings);
  EXPECT_EQ(1u, before_branch(e.paths[0], common).hops.size());
  const PathReport rest = after_branch(e.paths[0], common);
  ASSERT_EQ(2u, rest.hops.size());
  EXPECT_EQ("bucket 1 of 2", rest.hops.front().what);
  ASSERT_EQ(1u, rest.sightings.size());
  EXPECT_EQ(2u, rest.sightings.front().hop);  // of the steps that are left
  EXPECT_EQ(0u, common_prefix(explanation().paths, fold_paths(explanation().paths)).hops);
}

TEST(Text, StepsBeforeTheBranchAreShownOnce) {
  const Explanation e = mixed();
  const std::string text = render::explain_text(e, {});
  EXPECT_EQ(1u, count(text, "before the branch"));
  EXPECT_NE(std::string::npos, text.find("All 2 paths, up to the branch"));
  EXPECT_EQ(2u, count(text, "   2. br-int group 7: bucket"));  // steps are numbered on
  EXPECT_EQ(2u, count(text, "50 % of the connections"));
  EXPECT_EQ(1u, count(render::explain_html(e), "before the branch"));
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

// Lines of an excerpt lie on several nodes, and nothing shows that a packet goes from one to the next.
TEST(Page, LinesThatAreNoPathAreListedAndNotDrawn) {
  Explanation e = explanation();
  e.paths.resize(1);
  EXPECT_GT(count(render::explain_html(e), "class=\"node\""), 0u);
  e.paths[0].walked = false;
  e.paths[0].sightings.clear();
  const std::string html = render::explain_html(e), chart = render::explain_mermaid(e);
  EXPECT_EQ(count(html, "class=\"node\""), 0u);
  EXPECT_EQ(count(html, "<svg"), 0u);
  EXPECT_EQ(count(html, "class=\"wire"), 0u);
  EXPECT_EQ(count(html, "Evidence: lines about this packet, not a path"), 1u);
  EXPECT_EQ(count(html, "source becomes 192.0.2.9"), 1u);
  EXPECT_EQ(count(chart, "subgraph"), 0u);
}

}  // namespace
}  // namespace egt
