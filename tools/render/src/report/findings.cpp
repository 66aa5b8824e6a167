#include <fmt/format.h>

#include <algorithm>

#include "egtrace/render/triage.h"
#include "html_text.h"
#include "report/parts.h"

namespace egt::render::report {
namespace {

std::string_view severity_class(assess::Severity s) {
  return s == assess::Severity::error ? "bad" : s == assess::Severity::warning ? "doubtful" : "note";
}

// What it does to connections, as far as their causes were looked for.
std::string effect_text(const assess::Connections& all, std::size_t finding, bool is_cause) {
  const assess::Effect& effect = all.effects[finding];
  if (effect.rows.empty()) {
    if (!is_cause) return "it follows from a cause, which other checks look for";
    if (all.causes_sought < all.causes_of)
      return fmt::format("causes were looked for in {} of {} connections that leak or fail; it is named in none of these",
                         all.causes_sought, all.causes_of);
    return all.causes_of == 0 ? "no connection of the audit leaks or fails"
                              : "it is named as the cause of no connection of the audit";
  }
  std::string text = fmt::format("{} of the audit {} by it", counted(effect.rows.size(), "path"),
                                 effect.rows.size() == 1 ? "goes wrong" : "go wrong");
  if (effect.leaks > 0) text += fmt::format(": {} {}", effect.leaks, effect.leaks == 1 ? "leaks" : "leak");
  if (effect.failures > 0)
    text += fmt::format("{} {} {}", effect.leaks > 0 ? "," : ":", effect.failures, effect.failures == 1 ? "fails" : "fail");
  if (all.causes_sought < all.causes_of)
    text += fmt::format(" (causes were looked for in {} of {} connections)", all.causes_sought, all.causes_of);
  return text;
}

std::string paths_of(const assess::Connections& all, std::size_t finding) {
  std::string out;
  for (std::size_t i = 0; i < all.shown.size(); ++i) {
    const auto& of = all.shown[i].findings;
    if (std::find(of.begin(), of.end(), finding) == of.end()) continue;
    out += fmt::format("{}<a href=\"#path-{}\">{} \xe2\x86\x92 {}</a>", out.empty() ? "" : ", ", i + 1,
                       escape_html(all.shown[i].pair.from), escape_html(all.shown[i].pair.to));
  }
  return out;
}

std::string finding_html(const Report& report, std::size_t index, EvidenceBook& book) {
  const assess::Finding& f = report.triage->findings[index];
  const std::string id = fmt::format("finding-{}", index + 1);
  std::string out = fmt::format(
      "<details class=\"item finding\" id=\"{0}\" open><summary><span class=\"verdict {1}\">{2}</span> {3} "
      "<a class=\"self soft small\" href=\"#{0}\">{4}</a></summary>\n<div class=\"inside\">\n",
      id, severity_class(f.severity), severity_name(f.severity), escape_html(f.claim), escape_html(f.id));
  out += "<dl class=\"facts\">\n";
  const auto fact = [&](const char* name, const std::string& html) {
    if (!html.empty()) out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, html);
  };
  fact("next", escape_html(f.remedy));
  if (report.connections != nullptr) {
    fact("effect", escape_html(effect_text(*report.connections, index, f.is_cause)));
    fact("paths", paths_of(*report.connections, index));
  }
  fact("node", escape_html(f.node));
  fact("the same on", escape_html(fmt::format("{}", fmt::join(f.nodes, ", "))));
  fact("object", escape_html(f.object));
  fact("pods", escape_html(fmt::format("{}", fmt::join(f.pods, ", "))));
  fact("manual", "<code>" + escape_html(f.docs) + "</code>");
  return out + "</dl>\n" + book.lines(f.evidence) + "</div>\n</details>\n";
}

}  // namespace

std::string findings_part(const Report& report, EvidenceBook& book) {
  const assess::Triage& triage = *report.triage;
  std::string out = "<section data-part=\"findings\">\n" + heading("findings", "Findings", triage.findings.size());
  if (triage.findings.empty()) out += "<p>No check found anything.</p>\n";
  for (std::size_t i = 0; i < triage.findings.size(); ++i) out += finding_html(report, i, book);
  if (!triage.skipped.empty()) {
    out += fmt::format("<details class=\"quiet\"><summary>{} could not look everywhere</summary>\n<ul class=\"plain small\">\n",
                       counted(triage.skipped.size(), "check"));
    for (const assess::SkippedCheck& s : triage.skipped)
      out += fmt::format("<li><code>{}</code>: {}</li>\n", escape_html(s.id), escape_html(s.why));
    out += "</ul></details>\n";
  }
  return out + "</section>\n";
}

}  // namespace egt::render::report
