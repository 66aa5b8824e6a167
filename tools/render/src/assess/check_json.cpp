#include "egtrace/render/check.h"
#include "json_parts.h"

namespace egt::render {
namespace {

using namespace assess;

void add_judgement(Json& j, const Judgement& judgement) {
  j["seen"] = properties_json(judgement.seen);
  j["why"] = judgement.why;
  j["reason"] = text_or_null(judgement.reason);
  j["evidence"] = evidence_json(judgement.evidence);
  j["gaps"] = gaps_json(judgement.gaps);
}

Json case_json(const CaseReport& c) {
  Json j = {{"from", c.from}, {"to", c.to}, {"holds", or_null(c.judgement.holds)}};
  add_judgement(j, c.judgement);
  return j;
}

// "new" or "known" of a case that fails; null of the others.
Json standing(const CaseReport& c, const std::string& fingerprint, const BaselineComparison& baseline) {
  if (c.judgement.holds != false) return nullptr;
  return baseline.is_known(fingerprint) ? "known" : "new";
}

Json known_json(const Baseline& failures) {
  Json all = Json::array();
  for (const KnownFailure& f : failures)
    all.push_back({{"fingerprint", f.fingerprint}, {"name", f.name}, {"from", f.from}, {"to", f.to}});
  return all;
}

Json report_json(const ExpectationReport& r) {
  Json j = {{"name", r.name}, {"holds", or_null(r.overall.holds)}, {"expected", properties_json(r.expected)}};
  add_judgement(j, r.overall);
  j["line"] = r.line == 0 ? Json(nullptr) : Json(r.line);
  if (!r.object.empty()) j["object"] = evidence_json(r.object);
  j["cases"] = Json::array();
  for (const CaseReport& c : r.cases) j["cases"].push_back(case_json(c));
  return j;
}

}  // namespace

std::string assert_json(const ExpectationReport& report) {
  Json j = {{"schema", "egtrace.assert/1"}};
  const Json body = report_json(report);
  for (const auto& [key, value] : body.items()) j[key] = value;
  j["expectations"] = Json::array({body});
  return dump_json(j);
}

std::string check_json(const std::vector<ExpectationReport>& reports, const BaselineComparison* baseline,
                       const std::vector<Gap>& gaps) {
  Json j = {{"schema", "egtrace.check/1"}};
  std::size_t holds = 0, fails = 0, open = 0;
  for (const ExpectationReport& r : reports) ++(!r.overall.holds ? open : *r.overall.holds ? holds : fails);
  j["summary"] = {{"expectations", reports.size()}, {"hold", holds}, {"fail", fails}, {"inconclusive", open}};
  j["gaps"] = gaps_json(gaps);
  if (baseline != nullptr)
    j["baseline"] = {{"new", baseline->fresh},
                     {"known", baseline->known},
                     {"resolved", known_json(baseline->resolved)},
                     {"changed", known_json(baseline->changed)},
                     {"undecided", known_json(baseline->undecided)},
                     {"gone", known_json(baseline->gone)}};
  j["expectations"] = Json::array();
  for (const ExpectationReport& r : reports) j["expectations"].push_back(report_json(r));
  if (baseline == nullptr) return dump_json(j);
  const Fingerprints known_as = fingerprints(reports);
  for (std::size_t i = 0; i < reports.size(); ++i)
    for (std::size_t k = 0; k < reports[i].cases.size(); ++k)
      j["expectations"][i]["cases"][k]["baseline"] = standing(reports[i].cases[k], known_as[i][k], *baseline);
  return dump_json(j);
}

}  // namespace egt::render
