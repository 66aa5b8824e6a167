#include "assess/sarif.h"
#include "egtrace/render/printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace egt::render {
namespace {

// Paths of dumps as URI references: blanks and what else may not stand in one are percent-encoded.
std::string uri(const std::string& path) {
  static constexpr std::string_view kPlain = "-._~/!$&'()*+,;=@";
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       kPlain.find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

Json location(const explain::EvidenceLine& e) {
  Json physical = {{"artifactLocation", {{"uri", uri(e.dump)}}}};
  if (e.line > 0) {
    physical["region"] = {{"startLine", e.line}};
    if (!e.text.empty()) physical["region"]["snippet"] = {{"text", e.text}};
  }
  return {{"physicalLocation", physical}};
}

Json rule_json(const SarifRule& r) {
  Json j = {{"id", r.id}, {"shortDescription", {{"text", r.title}}}};
  if (!r.help_uri.empty()) j["helpUri"] = r.help_uri;
  return j;
}

Json result_json(const SarifResult& r, const std::vector<SarifRule>& rules) {
  Json j = {{"ruleId", r.rule}, {"kind", r.kind}, {"level", r.level}, {"message", {{"text", r.message}}}};
  const auto rule = std::find_if(rules.begin(), rules.end(), [&](const SarifRule& x) { return x.id == r.rule; });
  if (rule != rules.end()) j["ruleIndex"] = rule - rules.begin();
  if (!r.locations.empty()) {
    j["locations"] = Json::array({location(r.locations.front())});
    Json related = Json::array();
    for (std::size_t i = 1; i < r.locations.size(); ++i) related.push_back(location(r.locations[i]));
    if (!related.empty()) j["relatedLocations"] = related;
  }
  if (!r.properties.empty()) j["properties"] = r.properties;
  return j;
}

}  // namespace

std::string sarif(const std::string& version, const std::vector<SarifRule>& rules,
                  const std::vector<SarifResult>& results) {
  Json driver = {{"name", "egtrace"}, {"version", version}, {"rules", Json::array()}};
  for (const SarifRule& r : rules) driver["rules"].push_back(rule_json(r));
  Json run = {{"tool", {{"driver", driver}}}, {"columnKind", "utf16CodeUnits"}, {"results", Json::array()}};
  for (const SarifResult& r : results) run["results"].push_back(result_json(r, rules));
  const std::string text = dump_json({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                                     {"version", "2.1.0"},
                                     {"runs", Json::array({run})}});
  return with_visible(text, R"(\\)");   // as whoever reads the report is shown it
}

}  // namespace egt::render
