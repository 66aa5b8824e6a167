#include <fmt/format.h>

#include "egtrace/render/check.h"
#include "assess/sarif.h"

namespace egt::render {
namespace {

using namespace assess;

// Where a reader looks: the dump line that decided, else the object or the line of the expectation itself.
explain::Evidence places(const ExpectationReport& r, const Judgement& j, const std::string& file) {
  explain::Evidence all = j.evidence;
  for (const explain::EvidenceLine& e : r.object) all.push_back(e);
  if (r.line > 0 && !file.empty()) all.push_back({file, r.line, ""});
  return all;
}

}  // namespace

std::string check_sarif(const std::vector<ExpectationReport>& reports, const std::string& file,
                        const std::string& version) {
  const std::vector<SarifRule> rules = {{"expectation", "An expectation of a packet", ""}};
  std::vector<SarifResult> results;
  for (const ExpectationReport& r : reports)
    for (const CaseReport& c : r.cases) {
      const Judgement& j = c.judgement;
      SarifResult result;
      result.rule = "expectation";
      result.kind = !j.holds ? "open" : *j.holds ? "pass" : "fail";
      result.level = j.holds == false ? "error" : "none";
      result.message = fmt::format("{}: {} to {}: {}", r.name, c.from, c.to, j.why);
      result.locations = places(r, j, file);
      result.properties = {{"expected", properties_json(r.expected)}, {"seen", properties_json(j.seen)}};
      results.push_back(std::move(result));
    }
  return sarif(version, rules, results);
}

}  // namespace egt::render
