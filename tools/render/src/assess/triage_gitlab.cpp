#include "assess/code_quality.h"
#include "egtrace/render/triage.h"

namespace egt::render {

std::string triage_gitlab(const assess::Triage& triage, const SourcePlaces& sources) {
  std::vector<QualityIssue> issues;
  const std::vector<std::string> known_as = fingerprints_of(triage);
  for (std::size_t i = 0; i < triage.findings.size(); ++i) {
    const assess::Finding& f = triage.findings[i];
    const char* severity = f.severity == assess::Severity::error     ? "major"
                           : f.severity == assess::Severity::warning ? "minor"
                                                                     : "info";
    issues.push_back({f.id, text_of(f), known_as[i], severity, places_of(f)});
  }
  return code_quality(issues, sources);
}

}  // namespace egt::render
