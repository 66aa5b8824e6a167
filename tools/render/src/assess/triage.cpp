#include "egtrace/render/triage.h"

#include <fmt/format.h>

#include "egtrace/base/text.h"
#include "json_parts.h"
#include "style.h"

namespace egt::render {
namespace {

using namespace assess;

Tone tone(Severity s) { return s == Severity::error ? Tone::bad : s == Severity::warning ? Tone::undecided : Tone::heading; }

// Of a finding's dump lines these are shown, a line each; --verbose and JSON have all of them.
constexpr std::size_t kEvidenceShown = 3;

}  // namespace

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::note: return "note";
  }
  return "note";
}

std::string triage_json(const Triage& triage) {
  Json j = {{"schema", "egtrace.triage/1"}, {"findings", Json::array()}, {"skipped", Json::array()}};
  for (const Finding& f : triage.findings)
    j["findings"].push_back({{"id", f.id},
                             {"severity", severity_name(f.severity)},
                             {"title", f.title},
                             {"claim", f.claim},
                             {"node", text_or_null(f.node)},
                             {"object", text_or_null(f.object)},
                             {"nodes", f.nodes},
                             {"pods", f.pods},
                             {"evidence", evidence_json(f.evidence)},
                             {"remedy", f.remedy},
                             {"docs", f.docs}});
  for (const SkippedCheck& s : triage.skipped) j["skipped"].push_back({{"id", s.id}, {"why", s.why}});
  return dump_json(j);
}

std::string triage_text(const Triage& triage, const TextOptions& options) {
  const Style style(options.colour);
  std::string out;
  std::size_t counts[3] = {};
  for (const Finding& f : triage.findings) {
    ++counts[static_cast<std::size_t>(f.severity)];
    const std::string_view severity = severity_name(f.severity);
    out += style(tone(f.severity), severity) +
           wrap(fmt::format("{}: {} [{}]", severity, f.claim, f.id), 2, options.width).substr(2 + severity.size());
    if (options.quiet) continue;
    if (!f.nodes.empty()) out += wrap(fmt::format("the same on {}", fmt::join(f.nodes, ", ")), 4, options.width);
    std::size_t shown = 0;
    for (const explain::EvidenceLine& e : f.evidence) {
      if (!options.verbose && ++shown > kEvidenceShown) break;
      const std::string text = e.text.empty() ? explain::place_of(e) : fmt::format("{}: {}", explain::place_of(e), trim(e.text));
      out += style(Tone::faint, wrap(text, 4, options.width, options.verbose ? 0 : 1));
    }
    out += wrap_behind("  next: ", f.remedy, options.width) + "\n";
  }
  const std::string sum = fmt::format("{} error{}, {} warning{}, {} note{}; {} check{} could not look everywhere", counts[2],
                                      counts[2] == 1 ? "" : "s", counts[1], counts[1] == 1 ? "" : "s", counts[0],
                                      counts[0] == 1 ? "" : "s", triage.skipped.size(), triage.skipped.size() == 1 ? "" : "s");
  out += wrap(sum + (triage.skipped.empty() || options.verbose ? "" : " (--verbose lists them)"), 0, options.width);
  if (options.verbose)
    for (const SkippedCheck& s : triage.skipped) out += wrap(fmt::format("{}: {}", s.id, s.why), 2, options.width);
  return out;
}

std::string catalogue_text(const std::vector<CatalogueEntry>& entries, const TextOptions& options) {
  const Style style(options.colour);
  std::string out;
  for (const CatalogueEntry& e : entries) {
    const std::string label = fmt::format("{:<7}", severity_name(e.severity));
    out += style(tone(e.severity), label) +
           wrap_behind(label + " ", fmt::format("{}: {}", e.id, e.title), options.width).substr(label.size());
  }
  return out;
}

}  // namespace egt::render
