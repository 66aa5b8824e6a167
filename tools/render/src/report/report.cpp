#include "egtrace/render/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "html_text.h"
#include "page_files.h"
#include "page_frame.h"
#include "report/parts.h"

namespace egt::render {
namespace {

struct ReportPart {
  const char* id;
  const char* name;
  std::string html;
};

std::vector<ReportPart> parts_of(const Report& r, report::EvidenceBook& before, report::EvidenceBook& book) {
  std::vector<ReportPart> parts;
  if (r.differences != nullptr) parts.push_back({"differences", "Differences", report::differences_part(r, before, book)});
  if (r.capture != nullptr) parts.push_back({"captured", "Captured flows", report::capture_part(r)});
  if (r.flows != nullptr) parts.push_back({"flows", "Flows", report::flows_part(r)});
  if (r.triage != nullptr) parts.push_back({"findings", "Findings", report::findings_part(r, book)});
  if (r.expectations != nullptr) parts.push_back({"expectations", "Expectations", report::expectations_part(r, book)});
  if (r.map != nullptr) parts.push_back({"map", "Topology", report::map_part(r, book)});
  if (r.rows != nullptr) parts.push_back({"audit", "Audit", report::audit_part(r, book)});
  if (r.connections != nullptr) parts.push_back({"paths", "Paths", report::connections_part(r, book)});
  if (const std::size_t size = before.size() + book.size(); size > 0)
    parts.push_back({"evidence", "Evidence",
                     "<section data-part=\"evidence\">\n" + report::heading("evidence", "Evidence", size) + before.print() +
                         book.print() + "</section>\n"});
  const auto dumps = [&](const DumpedSnapshot& of, const char* id, const char* name) {
    if (of.inspection != nullptr) parts.push_back({id, name, report::dumps_part(*of.inspection, id, name, r.whole_inspection)});
  };
  if (r.before != nullptr) dumps(*r.before, "dumps-before", "Dumps before");
  dumps(r.dumped, "dumps", r.before != nullptr ? "Dumps after" : "Dumps");
  return parts;
}

// Shown by the script, without which neither does anything.
std::string bar(const std::vector<ReportPart>& parts) {
  std::string out = "<nav class=\"bar\" aria-label=\"parts\">\n<div class=\"links\">";
  for (const ReportPart& part : parts) out += fmt::format("<a href=\"#{}\">{}</a>", part.id, part.name);
  return out +
         "</div>\n<div class=\"search script\" role=\"search\" hidden><input id=\"search\" type=\"search\" aria-label=\"Search\" "
         "placeholder=\"Search ( / )\">"
         "<span id=\"search-count\" class=\"soft small\" role=\"status\"></span>"
         "<button id=\"help-open\" type=\"button\" aria-label=\"Keys\">?</button></div>\n</nav>\n";
}

// The template's one place takes the names.
std::string question_form(const std::vector<std::string>& points) {
  constexpr std::size_t kMost = 2000;
  constexpr std::string_view kPlace = "{{points}}";
  std::string list = "<datalist id=\"points\">";
  for (std::size_t i = 0; i < std::min(points.size(), kMost); ++i) list += "<option value=\"" + escape_html(points[i]) + "\">";
  list += "</datalist>\n";
  std::string form(page_files::question_html());
  return form.replace(form.find(kPlace), kPlace.size(), list);
}

}  // namespace

std::string report_html(const Report& r) {
  const DumpedSnapshot none;
  const bool two = r.before != nullptr;
  report::EvidenceBook before(two ? *r.before : none, "before"), book(r.dumped, two ? "after" : "");
  const std::vector<ReportPart> parts = parts_of(r, before, book);
  std::string content = bar(parts) + (r.points != nullptr ? question_form(*r.points) : "") + report::summary_part(r);
  for (const ReportPart& part : parts) content += part.html;
  std::string style = std::string(page_files::base_css()) + std::string(page_files::report_css());
  if (r.flows != nullptr) style += page_files::flows_css();
  if (r.points != nullptr) style += page_files::question_css();
  const PageFrame frame{"report", std::move(style), std::string(page_files::report_js()), page_files::keys_html(),
                        r.points != nullptr};
  return fill(frame, fmt::format("{}: egtrace {}", report::name_of(r), r.verb), content);
}

}  // namespace egt::render
