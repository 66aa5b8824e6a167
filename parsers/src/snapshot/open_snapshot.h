// Opens a snapshot: finds its dumps, recognizes each, and sorts them by node. Nodes are not read.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/parsers/snapshot.h"
#include "snapshot/compiled_state.h"
#include "snapshot/gather.h"
#include "snapshot/manifest.h"
#include "snapshot/node_dumps_reader.h"

namespace egt::parsers {

// A snapshot of which the dumps are sorted.
struct SortedSnapshot {
  SortedSnapshot() { sorted->cluster = cluster.place(); }

  std::vector<FoundFile> files;
  std::shared_ptr<Sorted> sorted = std::make_shared<Sorted>();  // which nodes are read from, also later
  cluster::Cluster cluster;
  cluster::Collection collection;
  Moments moments;                        // that are not in the collection yet
  std::vector<NodeDumpsReader*> readers;  // in order of names, the nameless last
  bool has_nameless = false;

  std::vector<Candidate>& candidates() const { return sorted->candidates; }
  // Dumps that several nodes share are read for each of them, one after the other.
  bool has_shared_dumps() const;
};

class SnapshotOpener {
 public:
  // `nodes_of_dumps`: as they were found when the snapshot was opened before; may be null.
  explicit SnapshotOpener(const SnapshotRequest& request, const NodesOfDumps* nodes_of_dumps = nullptr);

  // One of the two, then what came of it. Damage of a compiled snapshot is an error (std::runtime_error).
  std::optional<Error> open(Gathered gathered);
  void open_kept(Gathered gathered);
  SortedSnapshot take() { return std::move(opened_); }

 private:
  void take_over(Gathered gathered);
  void examine_files();
  std::vector<Candidate> examine_one(std::size_t index, const Manifests& manifests) const;
  std::optional<Error> find_moment();
  void add_sources();
  void load_objects();
  void add_nodes();
  void add_node(NodeDumps dumps, std::optional<KnownNode> known);
  void remark_on(Provenance at, const std::string& message);

  const SnapshotRequest& request_;
  const NodesOfDumps* nodes_of_dumps_;
  std::shared_ptr<const CompiledSections> sections_;  // of a compiled snapshot, as far as they are believed
  std::size_t root_files_ = 0;                        // of the files, those below request_.path; --dump follows
  std::map<std::size_t, DumpArgument> arguments_;     // by index into the files
  SortedSnapshot opened_;
};

}  // namespace egt::parsers
