// Compiled snapshots (.egt): one file that holds the dumps and what reading the large ones found out, so that later commands
// open it in milliseconds. read_snapshot() takes it wherever it takes a snapshot.
#pragma once

#include <cstdint>
#include <string>

#include "egtrace/base/result.h"
#include "egtrace/parsers/snapshot.h"

namespace egt::parsers {

struct Compiled {
  std::size_t files = 0, indexed = 0;  // indexed: those that need not be read again
  std::uint64_t bytes = 0;             // of the file that was written
};

// Writes to `path` by way of a new file beside it, so that a failure leaves nothing half done. The error is one line.
Result<Compiled> compile_snapshot(const SnapshotRequest& request, const std::string& path);

}  // namespace egt::parsers
