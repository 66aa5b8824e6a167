// A small archive of a large text.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

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
  const Ran ran = egt::testing::run({program(), "inspect", d.path(), "--max-memory", "14M", "--jobs", "1"});
  EXPECT_EQ(2, ran.status);
  EXPECT_NE(std::string::npos, ran.err.find("needs more memory than --max-memory allows")) << ran.err;
  EXPECT_EQ(ran.err.size() - 1, ran.err.find('\n')) << ran.err;
}

TEST(Memory, TheLimitIsASize) {
  EXPECT_EQ(2, egt::testing::run({EGTRACE_BINARY, "inspect", "x", "--max-memory", "much"}).status);
}

}  // namespace
