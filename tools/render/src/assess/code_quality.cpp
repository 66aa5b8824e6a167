#include "assess/code_quality.h"

#include <algorithm>

#include "egtrace/render/printable.h"

namespace egt::render {
namespace {

// From the root of the repository; of what does not lie there the name by which it is known.
std::string path_of(const QualityIssue& issue, const SourcePlaces& sources) {
  const auto snapshot = [&] {
    return sources.snapshot.empty() || sources.snapshot == "." ? sources.snapshot_name : sources.snapshot;
  };
  const std::string path = issue.places.empty()                ? snapshot()
                           : !issue.places.front().in_snapshot ? sources.expectations
                           : sources.snapshot.empty()          ? sources.snapshot_name + "/" + issue.places.front().line.dump
                                                               : in_sources(sources, issue.places.front().line.dump);
  return path.empty() ? "snapshot" : path;  // every issue has one
}

Json issue_json(const QualityIssue& issue, const SourcePlaces& sources) {
  const std::uint32_t line = issue.places.empty() ? 0 : issue.places.front().line.line;
  return {{"description", issue.description},
          {"check_name", issue.check},
          {"fingerprint", issue.fingerprint},
          {"severity", issue.severity},
          {"location", {{"path", path_of(issue, sources)}, {"lines", {{"begin", std::max<std::uint32_t>(line, 1)}}}}}};
}

}  // namespace

std::string code_quality(const std::vector<QualityIssue>& issues, const SourcePlaces& sources) {
  std::string out = "[";
  for (const QualityIssue& issue : issues)
    out += (out.size() == 1 ? "\n" : ",\n") + issue_json(issue, sources).dump(-1, ' ', false, Json::error_handler_t::replace);
  return with_visible(out + (issues.empty() ? "]\n" : "\n]\n"), R"(\\)");  // as the report's reader is shown it
}

}  // namespace egt::render
