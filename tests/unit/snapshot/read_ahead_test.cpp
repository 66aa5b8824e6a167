// Large dumps are partly read while others are loaded: that comes to what loading them alone comes to.
#include "snapshot/read_ahead.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "egtrace/openflow/flow_lookup.h"

namespace egt::parsers {
namespace {

constexpr std::size_t kLarge = std::size_t{3} << 19;  // bytes

std::string large_flows(unsigned first) {
  std::string text = "NXST_FLOW reply (xid=0x4):\n";
  for (unsigned i = first; text.size() < kLarge; ++i)
    text += fmt::format(
        " cookie=0x{:x}, duration=1s, table={}, n_packets={}, n_bytes=0, priority={},{}=10.{}.{}.0/24{} actions=output:{}\n", i,
        i % 7, i, i % 500, i % 3 == 0 ? "ip,nw_src" : "tcp,nw_dst", i / 256 % 256, i % 256, i % 1000 == 5 ? ",bogus=1" : "",
        1 + i % 3);
  return text;
}

std::string large_groups() {
  std::string text = "OFPST_GROUP_DESC reply (OF1.5) (xid=0x2):\n";
  for (unsigned i = 1; text.size() < kLarge; ++i)
    text += fmt::format(" group_id={},type=select,selection_method=dp_hash,bucket=bucket_id:0,weight:100,actions=output:{}\n", i,
                        i % 9);
  return text;
}

Candidate candidate(std::string_view text, const std::string& command, SourceId source) {
  Candidate c;
  c.dump.text = text;
  c.dump.command = command;
  c.dump.path = command;
  c.dump.source = source;
  c.format = recognise(c.dump).format;
  return c;
}

std::string shown(const cluster::Node& node, const Report& report) {
  std::string all = fmt::format("{} {} {}\n", report.lines, report.understood, report.not_understood.size());
  for (const openflow::Bridge& b : node.bridges) {
    if (!b.flows) continue;
    all += fmt::format("{}: {} flows, {} shapes\n", b.name, b.flows->size(), b.flows->shapes().size());
    for (openflow::FlowIndex i = 0; i < b.flows->size(); ++i)
      all += fmt::format("{} {} {}\n", b.flows->cookie_of(i), b.flows->priority_of(i), b.flows->flow(i).from.line);
  }
  return all;
}

TEST(ReadAhead, ComesToWhatLoadingAloneComesTo) {
  const std::string texts[] = {large_flows(1), large_flows(7000), large_groups()};
  const std::string commands[] = {"ovs-ofctl dump-flows br-ex", "ovs-ofctl dump-flows br-int",
                                  "ovs-ofctl -O OpenFlow15 dump-groups br-int"};
  cluster::Cluster cluster;
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < std::size(texts); ++i)
    candidates.push_back(candidate(texts[i], commands[i], cluster.sources->add(commands[i], texts[i], nullptr)));
  std::vector<Candidate*> chosen;
  for (Candidate& c : candidates) chosen.push_back(&c);
  cluster::Node ahead_node, alone_node;
  std::string ahead, alone;
  {
    const ReadAhead reading(chosen);
    EXPECT_EQ(candidates[0].dump.ahead, nullptr);  // it is loaded at once
    EXPECT_NE(candidates[1].dump.ahead, nullptr);
    EXPECT_NE(candidates[2].dump.ahead, nullptr);
    for (Candidate* c : chosen) {
      Report report;
      c->format->load(c->dump, cluster, ahead_node, report);
      ahead += shown(ahead_node, report);
      ASSERT_TRUE(c->dump.ahead == nullptr || c->dump.ahead->get() != nullptr);
    }
  }
  for (Candidate& c : candidates) {
    c.dump.ahead.reset();
    Report report;
    c.format->load(c.dump, cluster, alone_node, report);
    alone += shown(alone_node, report);
  }
  EXPECT_TRUE(ahead == alone);
  EXPECT_GT(alone_node.bridge("br-int")->flows->size(), 10'000u);
}

// Whoever comes first finds it; where nothing was read so far, the destructor waits for what is at work alone.
TEST(ReadAhead, MayEndBeforeItsDumpsAreLoaded) {
  const std::string text = large_flows(1), other = large_flows(2);
  std::vector<Candidate> candidates = {candidate(text, "ovs-ofctl dump-flows br-ex", 0),
                                       candidate(other, "ovs-ofctl dump-flows br-int", 1)};
  std::vector<Candidate*> chosen = {&candidates[0], &candidates[1]};
  { const ReadAhead reading(chosen); }
  cluster::Cluster cluster;
  cluster::Node node;
  Report report;
  candidates[1].format->load(candidates[1].dump, cluster, node, report);
  EXPECT_GT(node.bridge("br-int")->flows->size(), 10'000u);
}

TEST(ReadAhead, SmallDumpsAreLoadedAlone) {
  const std::string text =
      "NXST_FLOW reply (xid=0x4):\n cookie=0x1, duration=1s, table=0, n_packets=0, n_bytes=0, priority=1 actions=drop\n";
  std::vector<Candidate> candidates = {candidate(text, "ovs-ofctl dump-flows br-ex", 0),
                                       candidate(text, "ovs-ofctl dump-flows br-int", 1)};
  std::vector<Candidate*> chosen = {&candidates[0], &candidates[1]};
  const ReadAhead reading(chosen);
  EXPECT_EQ(candidates[0].dump.ahead, nullptr);
  EXPECT_EQ(candidates[1].dump.ahead, nullptr);
}

}  // namespace
}  // namespace egt::parsers
