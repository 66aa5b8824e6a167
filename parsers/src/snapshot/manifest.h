// What a collector records of each command that it ran: sos_reports/manifest.json of sos (4.x), and egtrace-collect.tsv of
// `egtrace collect`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/result.h"
#include "snapshot/discover.h"

namespace egt::parsers {

struct RanCommand {
  std::string command;        // as run
  bool truncated = false;     // only a part of its output was kept
  bool keeps_head = false;    // of one that is truncated: its beginning, not its end
  bool errors_apart = false;  // its error output is not in the file
  bool timed_out = false;     // status 124: stopped by timeout(1)
  int status = 0;
  std::int64_t time = 0;  // when it ended, seconds since 1970; 0: not shown
};

struct Manifest {
  std::map<std::string, RanCommand> by_file;  // path below the folder of the report
};
Result<Manifest> parse_manifest(std::string_view text);
// Lines of time, status, bytes, whether it was cut, file and command, with tabs between.
Manifest parse_collect_log(std::string_view text);

// What the collectors say that gathered these files.
class Manifests {
 public:
  explicit Manifests(const std::vector<FoundFile>& files);
  // Of the command that printed a file; null where nothing says so.
  const RanCommand* run_of(const std::string& path) const;

 private:
  std::map<std::string, Manifest> by_folder_;  // of the report
};

}  // namespace egt::parsers
