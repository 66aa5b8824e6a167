// Compiled forms (docs/formats/egt.md) of large snapshots, which later commands open in place of these: in $XDG_CACHE_HOME/egtrace or
// ~/.cache/egtrace. Each is named by a hash of the snapshot's files (names, sizes, inodes, times of change) and of the readers that
// this program was built of, so that it is not found any more when one of them changes. They hold what `egtrace compile` packs: no
// secrets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "egtrace/cluster/collection.h"
#include "egtrace/parsers/snapshot.h"

namespace egt::cli {

class SnapshotCache {
 public:
  struct Limits {
    std::uint64_t large = std::uint64_t{64} << 20;  // bytes from which on a snapshot is kept; those of archives count eight times
    std::uint64_t all = std::uint64_t{4} << 30;     // bytes of all that is kept; the least used goes first
  };

  // `directory`: empty: nothing is kept. Others than the user may not write there.
  SnapshotCache(std::string directory, Limits limits) : directory_(std::move(directory)), limits_(limits) {}
  // By the environment: EGTRACE_CACHE is "off", or how much is kept ("2G").
  static SnapshotCache of_user();

  // Where the compiled form of what is asked for is, or would be. Nothing where none is kept of it: a small snapshot, one of which a
  // file was changed within the last seconds, dumps beside it, a compiled one.
  std::optional<std::string> place_of(const parsers::SnapshotRequest& request) const;
  // Whether it is there; if so, it counts as used now.
  static bool has(const std::string& place);
  // Makes room and starts a process that compiles the snapshot to `place` and outlives this one. It does not where another one
  // compiles, where it was tried before, or where there is no room. `program`: this one's file.
  void keep(const std::string& snapshot, const std::string& place, const std::string& program) const;

 private:
  void make_room(std::uint64_t bytes) const;

  std::string directory_;
  Limits limits_;
};

// Whether a compiled form answers as these files do: there are no links out of them, nothing was damaged, no private map was used.
bool is_compiled_alike(const cluster::Collection& collection);

}  // namespace egt::cli
