// Findings as JSON (docs/schema/triage.schema.json), text, SARIF, annotations of GitHub and reports of GitLab.
#pragma once

#include <string>

#include "egtrace/assess/triage.h"
#include "egtrace/render/explain.h"
#include "egtrace/render/source_places.h"

namespace egt::render {

const char* severity_name(assess::Severity severity);  // "error", "warning", "note"
std::string triage_json(const assess::Triage& triage);
std::string triage_text(const assess::Triage& triage, const TextOptions& options);
std::string triage_sarif(const assess::Triage& triage, const SourcePlaces& sources, const std::string& version);
std::string triage_github(const assess::Triage& triage, const SourcePlaces& sources);
std::string triage_gitlab(const assess::Triage& triage, const SourcePlaces& sources);  // a Code Quality report
std::string catalogue_text(const std::vector<assess::CatalogueEntry>& entries, const TextOptions& options);

}  // namespace egt::render
