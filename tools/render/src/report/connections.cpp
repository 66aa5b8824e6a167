// The paths of chosen connections, each as explain's page has it.
#include <fmt/format.h>

#include "explanation_html.h"
#include "headline.h"
#include "html_text.h"
#include "report/parts.h"

namespace egt::render::report {
namespace {

std::string chosen_because(const Report& report, const assess::ShownConnection& c) {
  std::string out;
  if (c.asked) out = "asked for";
  for (const std::size_t f : c.findings)
    out += fmt::format("{}<a href=\"#finding-{}\">{}</a>", out.empty() ? "" : ", ", f + 1,
                       escape_html(report.triage->findings[f].id));
  if (c.alike > 0) out += fmt::format("{}stands for {} like it", out.empty() ? "" : ", ", counted(c.alike, "connection"));
  return out;
}

std::string connection_html(const Report& report, std::size_t index, EvidenceBook& book) {
  const assess::ShownConnection& c = report.connections->shown[index];
  const Headline h = headline(c.explanation);
  const std::string id = fmt::format("path-{}", index + 1);
  std::string out = fmt::format(
      "<details class=\"item connection\" id=\"{0}\"><summary><span class=\"verdict {1}\">{2}</span> <span class=\"soft "
      "small\">{3}</span> "
      "<b>{4} \xe2\x86\x92 {5}</b> <a class=\"self soft small\" href=\"#{0}\">#{6}</a></summary>\n<div class=\"inside "
      "wide-inside\">\n",
      id, class_of(h.tone), escape_html(h.outcome), h.confidence, escape_html(c.pair.from), escape_html(c.pair.to), index + 1);
  if (const std::string why = chosen_because(report, c); !why.empty())
    out += fmt::format("<p class=\"small soft\">{}</p>\n", why);
  ExplanationStyle style;
  style.level = 3;
  style.evidence = [&](const explain::EvidenceLine& line) { return book.line(line); };
  out += explanation_html(c.explanation, style);
  out += "<p class=\"small\">" + command(fmt::format("egtrace explain SNAPSHOT --from '{}' --to '{}'", c.pair.from, c.pair.to)) +
         "</p>\n";
  return out + "</div>\n</details>\n";
}

}  // namespace

std::string connections_part(const Report& report, EvidenceBook& book) {
  const assess::Connections& all = *report.connections;
  std::string out = "<section data-part=\"paths\">\n" + heading("paths", "Paths", all.shown.size());
  out +=
      "<p class=\"soft small\">Of each kind of connection of the audit one is shown, request and reply, and one for each finding "
      "that it shows.</p>\n";
  if (all.kinds_left_out > 0)
    out += fmt::format(
        "<p>{} of connections are not shown; <code>--pair FROM=TO</code> adds one, <code>--paths N</code> shows more.</p>\n",
        counted(all.kinds_left_out, "more kind"));
  for (std::size_t i = 0; i < all.shown.size(); ++i) out += connection_html(report, i, book);
  return out + "</section>\n";
}

}  // namespace egt::render::report
