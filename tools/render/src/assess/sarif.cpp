#include "assess/sarif.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"
#include "egtrace/render/printable.h"

namespace egt::render {
namespace {

constexpr const char* kSources = "%SRCROOT%";
constexpr const char* kSnapshot = "SNAPSHOT";

// Paths as URI references: blanks and what else may not stand in one are percent-encoded.
std::string uri(const std::string& path) {
  static constexpr std::string_view kPlain = "-._~/!$&'()*+,;=@";
  std::string out;
  for (const char c : path) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || kPlain.find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

// Text of dumps makes no links: "[text](target)" is one.
std::string without_links(std::string text) {
  for (std::size_t at = text.find("]("); at != text.npos; at = text.find("](", at)) text.replace(at, 2, "] (");
  return text;
}

class Writer {
 public:
  explicit Writer(const SarifRun& run) : run_(run) {}

  Json document() const {
    Json driver = {{"name", "egtrace"}, {"version", run_.version}, {"rules", Json::array()}};
    for (const SarifRule& r : run_.rules) driver["rules"].push_back(rule(r));
    Json run = {{"tool", {{"driver", driver}}},
                {"automationDetails", {{"id", "egtrace/" + run_.verb + "/"}}},
                {"originalUriBaseIds", bases()},
                {"columnKind", "utf16CodeUnits"},
                {"results", Json::array()}};
    for (const SarifResult& r : run_.results) run["results"].push_back(result(r));
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
  }

 private:
  // A folder of the repository is distinguished from its root, without a URI of this host.
  Json bases() const {
    Json all = {{kSources, {{"description", {{"text", "the root of the repository"}}}}}};
    Json& snapshot = all[kSnapshot];
    if (!run_.places.snapshot.empty()) {
      if (run_.places.snapshot != ".") snapshot["uri"] = uri(run_.places.snapshot) + "/";
      snapshot["uriBaseId"] = kSources;
    }
    const std::string& name = run_.places.snapshot.empty() ? run_.places.snapshot_name : run_.places.snapshot;
    snapshot["description"] = {{"text", name.empty() ? "the snapshot" : "the snapshot " + name}};
    return all;
  }

  static Json rule(const SarifRule& r) {
    Json j = {{"id", r.id}, {"shortDescription", {{"text", r.title}}}, {"fullDescription", {{"text", r.title}}}};
    j["help"] = {{"text", r.text.empty() ? r.title : r.text}};
    if (!r.markdown.empty()) j["help"]["markdown"] = r.markdown;
    j["defaultConfiguration"] = {{"level", r.level}};
    j["properties"] = {{"tags", {"network"}}, {"problem.severity", r.level == "note" ? "recommendation" : r.level}};
    return j;
  }

  // Viewers that do not resolve `uriBaseId` find files of the repository, too.
  Json artifact(const SarifPlace& place) const {
    if (!place.in_snapshot) return {{"uri", uri(run_.places.expectations)}, {"uriBaseId", kSources}};
    const std::string& folder = run_.places.snapshot;
    if (folder.empty()) return {{"uri", uri(place.line.dump)}, {"uriBaseId", kSnapshot}};
    return {{"uri", uri(in_sources(run_.places, place.line.dump))}, {"uriBaseId", kSources}};
  }

  Json location(const SarifPlace& place) const {
    Json physical = {{"artifactLocation", artifact(place)}};
    if (place.line.line > 0) {
      physical["region"] = {{"startLine", place.line.line}};
      if (!place.line.text.empty()) physical["region"]["snippet"] = {{"text", place.line.text}};
    }
    return {{"physicalLocation", physical}};
  }

  // Of a result that no line proves.
  Json snapshot_itself() const {
    const std::string& folder = run_.places.snapshot;
    const Json artifact = folder.empty() || folder == "."
                              ? Json{{"uri", "."}, {"uriBaseId", folder.empty() ? kSnapshot : kSources}}
                              : Json{{"uri", uri(folder)}, {"uriBaseId", kSources}};
    return {{"physicalLocation", {{"artifactLocation", artifact}}}};
  }

  Json related(const SarifPlace& place, std::size_t id) const {
    Json j = {{"id", id}};
    j.update(location(place));
    const std::string text(trim(place.line.text));
    j["message"] = {{"text", without_links(text.empty() ? explain::place_of(place.line) : text)}};
    return j;
  }

  // A related place is shown where the message links to it.
  static std::string message(const SarifResult& r) {
    std::string text = without_links(r.message);
    for (std::size_t i = 1; i < r.places.size(); ++i) {
      std::string name = explain::place_of(r.places[i].line);
      for (std::size_t at = 0; at < name.size(); ++at)
        if (name[at] == '[' || name[at] == ']' || name[at] == '\\') name.insert(at++, 1, '\\');
      text += fmt::format("{}[{}]({})", i == 1 ? "\nEvidence: " : ", ", name, i);
    }
    return text;
  }

  Json result(const SarifResult& r) const {
    Json j = {{"ruleId", r.rule}, {"kind", r.kind}, {"level", r.level}, {"message", {{"text", message(r)}}}};
    const auto rule = std::find_if(run_.rules.begin(), run_.rules.end(), [&](const SarifRule& x) { return x.id == r.rule; });
    if (rule != run_.rules.end()) j["ruleIndex"] = rule - run_.rules.begin();
    j["locations"] = Json::array({r.places.empty() ? snapshot_itself() : location(r.places.front())});
    for (std::size_t i = 1; i < r.places.size(); ++i) j["relatedLocations"].push_back(related(r.places[i], i));
    j["partialFingerprints"] = {{"primaryLocationLineHash", r.fingerprint}, {"egtrace/v1", r.fingerprint}};
    if (!r.baseline_state.empty()) j["baselineState"] = r.baseline_state;
    if (!r.properties.empty()) j["properties"] = r.properties;
    return j;
  }

  const SarifRun& run_;
};

}  // namespace

std::string sarif(const SarifRun& run) {
  return with_visible(dump_json(Writer(run).document()), R"(\\)");  // as the report's reader is shown it
}

}  // namespace egt::render
