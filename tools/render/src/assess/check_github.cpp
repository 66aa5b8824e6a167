#include <fmt/format.h>

#include "assess/github_commands.h"
#include "assess/known_cases.h"
#include "egtrace/render/check.h"

namespace egt::render {
namespace {

using namespace assess;

// GitHub shows ten annotations of a step: an expectation has one, with the first of its packets and of its evidence.
constexpr std::size_t kPacketsShown = 5, kLinesShown = 3;

// The cases of a report to be annotated: those that fail and are not known, else those that are undecided.
class Annotated {
 public:
  Annotated(const ExpectationReport& report, const KnownCases& known) {
    for (std::size_t i = 0; i < report.cases.size(); ++i) {
      const CaseReport& c = report.cases[i];
      if (c.judgement.holds == false && !known.has(i)) failing_.push_back(&c);
      if (!c.judgement.holds) open_.push_back(&c);
    }
  }
  bool fails() const { return !failing_.empty(); }
  const std::vector<const CaseReport*>& cases() const { return fails() ? failing_ : open_; }

 private:
  std::vector<const CaseReport*> failing_, open_;
};

std::string message(const ExpectationReport& r, const std::vector<const CaseReport*>& cases) {
  std::string text;
  for (std::size_t i = 0; i < cases.size() && i < kPacketsShown; ++i)
    text += fmt::format("{} to {}: {}\n", cases[i]->from, cases[i]->to, cases[i]->judgement.why);
  if (cases.size() > kPacketsShown) text += fmt::format("and {} more packets\n", cases.size() - kPacketsShown);
  std::string expected;
  for (const Property& p : r.expected) expected += fmt::format("{}{} {}", expected.empty() ? "" : ", ", p.name, p.value);
  if (cases.empty()) text += r.overall.why + "\n";
  text += "expected: " + expected;
  const Judgement& first = cases.empty() ? r.overall : cases.front()->judgement;
  for (std::size_t i = 0; i < first.evidence.size() && i < kLinesShown; ++i)
    text += fmt::format("\n{}: {}", explain::place_of(first.evidence[i]), first.evidence[i].text);
  return text;
}

std::string totals(const std::vector<ExpectationReport>& reports, const BaselineComparison* baseline) {
  std::size_t failed = 0, open = 0;
  for (const ExpectationReport& r : reports) {
    failed += r.overall.holds == false;
    open += !r.overall.holds;
  }
  std::string text = fmt::format("{} expectation{}: {} hold, {} fail, {} undecided", reports.size(),
                                 reports.size() == 1 ? "" : "s", reports.size() - failed - open, failed, open);
  if (baseline != nullptr)
    text += fmt::format("; packets that fail: {} new, {} known; resolved: {}", baseline->fresh, baseline->known,
                        baseline->resolved.size());
  return text + "\n";
}

}  // namespace

std::string check_github(const std::vector<ExpectationReport>& reports, const SourcePlaces& sources,
                         const BaselineComparison* baseline, const std::vector<Gap>& gaps) {
  std::string out;
  for (const Gap& gap : gaps)
    out += github_command(
        {"warning", "", "nothing to check", 0, fmt::format("the snapshot has no {}; add `{}`", gap.what, gap.command)});
  const Fingerprints known_as = fingerprints(reports);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const ExpectationReport& r = reports[i];
    const Annotated annotated(r, KnownCases(r, known_as[i], baseline));
    if (annotated.cases().empty() && (r.overall.holds || !r.cases.empty())) continue;
    Annotation a{annotated.fails() ? "error" : "warning", "", r.name, 0, message(r, annotated.cases())};
    if (r.line > 0 && !sources.expectations.empty()) {
      a.file = sources.expectations;
      a.line = r.line;
    } else if (!r.object.empty() && !sources.snapshot.empty()) {
      a.file = in_sources(sources, r.object.front().dump);
      a.line = r.object.front().line;
    }
    out += github_command(a);
  }
  return out + totals(reports, baseline);
}

}  // namespace egt::render
