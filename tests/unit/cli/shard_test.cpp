// Shards of audit and check, and what merge makes of them: the bytes and the status of one run.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/run.h"

namespace {

using egt::testing::Ran;
using egt::testing::TemporaryDirectory;
using Words = std::vector<std::string>;

const std::string kSource = EGTRACE_SOURCE_DIR;

Ran in_source(Words words) {
  words.insert(words.begin(), EGTRACE_BINARY);
  return egt::testing::run(words, "", kSource);
}

class Shards : public ::testing::Test {
 protected:
  // Each part as a file; their names.
  Words run(const Words& question, unsigned count, unsigned first = 0) const {
    Words files;
    for (unsigned i = 0; i < count; ++i) {
      files.push_back(results_.path() + "/" + std::to_string(i) + ".json");
      Words part = question;
      part.insert(part.end(), {"--shard", std::to_string(i + first) + "/" + std::to_string(count), "-o", files.back()});
      EXPECT_EQ(0, in_source(part).status);
    }
    return files;
  }
  static Ran merged(Words files, const Words& more = {}) {
    files.insert(files.begin(), "merge");
    files.insert(files.end(), more.begin(), more.end());
    return in_source(files);
  }
  void expect_same(const Words& question, const Words& files, const std::string& format) const {
    Words whole = question;
    whole.insert(whole.end(), {"--format", format});
    const Ran one = in_source(whole), many = merged(files, {"--format", format});
    EXPECT_EQ(one.out, many.out) << format;
    EXPECT_EQ(one.status, many.status) << format << many.err;
  }

  TemporaryDirectory results_;
};

const Words kAudit = {"audit", "samples/egressip-secondary", "--to", "192.168.55.13:80", "--one-way", "--fail-on-leak"};
const Words kCheck = {"check", "samples/egressip-secondary", "samples/expectations.yaml"};

TEST_F(Shards, OfAnAuditGiveTheWhole) {
  for (const unsigned count : {1U, 5U}) {
    const Words files = run(kAudit, count);
    for (const char* format : {"table", "json", "csv"}) expect_same(kAudit, files, format);
  }
}

TEST_F(Shards, OfACheckGiveTheWhole) {
  const Words files = run(kCheck, 2, 1);  // counted from 1
  for (const char* format : {"text", "json"}) expect_same(kCheck, files, format);
}

TEST_F(Shards, MissingOnesAreNamed) {
  Words files = run(kAudit, 3);
  files.erase(files.begin() + 1);
  const Ran ran = merged(files);
  EXPECT_EQ(3, ran.status);
  EXPECT_NE(std::string::npos, ran.err.find("1 of 3 shards missing: 1; run it again with --shard I/3")) << ran.err;
}

TEST_F(Shards, OthersAreRefused) {
  const Words files = run(kAudit, 2);
  const std::string other = results_.path() + "/other.json", text = results_.path() + "/text.json";
  in_source({"audit", "samples/egressip-secondary", "--to", "192.168.55.13:80", "--one-way", "--shard", "1/2", "-o",
             other});  // without --fail-on-leak
  egt::testing::write_file(text, "{\"schema\": \"egtrace.shard/1\"}");
  for (const Words& some : {Words{files[0], files[0]}, {files[0], other}, {files[0], text}, {kSource + "/README.md"}}) {
    const Ran ran = merged(some);
    EXPECT_EQ(2, ran.status) << ran.out;
    EXPECT_TRUE(ran.out.empty());
  }
  for (const char* shard : {"3/2", "0/0", "x/2", "1/", "-1/2"})
    EXPECT_EQ(2, in_source({"audit", "samples/egressip-secondary", "--shard", shard}).status) << shard;
}

// As a task of a Slurm array and as a pod of an Indexed Job.
TEST_F(Shards, IndexFromTheEnvironment) {
  const std::string cluster = kSource + "/tools/cluster/", results = results_.path() + "/results";
  const auto shell = [&](const std::string& line) {
    return egt::testing::run(
        {"sh", "-c",
         "export EGTRACE=" + std::string(EGTRACE_BINARY) + " SHARDS=2 RESULTS=" + results + "; cd " + kSource + "; " + line});
  };
  const std::string part = cluster + "run-shard audit samples/egressip-secondary --to 192.168.55.13:80 --one-way",
                    merge = cluster + "merge-when-complete";
  EXPECT_EQ(0, shell("SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_ID=5 " + part).status);
  const Ran early = shell(merge);
  EXPECT_EQ(3, early.status);
  EXPECT_NE(std::string::npos, early.err.find("shard 1 has no result yet")) << early.err;
  EXPECT_EQ(0, shell("JOB_COMPLETION_INDEX=1 " + part).status);
  EXPECT_EQ(in_source({"audit", "samples/egressip-secondary", "--to", "192.168.55.13:80", "--one-way"}).out, shell(merge).out);
  EXPECT_EQ(2,
            shell("unset SLURM_ARRAY_TASK_ID JOB_COMPLETION_INDEX; $EGTRACE audit samples/egressip-secondary --shard 2").status);
}

}  // namespace
