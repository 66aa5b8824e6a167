// sos_reports/manifest.json: what sos (4.x) says of each command that it ran.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "egtrace/base/result.h"

namespace egt::parsers {

struct RanCommand {
  std::string command;     // as run
  bool truncated = false;  // only the end of its output was kept
  bool timed_out = false;  // status 124: stopped by timeout(1)
  int status = 0;
  std::int64_t time = 0;  // when it ended, seconds since 1970; 0: not told
};

struct Manifest {
  std::map<std::string, RanCommand> by_file;  // path below the report's root
};
Result<Manifest> parse_manifest(std::string_view text);

}  // namespace egt::parsers
