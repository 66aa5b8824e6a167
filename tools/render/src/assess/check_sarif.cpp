#include <fmt/format.h>

#include <algorithm>

#include "assess/sarif.h"
#include "egtrace/render/check.h"
#include "manual_pages.h"

namespace egt::render {
namespace {

using namespace assess;

constexpr const char* kExpectation = "expectation";

SarifRule rule_for(const std::string& id) {
  if (const auto section = section_of_reason(id)) return {id, "error", section->title, section->markdown, section->text};
  return {kExpectation, "error", "The connection is not as expected",
          "The packet differs from the expectation: another outcome, source, destination, node, device or path.\n\n"
          "Look at: `egtrace explain SNAPSHOT --from POINT --to POINT` with the ends of the expectation.",
          "The packet differs from the expectation: another outcome, source, destination, node, device or path.\n\n"
          "Look at: egtrace explain SNAPSHOT --from POINT --to POINT with the ends of the expectation."};
}

SarifResult result_of(const ExpectationReport& r, const CaseReport& c, const SourcePlaces& sources) {
  const Judgement& j = c.judgement;
  SarifResult result;
  result.rule = rule_of(j);
  result.kind = j.holds ? "fail" : "open";
  result.level = j.holds ? "error" : "none";
  result.message = text_of(r, c);
  result.places = places_of(r, j, sources);
  result.properties = {{"expected", properties_json(r.expected)}, {"seen", properties_json(j.seen)}};
  return result;
}

}  // namespace

std::string rule_of(const Judgement& judgement) { return judgement.reason.empty() ? kExpectation : judgement.reason; }

std::string text_of(const ExpectationReport& report, const CaseReport& packet) {
  return fmt::format("{}: {} to {}: {}", report.name, packet.from, packet.to, packet.judgement.why);
}

// A reviewer of expectations looks at their lines; what an object implies stands in its dump.
std::vector<SarifPlace> places_of(const ExpectationReport& r, const Judgement& j, const SourcePlaces& sources) {
  std::vector<SarifPlace> all;
  if (r.line > 0 && !sources.expectations.empty()) all.push_back({{sources.expectations, r.line, ""}, false});
  for (const auto* lines : {&r.object, &j.evidence})
    for (const explain::EvidenceLine& line : *lines) all.push_back({line});
  return all;
}

// What holds is left out: GitHub would show it as an alert.
std::string check_sarif(const std::vector<ExpectationReport>& reports, const SourcePlaces& sources, const std::string& version,
                        const BaselineComparison* baseline) {
  SarifRun run{"check", version, sources, {rule_for(kExpectation)}, {}};
  const Fingerprints known_as = fingerprints(reports);
  for (std::size_t i = 0; i < reports.size(); ++i)
    for (std::size_t j = 0; j < reports[i].cases.size(); ++j) {
      const CaseReport& c = reports[i].cases[j];
      if (c.judgement.holds == true) continue;
      SarifResult result = result_of(reports[i], c, sources);
      if (std::none_of(run.rules.begin(), run.rules.end(), [&](const SarifRule& rule) { return rule.id == result.rule; }))
        run.rules.push_back(rule_for(result.rule));
      result.fingerprint = known_as[i][j];
      if (baseline != nullptr && c.judgement.holds)
        result.baseline_state = baseline->is_known(result.fingerprint) ? "unchanged" : "new";
      run.results.push_back(std::move(result));
    }
  return sarif(run);
}

}  // namespace egt::render
