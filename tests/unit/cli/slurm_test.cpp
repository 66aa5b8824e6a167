// tools/cluster/slurm against Slurm itself, of one node on loopback (slurm_cluster.sh); skipped where it is not installed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "support/run.h"

namespace {

using egt::testing::Ran;

// A shard that was killed is missing in the result, which says so, and is run again alone.
TEST(Slurm, AnArrayGivesTheWhole) {
  for (const char* program : {"slurmctld", "slurmd", "munged", "sbatch"})
    if (egt::testing::run({"sh", "-c", std::string("command -v ") + program}).status != 0)
      GTEST_SKIP() << program << " is not installed";
  if (geteuid() != 0) GTEST_SKIP() << "Slurm's daemons need root";
  const egt::testing::TemporaryDirectory d;
  const std::string source = EGTRACE_SOURCE_DIR,
                    question = "audit " + source + "/samples/egressip-secondary --to 192.168.55.13:80 --one-way";
  egt::testing::write_file(d.path() + "/egtrace", "#!/bin/sh\ncase \"$*\" in *2/3*) if ! [ -f " + d.path() +
                                                      "/killed ]; then touch " + d.path() +
                                                      "/killed; kill -9 $$; fi;; esac\nexec " + EGTRACE_BINARY + " \"$@\"\n");
  egt::testing::write_file(d.path() + "/job",
                           "set -eu\nchmod +x " + d.path() + "/egtrace\nexport EGTRACE=" + d.path() +
                               "/egtrace SHARDS=3 FORMAT=json RESULTS=" + d.path() + "/results\nfor run in 1 2; do\n  " + source +
                               "/tools/cluster/slurm/submit " + question +
                               "\n  for i in $(seq 200); do [ -n \"$(squeue --noheader)\" ] || break; sleep 0.1; done\n"
                               "  cp $RESULTS/merge.log " +
                               d.path() + "/log$run\ndone\n");
  const Ran ran = egt::testing::run({source + "/tests/unit/cli/slurm_cluster.sh", d.path() + "/slurm", "sh", d.path() + "/job"});
  ASSERT_EQ(0, ran.status) << ran.out << ran.err;
  EXPECT_NE(std::string::npos, egt::testing::read_file(d.path() + "/log1").find("1 of 3 shards missing: 2"));
  EXPECT_EQ("", egt::testing::read_file(d.path() + "/log2"));
  const Ran whole = egt::testing::run({"sh", "-c", std::string(EGTRACE_BINARY) + " " + question + " --format json"});
  EXPECT_EQ(whole.out, egt::testing::read_file(d.path() + "/results/result"));
}

}  // namespace
