#include <fmt/format.h>

#include <map>

#include "assess/sarif.h"
#include "egtrace/assess/baseline.h"
#include "egtrace/render/triage.h"
#include "manual_pages.h"

namespace egt::render {
namespace {

using namespace assess;

SarifRule rule_for(const CatalogueEntry& e) {
  SarifRule rule{e.id, severity_name(e.severity), e.title, {}, {}};
  if (const auto page = page_of_check(e.id)) {
    rule.markdown = page->markdown;
    rule.text = page->text;
  }
  return rule;
}

// What it is about, without its text, which has ages and counts.
std::vector<std::string> parts_of(const Finding& f) {
  std::vector<std::string> parts = {f.id, f.node, f.object};
  parts.insert(parts.end(), f.pods.begin(), f.pods.end());
  return parts;
}

}  // namespace

std::string text_of(const Finding& finding) { return fmt::format("{} Next: {}", finding.claim, finding.remedy); }

std::vector<SarifPlace> places_of(const Finding& finding) {
  std::vector<SarifPlace> all;
  for (const explain::EvidenceLine& line : finding.evidence) all.push_back({line});
  return all;
}

std::vector<std::string> fingerprints_of(const Triage& triage) {
  std::vector<std::string> all;
  std::map<std::string, std::size_t> count;
  for (const Finding& f : triage.findings) {
    const std::string hash = fingerprint(parts_of(f));
    all.push_back(fmt::format("{}:{}", hash, ++count[hash]));
  }
  return all;
}

std::string triage_sarif(const Triage& triage, const SourcePlaces& sources, const std::string& version) {
  SarifRun run{"triage", version, sources, {}, {}};
  for (const CatalogueEntry& e : triage_catalogue()) run.rules.push_back(rule_for(e));
  const std::vector<std::string> known_as = fingerprints_of(triage);
  for (std::size_t i = 0; i < triage.findings.size(); ++i) {
    const Finding& f = triage.findings[i];
    SarifResult r;
    r.rule = f.id;
    r.kind = "fail";
    r.level = severity_name(f.severity);
    r.message = text_of(f);
    r.places = places_of(f);
    r.fingerprint = known_as[i];
    run.results.push_back(std::move(r));
  }
  return sarif(run);
}

}  // namespace egt::render
