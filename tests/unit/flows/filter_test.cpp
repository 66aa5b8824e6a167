// The filter language of ovs-flowviz(8): how it is read, and which flows it asks for.
#include <gtest/gtest.h>

#include <string>

#include "egtrace/explain/flows.h"
#include "egtrace/parsers/flows.h"

namespace egt {
namespace {

using openflow::FlowFilter;

constexpr const char* kFlow =
    " cookie=0xc8fde599, duration=82.183s, table=21, n_packets=37, n_bytes=2700, idle_age=5, "
    "priority=72,tcp,reg14=0x1/0xff,metadata=0xa,"
    "dl_src=0a:58:0a:14:01:05,nw_src=10.20.1.0/24,tp_dst=80 "
    "actions=load:0x64410003->NXM_NX_XXREG0[96..127],ct(commit,table=46,zone=64000,"
    "nat(src=10.61.4.11),exec(load:0x4->NXM_NX_CT_MARK[])),resubmit(,22),output:3";

const explain::FlowReader kReader{&parsers::read_flow_words, &parsers::read_word_list};

bool passes(const std::string& text, const std::string& line = kFlow) {
  const auto filter = parsers::parse_flow_filter(text);
  EXPECT_TRUE(filter) << text << ": " << (filter ? "" : filter.error().message);
  openflow::FlowWords words;
  EXPECT_TRUE(parsers::read_flow_words(line, words));
  return filter && explain::passes(*filter, words, kReader);
}

std::string mistake_in(const std::string& text) {
  const auto filter = parsers::parse_flow_filter(text);
  return filter ? "" : filter.error().message;
}

TEST(FlowFilter, Statistics) {
  for (const char* yes : {"n_packets=37", "n_packets>36", "n_bytes < 2701", "priority=72", "table=21", "cookie=0xc8fde599",
                          "cookie=3372082585", "duration>82.1", "n_packets!=0"})
    EXPECT_TRUE(passes(yes)) << yes;
  for (const char* no : {"n_packets>37", "n_bytes<2700", "table=2", "hard_age>0", "hard_age!=1"}) EXPECT_FALSE(passes(no)) << no;
}

TEST(FlowFilter, Matches) {
  for (const char* yes :
       {"tcp", "tcp=true", "nw_src=10.20.1.0/24", "nw_src~=10.20.1.5", "nw_src~=10.20.1.128/25", "ip_src~=10.20.1.5", "tp_dst=80",
        "dl_src=0a:58:0a:14:01:05", "reg14=0x1/0xff", "reg14~=0x301", "metadata=10"})
    EXPECT_TRUE(passes(yes)) << yes;
  for (const char* no : {"udp", "nw_src=10.20.1.5", "nw_src~=10.0.0.0/8", "nw_src~=10.20.2.5", "nw_dst~=10.20.1.5", "reg14=0x1",
                         "reg14~=0x302", "tcp=false"})
    EXPECT_FALSE(passes(no)) << no;
}

TEST(FlowFilter, Actions) {
  for (const char* yes : {"output", "output.port=3", "resubmit.table=22", "ct.zone=64000", "ct.commit", "ct.nat.src=10.61.4.11",
                          "load.value=0x64410003", "load.dst~=XXREG0"})
    EXPECT_TRUE(passes(yes)) << yes;
  for (const char* no : {"drop", "output.port=4", "ct.force", "ct.nat.dst=10.61.4.11", "resubmit.port=22"})
    EXPECT_FALSE(passes(no)) << no;
  EXPECT_TRUE(
      passes("drop and n_packets=0", "cookie=0x0, duration=1s, table=0, n_packets=0, n_bytes=0, priority=0 actions=drop"));
}

TEST(FlowFilter, Joined) {
  for (const char* yes : {"tcp and n_packets>0", "udp or tcp", "udp or tcp and tp_dst=80", "!udp", "not udp && tcp",
                          "(udp or tcp) and !drop", "!(udp||icmp)", "! not tcp", "not_a_key or tcp", "order or tcp"})
    EXPECT_TRUE(passes(yes)) << yes;
  for (const char* no : {"tcp and udp", "!tcp", "!(udp or tcp)", "udp or tcp and tp_dst=81"}) EXPECT_FALSE(passes(no)) << no;
}

TEST(FlowFilter, DatapathFlows) {
  const std::string line =
      "recirc_id(0x5),in_port(2),ct_state(+est),eth(src=0a:58:0a:14:01:05),eth_type(0x0800),ipv4(dst=10.0.0.0/"
      "255.0.0.0,frag=no), "
      "packets:3, bytes:222, used:0.2s, actions:ct(zone=7),recirc(0x6)";
  for (const char* yes :
       {"recirc_id=0x5", "recirc_id=5", "packets>2", "ipv4.dst~=10.9.9.9", "eth.src=0a:58:0a:14:01:05", "ct.zone=7", "recirc"})
    EXPECT_TRUE(passes(yes, line)) << yes;
  EXPECT_FALSE(passes("ipv4.dst~=11.9.9.9", line));
  openflow::FlowWords words;
  ASSERT_TRUE(parsers::read_flow_words(line, words));
  EXPECT_TRUE(words.match.starts_with("recirc_id(0x5),") && words.match.ends_with(",frag=no)")) << words.match;
}

TEST(FlowFilter, QuotedValues) {
  EXPECT_TRUE(passes("ct_state=\"+est+trk\"", "table=0, priority=1,ct_state=+est+trk,ip actions=drop"));
}

TEST(FlowFilter, MistakesNameTheColumn) {
  EXPECT_EQ("filter 'tcp and (tp_dst=80 or', column 22: expected a key or a bracket", mistake_in("tcp and (tp_dst=80 or"));
  EXPECT_EQ("filter 'nw_src ? 10', column 8: expected `and`, `or` or the end", mistake_in("nw_src ? 10"));
  EXPECT_EQ("filter 'n_packets>', column 11: expected a value", mistake_in("n_packets>"));
  EXPECT_NE(std::string::npos, mistake_in("").find("column 1: expected a key"));
  EXPECT_NE(std::string::npos, mistake_in("(tcp").find("column 5: expected ')'")) << mistake_in("(tcp");
}

TEST(FlowFilter, NestingIsBounded) {
  EXPECT_EQ("the filter is too long, or nested too deeply", mistake_in(std::string(100000, '(')));
  EXPECT_EQ("the filter is too long, or nested too deeply", mistake_in(std::string(1000, '!') + "tcp"));
  EXPECT_FALSE(mistake_in("\xff\xfe\x80").empty());
}

// The last statistic is no match.
TEST(FlowWords, AFlowMayMatchEveryPacket) {
  const std::string statistics = " cookie=0x0, duration=33.5s, table=3, n_packets=0, n_bytes=0, idle_age=29";
  for (const auto& [line, match] :
       {std::pair(statistics + ", actions=drop", ""), std::pair(statistics + " actions=drop", ""),
        std::pair(statistics + ", priority=0 actions=drop", "priority=0"), std::pair(statistics + ", ip actions=drop", "ip"),
        std::pair(std::string("actions=drop"), "")}) {
    openflow::FlowWords words;
    ASSERT_TRUE(parsers::read_flow_words(line, words)) << line;
    EXPECT_EQ(match, words.match) << line;
  }
}

TEST(FlowWords, OtherLinesAreNoFlows) {
  openflow::FlowWords words;
  for (const char* line : {"", "NXST_FLOW reply (xid=0x4):", "# a comment"})
    EXPECT_FALSE(parsers::read_flow_words(line, words)) << line;
}

}  // namespace
}  // namespace egt
