// Words found in the lines of many flows at once, and cookies and counts read of the beginnings of lines: as of whole lines.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "egtrace/base/find_words.h"
#include "egtrace/openflow/flow_table.h"
#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

using openflow::FlowIndex;
using openflow::FlowTables;
using Words = std::vector<std::string_view>;

class FlowWords : public testing::Test {
 protected:
  const FlowTables& loaded(const std::string& text) {
    formats_.load(formats_.dump(text, "ovs-ofctl dump-flows br-int"), cluster_);
    return *cluster_.node("n")->bridge("br-int")->flows;
  }

  static std::vector<FlowIndex> found(const FlowTables& flows, FlowIndex begin, FlowIndex end, const Words& words) {
    std::vector<FlowIndex> all;
    flows.find_words(begin, end, words, all);
    return all;
  }
  static std::vector<FlowIndex> found_line_by_line(const FlowTables& flows, FlowIndex begin, FlowIndex end, const Words& words) {
    std::vector<FlowIndex> all;
    std::string buffer;
    for (FlowIndex i = begin; i < end; ++i)
      if (has_any_word(flows.line_of(i, buffer), words)) all.push_back(i);
    return all;
  }
  static void expect_alike(const FlowTables& flows, const Words& words) {
    const auto size = static_cast<FlowIndex>(flows.size());
    for (const auto& [begin, end] : {std::pair<FlowIndex, FlowIndex>{0, size}, {1, size}, {0, size - 1}, {1, 2}, {2, 2}})
      EXPECT_EQ(found(flows, begin, end, words), found_line_by_line(flows, begin, end, words)) << begin << " " << end;
  }

  Formats formats_{ovs_ofctl_formats()};
  cluster::Cluster cluster_;
};

// Also words in lines between those of flows, twice in one line, at its ends, and in no flow.
constexpr const char* kLines =
    "NXST_FLOW reply (xid=0x4): flags=[more]\n"
    " cookie=0x17, duration=1s, table=0, n_packets=70, n_bytes=0, priority=9,ip,nw_src=10.0.0.1,nw_dst=10.0.0.1 actions=drop\n"
    " cookie=0x27, duration=1s, table=0, n_packets=0, n_bytes=0, priority=9,ip,nw_src=10.0.0.2 "
    "actions=load:0xa000001->NXM_NX_REG0[]\n"
    "what is 10.0.0.1 doing here\n"
    " cookie=0x37, duration=1s, table=1, n_packets=3, n_bytes=0, priority=8 actions=set_field:10.0.0.1->ip_dst\n"
    "NXST_FLOW reply (xid=0x4): 10.0.0.3\n"
    " cookie=0x47, duration=1s, table=2, n_packets=4, n_bytes=0, priority=7 actions=output:1\n";

TEST_F(FlowWords, AreFoundAsLineByLine) {
  const FlowTables& flows = loaded(kLines);
  ASSERT_EQ(4u, flows.size());
  EXPECT_EQ((std::vector<FlowIndex>{0, 1, 2}), found(flows, 0, 4, {"10.0.0.1", "0xa000001"}));
  EXPECT_EQ((std::vector<FlowIndex>{}), found(flows, 0, 4, {"10.0.0.3"}));
  for (const Words& words :
       {Words{"10.0.0.1"}, {"10.0.0.1", "0xa000001"}, {" cookie"}, {"output:1"}, {"drop", "ip_dst"}, {"x"}, {}})
    expect_alike(flows, words);
}

TEST_F(FlowWords, OfLinesWithColoursAsWithout) {
  const FlowTables& flows = loaded(
      " \x1b[36mcookie=\x1b[m0x17, duration=1s, table=0, \x1b[36mn_packets=\x1b[m70, n_bytes=0, priority=9,ip "
      "\x1b[31mactions=\x1b[mset_field:\x1b[m10.0.0.1->ip_dst\n"
      " cookie=0x27, duration=1s, table=0, n_packets=3, n_bytes=0, priority=9,ip actions=\x1b[31mdrop\x1b[m\n"
      " cookie=0x37, table=1, priority=8 actions=drop");
  ASSERT_EQ(3u, flows.size());
  for (const Words& words : {Words{"10.0.0.1"}, {"set_field:10.0.0.1"}, {"actions=drop"}, {"cookie=0x17"}})
    expect_alike(flows, words);
  EXPECT_EQ((std::vector<FlowIndex>{1, 2}), found(flows, 0, 3, {"actions=drop"}));
}

TEST_F(FlowWords, CookiesAndCountsAreThoseOfTheWholeLine) {
  for (const std::string& text : {std::string(kLines),
                                  std::string(" cookie=0x17, table=0, priority=9,ip actions=drop\n"
                                              " cookie=0xffffffffffffffff, duration=1s, table=1, n_packets=18446744073709551615, "
                                              "n_bytes=0, priority=9,ip actions=drop\r\n"),
                                  std::string("cookie=0x5, duration=1s, table=0, n_packets=7, n_bytes=0, actions=drop\n"
                                              " cookie=0x6, table=1, actions=note:00.11 n_packets=5,\n"),
                                  std::string(" \x1b[36mcookie=\x1b[m0x17, duration=1s, table=0, n_packets=\x1b[m70, n_bytes=0, "
                                              "priority=9,ip actions=drop\n")}) {
    cluster_ = {};
    const FlowTables& flows = loaded(text);
    const FlowTables again = flows;  // what is read of lines below it has for itself
    for (FlowIndex i = 0; i < flows.size(); ++i) {
      EXPECT_EQ(again.flow(i).cookie, flows.cookie_of(i)) << text;
      EXPECT_EQ(again.flow(i).use.n_packets, flows.packets_of(i)) << text;
    }
  }
}

TEST(FlowWordsOfNoDump, AllFlowsMayHaveThem) {
  FlowTables flows([](std::string_view) { return openflow::ActionList{}; });
  flows.add(0, 1, 5, 0, {}, "drop", {});
  flows.add(0, 2, 6, 0, {}, "output:1", {});
  std::vector<FlowIndex> all;
  flows.find_words(0, 2, Words{"10.0.0.1"}, all);
  EXPECT_EQ((std::vector<FlowIndex>{0, 1}), all);
}

}  // namespace
}  // namespace egt::parsers
