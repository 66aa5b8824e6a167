// The script of `egtrace collect`, run by a POSIX shell on this very machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "support/run.h"

namespace {

using egt::testing::Ran;
using egt::testing::run;
using egt::testing::TemporaryDirectory;

const char* shell() { return std::filesystem::exists("/bin/dash") ? "/bin/dash" : "/bin/sh"; }

TEST(Collect, GathersAnArchiveThatIsRead) {
  const Ran script = run({EGTRACE_BINARY, "collect"});
  ASSERT_EQ(0, script.status);
  EXPECT_TRUE(script.out.starts_with("#!/bin/sh\n"));
  const TemporaryDirectory d;
  const Ran collected = run({shell(), "-s", "--", "-q", "-d", "-n", "here", "-t", "20", "-o", "here.tar.gz"}, script.out, d.path());
  ASSERT_EQ(0, collected.status) << collected.err;
  EXPECT_EQ(1, std::distance(std::filesystem::directory_iterator(d.path()), std::filesystem::directory_iterator()));
  const Ran inspected = run({EGTRACE_BINARY, "inspect", d.path() + "/here.tar.gz", "--format", "json"});
  EXPECT_EQ(0, inspected.status) << inspected.err;
  EXPECT_NE(std::string::npos, inspected.out.find("\"name\": \"here\"")) << inspected.out;
  EXPECT_NE(std::string::npos, inspected.out.find("egtrace collect 1"));
}

TEST(Collect, RefusesWhatItDoesNotKnow) {
  const Ran script = run({EGTRACE_BINARY, "collect"});
  EXPECT_EQ(2, run({shell(), "-s", "--", "-t", "soon"}, script.out).status);
  EXPECT_EQ(2, run({shell(), "-s", "--", "-z"}, script.out).status);
  EXPECT_EQ(0, run({shell(), "-s", "--", "-h"}, script.out).status);
}

}  // namespace
