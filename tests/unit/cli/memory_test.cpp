// A small archive of a large text.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "egtrace/host/conntrack_entry.h"
#include "egtrace/host/link.h"
#include "egtrace/host/netfilter.h"
#include "egtrace/host/routing.h"
#include "support/pack.h"
#include "support/run.h"

namespace {

using egt::testing::Ran;
using egt::testing::TemporaryDirectory;

std::string many_rules(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i) + ":\tfrom 10.0.0.1 lookup main\n";
  return text;
}

// Sanitizers have allocators of their own, which the limit does not see: a binary without them is asked where there is one.
const char* program() {
  if (const char* plain = std::getenv("EGTRACE_PLAIN_BINARY")) return plain;
#ifdef EGTRACE_SANITIZED
  return nullptr;
#else
  return EGTRACE_BINARY;
#endif
}

TEST(Memory, WhatNeedsMoreIsOneLine) {
  if (program() == nullptr) GTEST_SKIP() << "EGTRACE_PLAIN_BINARY names no program without sanitizers";
  const TemporaryDirectory d;
  d.file("w1/ip_rule.gz", egt::testing::pack({{"", many_rules(20000)}}, "gz", "raw"));
  const Ran enough = egt::testing::run({program(), "inspect", d.path(), "--max-memory", "30M", "--jobs", "1"});
  EXPECT_EQ(0, enough.status) << enough.err;
  const Ran ran = egt::testing::run({program(), "inspect", d.path(), "--max-memory", "12M", "--jobs", "1"});
  EXPECT_EQ(2, ran.status);
  EXPECT_EQ(
      "egtrace: w1/ip_rule.gz: needs more memory than the 12 MB that --max-memory allows; give an excerpt of it, or allow more\n",
      ran.err);
}

// However little there is: it is never said that the snapshot is empty.
TEST(Memory, TooLittleForAnything) {
  if (program() == nullptr) GTEST_SKIP() << "EGTRACE_PLAIN_BINARY names no program without sanitizers";
  for (const char* limit : {"5M", "6M", "8M", "10M"}) {
    const Ran ran =
        egt::testing::run({program(), "inspect", EGTRACE_SOURCE_DIR "/samples/egressip-secondary", "--max-memory", limit});
    if (ran.status == 0) continue;  // enough here
    EXPECT_EQ(2, ran.status) << limit;
    EXPECT_NE(std::string::npos, ran.err.find("--max-memory allows")) << limit << ": " << ran.err;
    EXPECT_EQ(ran.err.size() - 1, ran.err.find('\n')) << ran.err;
  }
}

// The program starts itself again where much is read and the kernel gives huge pages on request: once, with the same words, and what
// it starts sees nothing of it. Elsewhere it asks for them itself.
TEST(Memory, HugePagesShowNowhere) {
  if (program() == nullptr) GTEST_SKIP() << "EGTRACE_PLAIN_BINARY names no program without sanitizers";
  const TemporaryDirectory d;
  d.file("w1/ip_rule", many_rules(2000));
  d.file("w1/many.log", std::string(std::size_t{33} << 20, '\n'));
  for (const std::string& snapshot : {std::string(EGTRACE_SOURCE_DIR "/samples/egressip-secondary"), d.path()}) {
    const auto inspected = [&](const std::string& tunables) {
      return egt::testing::run({"env", "-u", "GLIBC_TUNABLES", tunables, program(), "inspect", snapshot, "--verbose"});
    };
    const Ran without = inspected("GLIBC_TUNABLES=glibc.malloc.hugetlb=0"),
              with = inspected("GLIBC_TUNABLES=glibc.malloc.hugetlb=1"), by_itself = inspected("EGTRACE_CACHE=off");
    EXPECT_EQ(0, without.status) << without.err;
    for (const Ran& ran : {with, by_itself}) {
      EXPECT_EQ(without.status, ran.status);
      EXPECT_EQ(without.out, ran.out);
      EXPECT_EQ(without.err, ran.err);
    }
  }
  const Ran wrong = egt::testing::run({"env", "-u", "GLIBC_TUNABLES", program(), "no such verb", "", "--"});
  EXPECT_EQ(2, wrong.status);
  EXPECT_NE(std::string::npos, wrong.err.find("no such verb")) << wrong.err;
}

// What an entry keeps beyond its text (tools/dev/memory measures it).
TEST(Memory, EntriesAreSmall) {
  constexpr std::size_t kMost = 300, kAllocation = 16;
  EXPECT_LE(sizeof(egt::host::Route) + sizeof(egt::host::NextHop) + kAllocation, kMost);
  EXPECT_LE(sizeof(egt::host::PolicyRule), kMost);
  EXPECT_LE(sizeof(egt::host::ConntrackEntry), kMost);
  constexpr std::size_t kTestsAndVerdict = 2;
  EXPECT_LE(sizeof(egt::netfilter::Rule) + kTestsAndVerdict * sizeof(egt::netfilter::Statement) + kAllocation, kMost);
  EXPECT_LE(sizeof(egt::host::Link) + sizeof(egt::host::Address) + kAllocation, kMost);
}

// A line of 25 MB is no flow, and is neither taken for one nor costs what one of its actions would cost a million times.
TEST(Memory, EndlessFlows) {
  if (program() == nullptr) GTEST_SKIP() << "EGTRACE_PLAIN_BINARY names no program without sanitizers";
  const TemporaryDirectory d;
  std::string line = " cookie=0x1, duration=1.5s, table=0, n_packets=0, n_bytes=0, priority=1,ip actions=";
  for (int i = 0; i < 1000000; ++i) line += "output:" + std::to_string(i % 60000) + ",";
  d.file("w1/ovs-ofctl_dump-flows_br-x",
         " cookie=0x2, duration=1.5s, table=0, n_packets=0, n_bytes=0, priority=0 actions=drop\n" + line + "drop\n");
  const Ran inspected = egt::testing::run({program(), "inspect", d.path(), "-v", "--max-memory", "100M"});
  EXPECT_NE(std::string::npos, inspected.out.find("longer than 1 MB")) << inspected.out << inspected.err;
  const Ran traced = egt::testing::run(
      {program(), "trace", d.path(), "--node", "w1", "--bridge", "br-x", "in_port=1,ip", "--max-memory", "100M"});
  EXPECT_EQ(3, traced.status) << traced.out << traced.err;  // it may be the one that the packet meets
}

TEST(Memory, TheLimitIsASize) {
  EXPECT_EQ(2, egt::testing::run({EGTRACE_BINARY, "inspect", "x", "--max-memory", "much"}).status);
}

}  // namespace
