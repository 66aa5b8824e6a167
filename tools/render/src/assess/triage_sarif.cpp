#include <fmt/format.h>

#include <map>

#include "assess/sarif.h"
#include "egtrace/assess/baseline.h"
#include "egtrace/render/triage.h"
#include "manual_pages.h"

namespace egt::render {
namespace {

using namespace assess;

SarifRule rule_of(const CatalogueEntry& e) {
  SarifRule rule{e.id, severity_name(e.severity), e.title, {}, {}};
  if (const auto page = page_of_check(e.id)) {
    rule.markdown = page->markdown;
    rule.text = page->text;
  }
  return rule;
}

// What it is about, and not what it says of it, which has ages and counts.
std::vector<std::string> parts_of(const Finding& f) {
  std::vector<std::string> parts = {f.id, f.node, f.object};
  parts.insert(parts.end(), f.pods.begin(), f.pods.end());
  return parts;
}

}  // namespace

std::string triage_sarif(const Triage& triage, const SourcePlaces& sources, const std::string& version) {
  SarifRun run{"triage", version, sources, {}, {}};
  for (const CatalogueEntry& e : triage_catalogue()) run.rules.push_back(rule_of(e));
  std::map<std::string, std::size_t> count;
  for (const Finding& f : triage.findings) {
    SarifResult r;
    r.rule = f.id;
    r.kind = "fail";
    r.level = severity_name(f.severity);
    r.message = fmt::format("{} Next: {}", f.claim, f.remedy);
    for (const explain::EvidenceLine& line : f.evidence) r.places.push_back({line});
    const std::string hash = fingerprint(parts_of(f));
    r.fingerprint = fmt::format("{}:{}", hash, ++count[hash]);
    run.results.push_back(std::move(r));
  }
  return sarif(run);
}

}  // namespace egt::render
