// Flows as a page: whole, bounded, and nothing of it from elsewhere.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/run.h"

namespace egt::testing {
namespace {

std::string page(std::vector<std::string> more) {
  std::vector<std::string> words = {EGTRACE_BINARY, "flows", std::string(EGTRACE_SOURCE_DIR) + "/samples/egressip-secondary",
                                    "--format", "html"};
  words.insert(words.end(), more.begin(), more.end());
  return run(words).out;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(FlowPage, StandsAlone) {
  const std::string html = page({"--bridge", "br-ex"});
  EXPECT_NE(std::string::npos, html.find("default-src 'none'; style-src 'sha256-"));
  for (const char* foreign : {"http://", "https://", " src=\"", "@import", "url("})
    EXPECT_EQ(std::string::npos, html.find(foreign)) << foreign;
  EXPECT_EQ(1u, count_of(html, "<script>"));
  EXPECT_EQ(std::string::npos, html.find(EGTRACE_SOURCE_DIR));
}

TEST(FlowPage, HasFlowsByBridgeAndTableWithWhatTheyAreFor) {
  const std::string html =
      page({"--node", "master-03-demo", "--bridge", "br-int", "--filter", "nw_src=10.133.0.9", "--highlight", "reg15"});
  EXPECT_NE(std::string::npos, html.find("<b class=\"key\">master-03-demo br-int</b>"));
  EXPECT_NE(std::string::npos, html.find("<dd class=\"by-object\">EgressIP project-egressip"));
  EXPECT_NE(std::string::npos, html.find("<dd class=\"by-lflow\">"));
  EXPECT_NE(std::string::npos, html.find("lr_in_policy"));
  EXPECT_GT(count_of(html, "<details class=\"item flow"), 3u);
}

TEST(FlowPage, SaysWhatIsLeftOut) {
  const std::string html = page({"--node", "master-03-demo", "--bridge", "br-int", "--top", "5"});
  EXPECT_EQ(5u, count_of(html, "<details class=\"item flow"));
  EXPECT_NE(std::string::npos, html.find("5 of them are shown, those that counted most packets; <code>--table</code> or "
                                         "<code>--filter</code> chooses others, <code>--top</code> more."));
  EXPECT_NE(std::string::npos, html.find("No flow is shown of table "));
  // By itself it is bounded as well.
  EXPECT_LE(count_of(page({}), "<details class=\"item flow"), 1200u);
}

TEST(FlowPage, OfSums) {
  const std::string html = page({"--by", "object"});
  EXPECT_NE(std::string::npos, html.find("<table class=\"list sums\">"));
  EXPECT_NE(std::string::npos, html.find("EgressIP project-egressip"));
  EXPECT_NE(std::string::npos, page({"--logical", "--by", "object"}).find("<th class=\"n\">logical flows</th>"));
}

TEST(FlowPage, WhatDumpsHoldIsText) {
  TemporaryDirectory folder;
  folder.file("n1/ovs-ofctl_dump-flows_br-int",
              "NXST_FLOW reply (xid=0x4):\n cookie=0x1, duration=1s, table=0, n_packets=1, n_bytes=1, "
              "priority=1,in_port=\"<script>x</script>\" actions=drop\n");
  const std::string html = run({EGTRACE_BINARY, "flows", folder.path(), "--format", "html"}).out;
  EXPECT_EQ(1u, count_of(html, "<script>"));
  EXPECT_NE(std::string::npos, html.find("in_port=&quot;&lt;script&gt;x"));
}

}  // namespace
}  // namespace egt::testing
