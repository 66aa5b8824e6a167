// How a verb is told which snapshot to read.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "command.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/parsers/snapshot.h"

namespace egt::cli {

struct SnapshotOptions {
  std::string path;
  std::vector<std::string> dumps;    // [NODE:][KIND=]PATH
};

void add_snapshot_options(CLI::App& verb, SnapshotOptions& options);
// Reads it and complains on standard error about what was odd. Throws CommandError when it is unusable.
cluster::Cluster open_snapshot(const SnapshotOptions& options, const CommonOptions& common);
// The same with what is known of how it was collected.
parsers::Snapshot open_collection(const SnapshotOptions& options, const CommonOptions& common);

}  // namespace egt::cli
