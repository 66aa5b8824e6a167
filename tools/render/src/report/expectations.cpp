#include <fmt/format.h>

#include "html_text.h"
#include "report/parts.h"

namespace egt::render::report {
namespace {

using assess::ExpectationReport;
using assess::Judgement;

std::string_view class_of_judgement(const Judgement& j) { return !j.holds ? "doubtful" : *j.holds ? "good" : "bad"; }
std::string_view words_of_judgement(const Judgement& j) { return !j.holds ? "undecided" : *j.holds ? "holds" : "does not hold"; }

std::string properties_html(std::string_view name, const std::vector<assess::Property>& all) {
  if (all.empty()) return {};
  std::string out = fmt::format("<p class=\"small\"><span class=\"soft\">{}</span>", name);
  for (const assess::Property& p : all) out += fmt::format(" {} <code>{}</code>", escape_html(p.name), escape_html(p.value));
  return out + "</p>\n";
}

std::string judgement_html(const Judgement& j, EvidenceBook& book) {
  std::string out = fmt::format("<p>{}</p>\n", escape_html(j.why)) + properties_html("seen", j.seen) + book.lines(j.evidence);
  for (const Gap& g : j.gaps)
    out += fmt::format("<p class=\"small\">missing: {}{}{}</p>\n", escape_html(g.node.empty() ? "" : g.node + ": "), escape_html(g.what), g.command.empty() ? "" : " " + command(g.command));
  return out;
}

std::string expectation_html(const ExpectationReport& r, std::size_t number, EvidenceBook& book) {
  const std::string id = fmt::format("expectation-{}", number);
  std::string out = fmt::format("<details class=\"item\" id=\"{0}\"{1}><summary><span class=\"verdict {2}\">{3}</span> {4} <a class=\"self soft small\" href=\"#{0}\">#{5}</a></summary>\n<div class=\"inside\">\n",
                                id, r.overall.holds == true ? "" : " open", class_of_judgement(r.overall), words_of_judgement(r.overall), escape_html(r.name), number);
  out += properties_html("expected", r.expected) + book.lines(r.object);
  if (r.cases.empty()) out += judgement_html(r.overall, book);
  for (const assess::CaseReport& c : r.cases)
    out += fmt::format("<details class=\"hop\"{}><summary><span class=\"{}\">{}</span> {} \xe2\x86\x92 {}</summary><div class=\"inside\">\n", c.judgement.holds == true ? "" : " open",
                       class_of_judgement(c.judgement), words_of_judgement(c.judgement), escape_html(c.from), escape_html(c.to)) + judgement_html(c.judgement, book) + "</div></details>\n";
  return out + "</div>\n</details>\n";
}

}  // namespace

std::string expectations_part(const Report& report, EvidenceBook& book) {
  const auto& all = *report.expectations;
  std::string out = "<section data-part=\"expectations\">\n" + heading("expectations", "Expectations", all.size());
  if (all.empty()) out += "<p>There are none.</p>\n";
  for (std::size_t i = 0; i < all.size(); ++i) out += expectation_html(all[i], i + 1, book);
  return out + "</section>\n";
}

}  // namespace egt::render::report
