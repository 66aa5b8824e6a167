// SARIF 2.1.0 (OASIS), as GitHub code scanning and others read it. GitHub knows a part of it: it takes each result for an alert,
// whatever its `kind`, wants a place of each, shows related places to which the message links, and knows an alert again by
// `primaryLocationLineHash`.
#pragma once

#include <string>
#include <vector>

#include "egtrace/assess/check.h"
#include "egtrace/assess/triage.h"
#include "egtrace/render/source_places.h"
#include "json_parts.h"

namespace egt::render {

struct SarifRule {
  std::string id, level;              // level: error, warning, note
  std::string title, markdown, text;  // help
};
struct SarifPlace {
  explain::EvidenceLine line;
  bool in_snapshot = true;  // false: in the file of expectations
};
struct SarifResult {
  std::string rule, kind, level, message;  // kind: fail, open; level: error, warning, note, none
  std::vector<SarifPlace> places;          // the first is the result's, the others are related; none: the snapshot's
  std::string fingerprint;
  std::string baseline_state;  // new, unchanged; empty: there is no baseline
  Json properties = Json::object();
};
struct SarifRun {
  std::string verb, version;
  SourcePlaces places;
  std::vector<SarifRule> rules;
  std::vector<SarifResult> results;
};

std::string sarif(const SarifRun& run);

// What results of check and findings of triage are called, where they stand and how they are known again: in other reports, too.
std::string rule_of(const assess::Judgement& judgement);
std::string text_of(const assess::ExpectationReport& report, const assess::CaseReport& packet);
std::vector<SarifPlace> places_of(const assess::ExpectationReport& report, const assess::Judgement& judgement,
                                  const SourcePlaces& sources);
std::string text_of(const assess::Finding& finding);
std::vector<SarifPlace> places_of(const assess::Finding& finding);
std::vector<std::string> fingerprints_of(const assess::Triage& triage);  // of each finding

}  // namespace egt::render
