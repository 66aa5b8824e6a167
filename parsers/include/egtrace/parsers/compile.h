// Compiled snapshots (.egt): one file that holds the dumps and what reading the large ones found out, so that later commands
// open it in milliseconds. read_snapshot() takes it wherever it takes a snapshot.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/result.h"
#include "egtrace/parsers/snapshot.h"

namespace egt::parsers {

struct CompiledEntry {
  std::string path;
  std::uint64_t bytes = 0;
  bool indexed = false;       // need not be read again
  bool masked = false;        // without its secrets, and the environment of containers
  bool left_out = false;      // no loader used it: there is no more of it than its name
  bool from_outside = false;  // behind a link out of a directory that holds nothing but links
};

struct Compiled {
  std::vector<CompiledEntry> files;
  std::uint64_t bytes = 0;  // of the file that was written
};

// How a node's OpenFlow flows are compared with its logical flows; kept with the node (Node::agreement).
using CompareFlows = std::function<std::optional<ovn::Agreement>(const cluster::Cluster&, const cluster::Node&)>;

// Which builds use what a compiled snapshot keeps: those of which this is the same.
std::string_view compiled_by();

// Writes an OutputFile that only its owner may read. Files that no loader used are
// not in it, nor are secrets (secrets.h); what links out of the snapshot lead to is none of its files, unless it holds
// nothing but links and is a view of files elsewhere. The error is one line.
Result<Compiled> compile_snapshot(const SnapshotRequest& request, const std::string& path, const CompareFlows& compare = {});

}  // namespace egt::parsers
