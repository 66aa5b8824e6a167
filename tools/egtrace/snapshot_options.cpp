#include "snapshot_options.h"

#include <fmt/format.h>

#include <cstdio>

#include "egtrace/parsers/snapshot.h"

namespace egt::cli {

void add_snapshot_options(CLI::App& verb, SnapshotOptions& options) {
  verb.add_option("snapshot", options.path, "directory, archive or file that holds the dumps; - is standard input");
  verb.add_option("--dump", options.dumps, "one more dump: [NODE:][KIND=]PATH, repeatable")->allow_extra_args(false);
}

cluster::Cluster open_snapshot(const SnapshotOptions& options, const CommonOptions& common) {
  if (options.path.empty() && options.dumps.empty()) throw CommandError("no snapshot given; name a directory, an archive or a file");
  auto cluster = parsers::read_snapshot({options.path, options.dumps, common.jobs});
  if (!cluster) throw CommandError(cluster.error().message);
  std::size_t odd = 0;
  for (const cluster::DumpInfo& d : cluster->dumps) odd += d.not_understood.size();
  if (common.strict && odd > 0)
    for (const cluster::DumpInfo& d : cluster->dumps)
      if (!d.not_understood.empty())
        throw CommandError(fmt::format("{}:{}: a line is not understood; leave --strict away to go on without it", d.path,
                                       d.not_understood.front().line));
  if (common.quiet) return std::move(*cluster);
  if (odd > 0)
    fmt::print(stderr, "egtrace: {} line{} not understood; `egtrace inspect` lists {}\n", odd, odd == 1 ? "" : "s",
               odd == 1 ? "it" : "them");
  return std::move(*cluster);
}

}  // namespace egt::cli
