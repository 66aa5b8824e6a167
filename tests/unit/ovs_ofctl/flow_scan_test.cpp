// The quick reader of flow lines against the careful one.
#include "ovs_ofctl/flow_scan.h"

#include <gtest/gtest.h>

#include <random>

#include "ovs_ofctl/flow_chunks.h"
#include "ovs_ofctl/flow_line.h"
#include "support/format_fixture.h"

namespace egt::parsers::ofctl {
namespace {

using openflow::FlowRef;

bool scans(FlowScanner& scanner, const std::string& line, FlowRef& out) {
  return scan_guarded(scanner, line, 0, line.size(), out);
}

// Whatever the quick reader takes, the careful one understands, prints back, and means the same by.
void agrees(FlowScanner& scanner, const std::string& line) {
  FlowRef flow;
  if (!scans(scanner, line, flow)) return;
  FlowLine careful;
  TextError error;
  ASSERT_TRUE(read_flow_line(line, careful, error)) << line;
  EXPECT_EQ(format_flow_line(careful), line);
  EXPECT_EQ(careful.table, flow.table) << line;
  EXPECT_EQ(careful.priority.value_or(32768), flow.priority) << line;
  WordSet words;
  ASSERT_FALSE(collect_words(careful, words, {}).failed) << line;
  openflow::MatchHash hash;
  openflow::MatchShape shape;
  for (const openflow::MatchWord& w : words.view()) {
    hash.add(w.value);
    shape.push_back({w.word, w.mask});
  }
  EXPECT_EQ(hash.get(), flow.hash) << line;
  EXPECT_EQ(scanner.shapes().all().at(flow.shape), shape) << line;
}

constexpr const char* kTaken[] = {
    " cookie=0x19bd5957, duration=6.602s, table=0, n_packets=0, n_bytes=0, idle_age=6, "
    "priority=180,vlan_tci=0x0000/0x1000 actions=conjunction(100,2/2)",
    " cookie=0x0, duration=1s, table=25, n_packets=12, n_bytes=99, send_flow_rem "
    "priority=2001,ct_state=+new-est+trk,reg0=0x400/0x400,metadata=0x2,tcp,nw_src=10.0.0.1,nw_dst=10.1.0.0/16,tp_dst=80 "
    "actions=load:0x1->NXM_NX_REG0[],resubmit(,26)",
    " table=3, priority=5,ipv6,ipv6_dst=fd00::1,icmp6 actions=drop",
    " table=3, priority=5,dl_src=00:00:00:00:00:01/01:00:00:00:00:00,in_port=7 actions=NORMAL",
    " table=255, n_packets=1, actions=drop",
    " priority=0 actions=drop",
    " duration=5s, n_packets=2, priority=1,ip,actions=drop",
    "duration=5s, table=1, n_packets=2, nw_src=1.2.3.4,ip actions=drop",
};

TEST(FlowScanner, TakesWhatASwitchPrints) {
  FlowScanner scanner(ActionCheck::printed);
  for (const char* line : kTaken) {
    FlowRef flow;
    const bool wrong_order = std::string_view(line).find("icmp6") != std::string_view::npos;
    EXPECT_EQ(scans(scanner, line, flow), !wrong_order) << line;  // ipv6 and icmp6 say one thing twice
    agrees(scanner, line);
  }
}

TEST(FlowScanner, LeavesTheRestToTheCarefulReader) {
  FlowScanner scanner(ActionCheck::understood);
  FlowRef flow;
  for (const char* line : {"",
                           " ",
                           "# comment",
                           "table=1, nw_src=1.2.3.4,ip actions=drop",
                           "NXST_FLOW reply (xid=0x4):",
                           " table=256, actions=drop",
                           " table=01, actions=drop",
                           " table=0, priority=65536 actions=drop",
                           " table=0, priority=1",
                           " table=0, priority=1,ip",
                           " table=0, priority=1,ip  actions=drop",
                           " table=0, priority=1,ip actions=",
                           " table=0, priority=1,ip actions=drop ",
                           " table=0, priority=1,, actions=drop",
                           " table=0, priority=1, actions=drop",
                           " table=0, priority=1,nw_src=1.2.3.256 actions=drop",
                           " table=0, priority=1,nw_src=1.2.3.4/33 actions=drop",
                           " table=0, priority=1,reg0=0x1ffffffff actions=drop",
                           " table=0, priority=1,in_port=\"veth0\" actions=drop",
                           " table=0, priority=1,nothing=5 actions=drop",
                           " table=0, priority=1,ip actions=nothing_known",
                           " table=0, priority=1,tcp=5 actions=drop",
                           " table=0, priority=1,ip,arp actions=drop",
                           " table=0, priority=1,tp_dst=080 actions=drop",
                           " cookie=0xAB, actions=drop"})
    EXPECT_FALSE(scans(scanner, line, flow)) << line;
  for (const std::string name : {"in_port", "nw_src"})
    EXPECT_FALSE(scans(scanner, " table=0, priority=1," + name + std::string(3, '\0') + "=1 actions=drop", flow)) << name;
  // A line that was left does not shine through in the next one.
  ASSERT_TRUE(scans(scanner, " table=0, priority=1 actions=drop", flow));
  EXPECT_TRUE(scanner.shapes().all().at(flow.shape).empty());
}

TEST(FlowScanner, AgreesOnGarbledLines) {
  std::mt19937 random(11);
  FlowScanner scanner(ActionCheck::printed);
  constexpr std::string_view kBytes("0123456789abcdefx/.,= :+-_AZ\"()[]\t\0", 35);
  for (const char* line : kTaken)
    for (int i = 0; i < 600; ++i) {
      std::string garbled = line;
      for (auto n = random() % 3 + 1; n > 0 && !garbled.empty(); --n) {
        const std::size_t at = random() % garbled.size();
        switch (random() % 3) {
          case 0: garbled[at] = kBytes[random() % kBytes.size()]; break;
          case 1: garbled.erase(at, 1); break;
          default: garbled.insert(at, 1, kBytes[random() % kBytes.size()]);
        }
      }
      agrees(scanner, garbled);
    }
}

// Statistics are gone past many characters at a time.
TEST(FlowScanner, NumbersOfAllLengths) {
  FlowScanner scanner(ActionCheck::printed);
  FlowRef flow;
  std::string digits;
  for (int n = 1; n <= 20; ++n) {
    digits += static_cast<char>('0' + n % 10);
    for (const std::string name : {"n_packets=", "n_bytes=", "idle_age=", "hard_timeout=", "cookie=0x", "table=", "duration="}) {
      const std::string end = name == "duration=" ? "s, " : ", ", rest = "priority=1 actions=drop";
      const std::string line = " " + name + digits + end + rest;
      agrees(scanner, line);
      agrees(scanner, " " + name + "0" + digits + end + rest);
      agrees(scanner, " " + name + digits + "." + digits + end + rest);
      if (n <= 15 && name != "table=") {
        EXPECT_TRUE(scans(scanner, line, flow)) << line;
      }
    }
  }
  EXPECT_TRUE(scans(scanner, " cookie=0xfedcba9876543210, priority=1 actions=drop", flow));
  EXPECT_FALSE(scans(scanner, " cookie=0xfedcba98765432100, priority=1 actions=drop", flow));
}

TEST(UnderstoodLists, KeepWhatTheyWereTold) {
  UnderstoodLists lists;
  constexpr std::uint64_t kMany = 5000;
  const auto hash_of = [](std::uint64_t i) { return i * 0x9e3779b97f4a7c15ULL; };
  for (std::uint64_t i = 0; i < kMany; ++i) lists.put(hash_of(i), i % 3 == 0);
  for (std::uint64_t i = 0; i < kMany; ++i) {
    const auto found = lists.find(hash_of(i));
    ASSERT_TRUE(found && found->good);
    EXPECT_EQ(found->conjunctive, i % 3 == 0);
  }
  for (std::uint64_t i = kMany; i < 2 * kMany; ++i) EXPECT_FALSE(lists.find(hash_of(i)));
}

TEST(FlowScanner, HugeLines) {
  FlowScanner scanner(ActionCheck::printed);
  std::string line = " table=0, priority=1 actions=output:1";
  for (int i = 0; i < 100000; ++i) line += ",output:1";
  FlowRef flow;
  EXPECT_TRUE(scans(scanner, line, flow));
  EXPECT_FALSE(scans(scanner, " table=0, priority=1," + std::string(100000, 'x') + " actions=drop", flow));
  EXPECT_FALSE(scans(scanner, std::string(100000, ' '), flow));
}

TEST(TextMemo, TellsTextsOfOneHashApart) {
  TextMemo<int> memo;
  for (int i = 0; i < 2000; ++i) memo.put("text " + std::to_string(i), static_cast<std::uint64_t>(i % 3), i);
  for (int i = 0; i < 2000; ++i) {
    const int* found = memo.find("text " + std::to_string(i), static_cast<std::uint64_t>(i % 3));
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(*found, i);
  }
  EXPECT_EQ(memo.find("text 2000", 0), nullptr);
}

// More than one chunk and more than one thread: numbers of lines, order and places stay.
TEST(FlowChunks, AreOneDump) {
  std::string text = "NXST_FLOW reply (xid=0x4): flags=[more]\n";
  constexpr int kFlows = 80000;
  for (int i = 0; i < kFlows; ++i) {
    if (i % 1000 == 999) text += " table=1, priority=3,unknown_thing=1 actions=drop\n";
    text += " cookie=0x" + std::string(i % 2 ? "1" : "ab") + ", duration=10.5s, table=" + std::to_string(i % 7) +
            ", n_packets=0, n_bytes=0, priority=" + std::to_string(i % 100) + ",reg" + std::to_string(i % 5) + "=0x" +
            (i % 3 ? "1" : "f") + ",metadata=0x2 actions=drop\n";
  }
  Formats formats{ovs_ofctl_formats()};
  const auto load = [&](unsigned jobs) {
    auto cluster = std::make_unique<cluster::Cluster>();
    Dump dump = formats.dump(text, "ovs-ofctl dump-flows br-int");
    dump.jobs = jobs;
    const Report report = formats.load(dump, *cluster);
    EXPECT_EQ(report.lines, kFlows + kFlows / 1000 + 1u);
    EXPECT_EQ(report.not_understood.size(), kFlows / 1000u);
    return cluster;
  };
  const auto one = load(1), many = load(4);
  const openflow::FlowTables &a = *one->node("n")->bridge("br-int")->flows, &b = *many->node("n")->bridge("br-int")->flows;
  ASSERT_EQ(a.size(), b.size());
  ASSERT_EQ(a.size(), kFlows + kFlows / 1000u);
  for (openflow::FlowIndex i = 0; i < a.size(); i += 97) {
    EXPECT_EQ(a.flow(i).from.line, i + 2);
    EXPECT_EQ(a.flow(i).from.line, b.flow(i).from.line);
    EXPECT_TRUE(std::ranges::equal(openflow::match_of(a.flow(i)), openflow::match_of(b.flow(i))));
  }
}

}  // namespace
}  // namespace egt::parsers::ofctl
