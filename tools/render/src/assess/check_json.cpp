#include "egtrace/render/check.h"
#include "json_parts.h"

namespace egt::render {
namespace {

using namespace assess;

void add_judgement(Json& j, const Judgement& judgement) {
  j["seen"] = properties_json(judgement.seen);
  j["why"] = judgement.why;
  j["evidence"] = evidence_json(judgement.evidence);
  j["gaps"] = gaps_json(judgement.gaps);
}

Json case_json(const CaseReport& c) {
  Json j = {{"from", c.from}, {"to", c.to}, {"holds", or_null(c.judgement.holds)}};
  add_judgement(j, c.judgement);
  return j;
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

std::string check_json(const std::vector<ExpectationReport>& reports) {
  Json j = {{"schema", "egtrace.check/1"}};
  std::size_t holds = 0, fails = 0, open = 0;
  for (const ExpectationReport& r : reports) ++(!r.overall.holds ? open : *r.overall.holds ? holds : fails);
  j["summary"] = {{"expectations", reports.size()}, {"hold", holds}, {"fail", fails}, {"inconclusive", open}};
  j["expectations"] = Json::array();
  for (const ExpectationReport& r : reports) j["expectations"].push_back(report_json(r));
  return dump_json(j);
}

}  // namespace egt::render
