// The log of a clustered database server as the transactions that count (ovsdb/raft.c, ovsdb(7) "Clustered Database
// Service Model").
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ovsdb/log_file.h"

namespace egt::parsers::ovsdb {

// A record that counts: a transaction, perhaps with a schema before it.
struct LogEntry {
  std::string_view schema, transaction;
  std::uint32_t line = 0;
  std::uint64_t index = 0;  // in the Raft log; 0 in a standalone file
  std::string_view id;      // likewise; empty
};

struct ClusterLog {
  std::string_view server_id, cluster_id;
  std::vector<LogEntry> committed;                             // the snapshot first, then in the order of their index
  std::size_t uncommitted = 0;                                 // entries behind the last commit index that this server knew
  std::vector<std::pair<std::uint32_t, const char*>> damaged;  // line, and what is wrong there
};

// Entries count in the order of their index; one that comes again replaces itself and all behind it. The result points
// into the records, of which there is at least one.
ClusterLog read_cluster_log(const std::vector<LogRecord>& records);

}  // namespace egt::parsers::ovsdb
