// Reading a snapshot: finds the dumps, shows what each is, by content first, and fills a cluster.
//
// A snapshot is a directory (<snapshot>/<node>/<file>, a flat one, or support archives' trees), a tar archive
// (compressed or not), or a single file, into which the output of several commands may have been pasted. Nothing is
// ever written into it. An optional egtrace.yaml at its root (docs/formats/snapshot.md) settles what guessing gets
// wrong.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/moment.h"
#include "egtrace/base/result.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/cluster/collection.h"
#include "egtrace/cluster/history.h"

namespace egt::parsers {

// How far reading has come, for a thread that shows it.
struct SnapshotProgress {
  std::atomic<std::uint64_t> files{0}, bytes{0};     // found and unpacked so far
  std::atomic<std::uint64_t> dumps{0}, dumps_of{0};  // put into the model, of how many (0: not known yet)
};

struct SnapshotRequest {
  std::string path;                  // directory, archive or file; "-": standard input; empty: only `dumps`
  std::vector<std::string> dumps{};  // arguments of --dump: [NODE:][KIND=]PATH
  unsigned jobs = 0;                 // threads that read and decompress; 0: one a processor
  SnapshotProgress* progress = nullptr;
  // Databases are read as of this moment: of their logs what is later is left out (Collection::as_of_databases shows what
  // that came to). Listings of a database that is there as a file are of another moment and are not read then. Everything
  // else is as it was dumped.
  std::optional<Moment> as_of{};
  bool history = false;  // fill Snapshot::history
  // Only logical flows are to be walked: of a southbound database that holds all that this takes, rows with types
  // (Ovn::southbound) are read, and no others but those that name the node.
  bool logical_only = false;
  // Packets are to be walked: what no dump shows of nodes whose databases are there is presumed as OVN-Kubernetes would have
  // made it, and marked (Node::host_presumed, Bridge::by_logical_flows).
  bool presume = false;
  // With `presume`: logical flows are made ready (Ovn::program) on all nodes that have them, also where OpenFlow flows are
  // dumped, for questions about what OVN intends.
  bool as_intended = false;
  // What dumps show is not compared with each other: Node::inconsistencies stay empty.
  bool as_dumped = false;
  // Nodes are read on their first use (cluster/node_handle.h), where they can be distinguished without. For
  // questions about a few of them: what is found while reading (Cluster::diagnostics, DumpInfo::not_understood) is then not
  // mentioned the others, nor are the collection's dumps.
  bool when_needed = false;
  // Symbolic links that lead out of the directory at `path` are followed: for trees of links that the user made.
  bool follow_links = false;
};

// One argument of --dump. What stands before ':' and '=' counts as NODE and KIND only where PATH as a whole is no file.
struct DumpArgument {
  std::string node, kind, path;
};
Result<DumpArgument> parse_dump_argument(std::string_view text);

struct Snapshot {
  cluster::Cluster cluster;
  cluster::Collection collection;
  cluster::History history;
};

// The error is for unusable input: no such file, a directory or file without a single dump, an unknown kind. A dump that
// is damaged, binary or unknown among others is no error: it is listed in Cluster::dumps and in the diagnostics.
// Throws OutOfMemory where a dump needs more memory than there is.
Result<Snapshot> open_snapshot(const SnapshotRequest& request);
// The cluster alone.
Result<cluster::Cluster> read_snapshot(const SnapshotRequest& request);

// What a file's name shows of the command that printed it: the name without folders and without endings of compression
// and text (.gz, .xz, .zst, .bz2, .txt, .log, .out). Blanks stay the '_' that they are in such names.
std::string command_of_path(std::string_view path);

}  // namespace egt::parsers
