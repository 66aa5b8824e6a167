#include "assess/code_quality.h"
#include "assess/known_cases.h"
#include "egtrace/render/check.h"

namespace egt::render {

// What is known stays in the report: GitLab compares it with that of the target branch itself.
std::string check_gitlab(const std::vector<assess::ExpectationReport>& reports, const SourcePlaces& sources,
                         const assess::BaselineComparison* baseline) {
  std::vector<QualityIssue> issues;
  const assess::Fingerprints known_as = assess::fingerprints(reports);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const assess::ExpectationReport& r = reports[i];
    const KnownCases known(r, known_as[i], baseline);
    if (r.cases.empty() && r.overall.holds != true)  // no packet is like that
      issues.push_back({rule_of(r.overall), r.name + ": " + r.overall.why, assess::fingerprint({r.name, std::to_string(i)}),
                        r.overall.holds ? "major" : "info", places_of(r, r.overall, sources)});
    for (std::size_t j = 0; j < r.cases.size(); ++j) {
      const assess::Judgement& judgement = r.cases[j].judgement;
      if (judgement.holds == true) continue;
      issues.push_back({rule_of(judgement), text_of(r, r.cases[j]), known_as[i][j],
                        !judgement.holds ? "info"
                        : known.has(j)   ? "minor"
                                         : "major",
                        places_of(r, judgement, sources)});
    }
  }
  return code_quality(issues, sources);
}

}  // namespace egt::render
