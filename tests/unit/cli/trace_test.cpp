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
    return egt::testing::run(
        {EGTRACE_BINARY, "trace", directory_.path(), "--bridge", "br0", "--jobs", jobs, "--batch", "-"}, packets);
  }

  TemporaryDirectory directory_;
};

TEST_F(TraceBatch, AnswersComeInTheOrderOfThePacketsOnAnyNumberOfThreads) {
  const Ran one = answer("1"), three = answer("3");
  EXPECT_EQ(one.status, 3);  // what ports there are is not told
  EXPECT_EQ(three.status, 3);
  EXPECT_EQ(one.out, three.out);
  EXPECT_EQ(one.err, three.err);
  std::size_t at = 0;
  for (int i = 1; i <= 200; ++i) {
    at = one.out.find(fmt::format(" 0. ip,nw_dst=10.0.0.{}, priority 10, cookie 0x{:x}\n", i, i), at);
    ASSERT_NE(at, std::string::npos) << i;
  }
}

TEST_F(TraceBatch, ABadLineEndsTheAnswersWhereItStands) {
  const Ran ran = answer("3", true);
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("standard input:151: Bad openflow flow syntax: "), std::string::npos) << ran.err;
  EXPECT_NE(ran.out.find("nw_dst=10.0.0.149, priority 10"), std::string::npos);
  EXPECT_EQ(ran.out.find("nw_dst=10.0.0.151, priority 10"), std::string::npos);
}

}  // namespace
