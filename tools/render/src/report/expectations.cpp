#include <fmt/format.h>

#include "assess/known_cases.h"
#include "html_text.h"
#include "report/parts.h"

namespace egt::render::report {
namespace {

using assess::BaselineComparison;
using assess::ExpectationReport;
using assess::Judgement;

// `known`: it fails, and the baseline has it.
std::string_view class_of_judgement(const Judgement& j, bool known) {
  return !j.holds || known ? "doubtful" : *j.holds ? "good" : "bad";
}
std::string_view words_of_judgement(const Judgement& j, bool known) {
  return !j.holds ? "undecided" : *j.holds ? "holds" : known ? "does not hold (known)" : "does not hold";
}

std::string properties_html(std::string_view name, const std::vector<assess::Property>& all) {
  if (all.empty()) return {};
  std::string out = fmt::format("<p class=\"small\"><span class=\"soft\">{}</span>", name);
  for (const assess::Property& p : all) out += fmt::format(" {} <code>{}</code>", escape_html(p.name), escape_html(p.value));
  return out + "</p>\n";
}

std::string judgement_html(const Judgement& j, EvidenceBook& book) {
  std::string out = fmt::format("<p>{}</p>\n", escape_html(j.why)) + properties_html("seen", j.seen) + book.lines(j.evidence);
  for (const Gap& g : j.gaps)
    out += fmt::format("<p class=\"small\">missing: {}{}{}</p>\n", escape_html(g.node.empty() ? "" : g.node + ": "),
                       escape_html(g.what), g.command.empty() ? "" : " " + command(g.command));
  return out;
}

std::string expectation_html(const ExpectationReport& r, const KnownCases& known, std::size_t number, EvidenceBook& book) {
  const std::string id = fmt::format("expectation-{}", number);
  std::string out = fmt::format(
      "<details class=\"item\" id=\"{0}\"{1}><summary><span class=\"verdict {2}\">{3}</span> {4} <a class=\"self soft small\" "
      "href=\"#{0}\">#{5}</a></summary>\n<div class=\"inside\">\n",
      id, r.overall.holds == true ? "" : " open", class_of_judgement(r.overall, known.has_all()),
      words_of_judgement(r.overall, known.has_all()), escape_html(r.name), number);
  out += properties_html("expected", r.expected) + book.lines(r.object);
  if (r.cases.empty()) out += judgement_html(r.overall, book);
  for (std::size_t i = 0; i < r.cases.size(); ++i) {
    const assess::CaseReport& c = r.cases[i];
    out +=
        fmt::format(
            "<details class=\"hop\"{}><summary><span class=\"{}\">{}</span> {} \xe2\x86\x92 {}</summary><div class=\"inside\">\n",
            c.judgement.holds == true ? "" : " open", class_of_judgement(c.judgement, known.has(i)),
            words_of_judgement(c.judgement, known.has(i)), escape_html(c.from), escape_html(c.to)) +
        judgement_html(c.judgement, book) + "</div></details>\n";
  }
  return out + "</div>\n</details>\n";
}

std::string baseline_html(const BaselineComparison& b) {
  std::string out = fmt::format("<p>Packets that fail: {} new, {} known by the baseline.</p>\n", b.fresh, b.known);
  const auto list = [&](std::string_view what, const assess::Baseline& all) {
    if (all.empty()) return;
    out += fmt::format("<p>{}:</p>\n<ul>\n", what);
    for (const assess::KnownFailure& f : all)
      out += fmt::format("<li>{}: {} \xe2\x86\x92 {}</li>\n", escape_html(f.name), escape_html(f.from), escape_html(f.to));
    out += "</ul>\n";
  };
  list("Resolved", b.resolved);
  list("Failing in another way", b.changed);
  list("Now undecided", b.undecided);
  list("No longer checked", b.gone);
  return out;
}

}  // namespace

std::string expectations_part(const Report& report, EvidenceBook& book) {
  const auto& all = *report.expectations;
  std::string out = "<section data-part=\"expectations\">\n" + heading("expectations", "Expectations", all.size());
  if (all.empty()) out += "<p>There are none.</p>\n";
  if (report.baseline != nullptr) out += baseline_html(*report.baseline);
  const assess::Fingerprints known_as = assess::fingerprints(all);
  for (std::size_t i = 0; i < all.size(); ++i)
    out += expectation_html(all[i], KnownCases(all[i], known_as[i], report.baseline), i + 1, book);
  return out + "</section>\n";
}

}  // namespace egt::render::report
