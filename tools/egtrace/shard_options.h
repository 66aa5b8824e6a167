// --shard, of verbs whose work several hosts share out.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "command.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/render/shard.h"

namespace egt::cli {

void add_shard_option(CLI::App& verb, std::string& shard);
// "I/N", or "N" where the environment has I: SLURM_ARRAY_TASK_ID (counted from SLURM_ARRAY_TASK_MIN) of an array of Slurm,
// JOB_COMPLETION_INDEX of an Indexed Job. Shards are counted from 0; N is 0 again, so that 1 to N do as well. Empty: the whole.
assess::Shard shard_of(const std::string& text);
// What distinguishes snapshots: a hash of the paths of its dumps and of the nodes.
std::string fingerprint(const cluster::Cluster& cluster);

}  // namespace egt::cli
