#include "snapshot/preview.h"

#include <algorithm>
#include <string>

#include "egtrace/parsers/content.h"
#include "egtrace/parsers/format.h"
#include "egtrace/parsers/snapshot.h"
#include "snapshot/prompt.h"
#include "snapshot/segment.h"

namespace egt::parsers {
namespace {

// Where support archives keep what daemons wrote. A dump pasted into a file of the user's is never there.
bool is_log_place(std::string_view path) {
  static constexpr std::string_view kPlaces[] = {"/logs/current", "/logs/previous", "/logs/rotated/", "host_service_logs/",
                                                 "/var/log/",     "audit_logs/",    "/journalctl_"};
  return std::any_of(std::begin(kPlaces), std::end(kPlaces),
                     [&](std::string_view place) { return path.find(place) != std::string_view::npos; });
}

bool is_index(std::string_view path) { return path.ends_with("sos_reports/manifest.json") || path.ends_with("egtrace.yaml"); }

}  // namespace

bool worth_reading(std::string_view path, std::uint64_t size, std::string_view beginning) {
  const bool log = is_log_place(path);
  if (is_index(path)) return true;
  if (!log && std::max<std::uint64_t>(size, beginning.size()) < kPreview) return true;
  Dump dump;
  dump.path = std::string(path);
  dump.command = command_of_path(path);
  dump.text = beginning.substr(0, kPreview);
  if (begins_with_tool(dump.command) || recognise(dump).format != nullptr) return true;
  if (log || looks_binary(dump.text)) return false;
  const Segments segments = split_pasted(dump.text);
  return segments.prompts > 0 || segments.classified > 0;
}

}  // namespace egt::parsers
