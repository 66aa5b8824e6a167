// egtrace trace --batch: the order of answers, and what a bad line does to them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "support/run.h"

namespace {

using egt::testing::Ran;
using egt::testing::TemporaryDirectory;

class TraceBatch : public testing::Test {
 protected:
  TraceBatch() {
    std::string flows = "NXST_FLOW reply (xid=0x4):\n";
    for (int i = 1; i <= 200; ++i)
      flows += fmt::format(
          " cookie=0x{:x}, duration=1.0s, table=0, n_packets=0, n_bytes=0, idle_age=1, priority=10,ip,nw_dst=10.0.0.{} "
          "actions=output:{}\n",
          i, i, i);
    directory_.file("ovs-ofctl_dump-flows_br0", flows);
  }

  // Without `bad`: packets to 200 addresses; with it a line in the midst that is none.
  Ran answer(const std::string& jobs, bool bad = false) {
    std::string packets = "# destinations\n";
    for (int i = 1; i <= 200; ++i)
      packets += bad && i == 150 ? "nonsense=1\n" : fmt::format("in_port=1,ip,nw_dst=10.0.0.{}\n", i);
    return egt::testing::run({EGTRACE_BINARY, "trace", directory_.path(), "--bridge", "br0", "--jobs", jobs, "--batch", "-"},
                             packets);
  }

  TemporaryDirectory directory_;
};

TEST_F(TraceBatch, AnswersComeInTheOrderOfThePacketsOnAnyNumberOfThreads) {
  const Ran one = answer("1"), three = answer("3");
  EXPECT_EQ(one.status, 3);  // what ports there are is not shown
  EXPECT_EQ(three.status, 3);
  EXPECT_EQ(one.out, three.out);
  EXPECT_EQ(one.err, three.err);
  std::size_t at = 0;
  for (int i = 1; i <= 200; ++i) {
    at = one.out.find(fmt::format(" 0. ip,nw_dst=10.0.0.{}, priority 10, cookie 0x{:x}\n", i, i), at);
    ASSERT_NE(at, std::string::npos) << i;
  }
}

TEST_F(TraceBatch, ABadLineIsAnsweredWithItsError) {
  const Ran ran = answer("3", true);
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("standard input:151: not answered; "), std::string::npos) << ran.err;
  const std::size_t before = ran.out.find("nw_dst=10.0.0.149, priority 10");
  const std::size_t bad = ran.out.find("\n\nBad openflow flow syntax: nonsense=1: unknown field nonsense\n\n");
  const std::size_t behind = ran.out.find("nw_dst=10.0.0.151, priority 10");
  ASSERT_NE(behind, std::string::npos);
  EXPECT_LT(before, bad);
  EXPECT_LT(bad, behind);
}

// `--dump` names all that there is: the only argument is the packet.
TEST_F(TraceBatch, DumpsNeedNoSnapshot) {
  const std::string dump = directory_.path() + "/ovs-ofctl_dump-flows_br0";
  const std::string packet = "in_port=1,ip,nw_dst=10.0.0.7";
  const Ran with = egt::testing::run({EGTRACE_BINARY, "trace", directory_.path(), "--bridge", "br0", packet});
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--dump", dump, "--bridge", "br0", packet},
                                                    {"--dump", dump, "br0", packet},
                                                    {directory_.path(), "br0", packet},
                                                    {packet, "--dump", dump, "--bridge", "br0"}}) {
    std::vector<std::string> command = {EGTRACE_BINARY, "trace"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Ran without = egt::testing::run(command);
    EXPECT_EQ(with.out, without.out) << without.err;
    EXPECT_NE(std::string::npos, without.out.find("nw_dst=10.0.0.7, priority 10"));
  }
}

TEST_F(TraceBatch, OneBridgeIsNamed) {
  const Ran twice = egt::testing::run({EGTRACE_BINARY, "trace", directory_.path(), "br0", "in_port=1", "--bridge", "br1"});
  EXPECT_EQ(2, twice.status);
  EXPECT_NE(std::string::npos, twice.err.find("br0: the bridge is named twice")) << twice.err;
  const Ran unknown = egt::testing::run({EGTRACE_BINARY, "trace", directory_.path(), "br9", "in_port=1"});
  EXPECT_EQ(2, unknown.status);
  EXPECT_NE(std::string::npos, unknown.err.find("br9: unknown bridge")) << unknown.err;
}

// The host's ends of pods' devices are called by digits of a hash.
TEST(TracePorts, NamesMayBeginWithDigits) {
  const TemporaryDirectory d;
  std::string ports =
      "OFPT_FEATURES_REPLY (xid=0x2): dpid:0000b6b2b6b2b6b2\nn_tables:254, n_buffers:0\n"
      "capabilities: FLOW_STATS TABLE_STATS PORT_STATS QUEUE_STATS ARP_MATCH_IP\nactions: output\n";
  for (const char* port : {"5(8baddcb6b09e409)", "6(3f2a91c0aa11e2b)", "7(1e10)"})
    ports += fmt::format(
        " {}: addr:aa:55:aa:55:00:05\n     config:     0\n     state:      0\n     speed: 0 Mbps now, 0 Mbps max\n", port);
  d.file("ovs-ofctl_show_br0", ports + "OFPT_GET_CONFIG_REPLY (xid=0x4): frags=normal miss_send_len=0\n");
  d.file("ovs-ofctl_--names_dump-flows_br0",
         " cookie=0x1, duration=1.0s, table=0, n_packets=0, n_bytes=0, priority=10,in_port=8baddcb6b09e409 "
         "actions=output:3f2a91c0aa11e2b,enqueue:1e10:3\n"
         " cookie=0x2, duration=1.0s, table=0, n_packets=0, n_bytes=0, priority=10,in_port=\"3f2a91c0aa11e2b\" "
         "actions=output:\"1e10\"\n");
  const auto verdict = [&](const std::string& flow) {
    return egt::testing::run({EGTRACE_BINARY, "trace", d.path(), "--bridge", "br0", flow}).out;
  };
  EXPECT_NE(std::string::npos, verdict("in_port=8baddcb6b09e409,ip").find("    output:6\n    enqueue:7:3\n"));
  EXPECT_NE(std::string::npos, verdict("in_port=3f2a91c0aa11e2b,ip").find("    output:7\n"));
  EXPECT_NE(std::string::npos, verdict("ip,in_port=\"1e10\"").find("No match"));
  EXPECT_NE(std::string::npos, verdict("in_port(8baddcb6b09e409),eth(),eth_type(0x0800),ipv4(frag=no)").find("    output:6\n"));
  const Ran unknown = egt::testing::run({EGTRACE_BINARY, "trace", d.path(), "--bridge", "br0", "in_port=3f2a91c0aa11e2c"});
  EXPECT_EQ(2, unknown.status);
  EXPECT_NE(std::string::npos, unknown.err.find("did you mean `3f2a91c0aa11e2b`?")) << unknown.err;
}

}  // namespace
