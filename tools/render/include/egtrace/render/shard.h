// Results of shards, from which `egtrace merge` makes what one run would have printed (docs/schema/shard.schema.json).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/assess/audit.h"
#include "egtrace/assess/check.h"
#include "egtrace/assess/shard.h"
#include "egtrace/base/result.h"

namespace egt::render {

struct ShardHead {
  std::string verb, version;                   // "audit", "check"; of egtrace
  std::string snapshot;                        // a hash of what the snapshot holds
  std::map<std::string, std::string> options;  // that decide the result, by name
  assess::Shard shard;
  // Whether they are parts of one run.
  bool belongs_to(const ShardHead& other) const;
};

// An expectation's report with its place among all.
struct PlacedReport {
  std::size_t place = 0;
  assess::ExpectationReport report;
};

struct ShardResult {
  ShardHead head;
  std::vector<assess::AuditRow> rows;  // of "audit"
  std::vector<PlacedReport> reports;   // of "check"
};

std::string shard_json(const ShardResult& result);
// The error names what is wrong with the file.
Result<ShardResult> read_shard(std::string_view text);

}  // namespace egt::render
