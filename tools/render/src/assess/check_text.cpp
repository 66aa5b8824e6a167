#include <fmt/format.h>

#include "assess/known_cases.h"
#include "egtrace/render/check.h"
#include "style.h"

namespace egt::render {
namespace {

using namespace assess;

const char* word(const Judgement& j) { return !j.holds ? "OPEN" : *j.holds ? "ok" : "FAIL"; }
Tone tone(const Judgement& j) { return !j.holds ? Tone::undecided : *j.holds ? Tone::good : Tone::bad; }

class Page {
 public:
  Page(const TextOptions& o, const BaselineComparison* baseline) : o_(o), baseline_(baseline), style_(o.colour) {}

  std::string print(const std::vector<ExpectationReport>& reports) {
    std::size_t failed = 0, open = 0;
    const Fingerprints known_as = fingerprints(reports);
    for (std::size_t i = 0; i < reports.size(); ++i) {
      const ExpectationReport& r = reports[i];
      failed += r.overall.holds == false;
      open += !r.overall.holds;
      if (!o_.quiet || r.overall.holds != true) expectation(r, KnownCases(r, known_as[i], baseline_));
    }
    if (reports.size() > 1 || failed + open > 0)
      out_ += fmt::format("{} expectation{}: {} hold, {} fail, {} undecided\n", reports.size(), reports.size() == 1 ? "" : "s",
                          reports.size() - failed - open, failed, open);
    if (baseline_ != nullptr) beside_baseline();
    return out_;
  }

 private:
  void beside_baseline() {
    const auto packets = [&](const char* word, const Baseline& all) {
      for (const KnownFailure& f : all) out_ += wrap(fmt::format("{} {}: {} to {}", word, f.name, f.from, f.to), 2, o_.width);
    };
    const auto also = [](const Baseline& all, const char* what) {
      return all.empty() ? std::string() : fmt::format(", {} {}", all.size(), what);
    };
    out_ += fmt::format("baseline: {} new, {} known, {} resolved{}{}\n", baseline_->fresh, baseline_->known,
                        baseline_->resolved.size(), also(baseline_->undecided, "now undecided"),
                        also(baseline_->gone, "no longer checked"));
    packets("resolved", baseline_->resolved);
    packets("fails in another way:", baseline_->changed);
    packets("now undecided:", baseline_->undecided);
    packets("no longer checked:", baseline_->gone);
    if (!baseline_->resolved.empty() && !o_.quiet)
      out_ += wrap("what is resolved would be known again: write the baseline anew", 2, o_.width);
  }

  void expectation(const ExpectationReport& r, const KnownCases& known) {
    const std::string label = fmt::format("{:<4}", word(r.overall));
    const std::string name = known.has_all() ? r.name + " (known)" : r.name;
    out_ += style_(tone(r.overall), label) + wrap_behind(label + " ", name, o_.width).substr(label.size());
    if (r.overall.holds == true && !o_.verbose) return;
    std::string expected;
    for (const Property& p : r.expected) expected += fmt::format("{}{} {}", expected.empty() ? "" : ", ", p.name, p.value);
    out_ += wrap("expected: " + expected, 5, o_.width);
    out_ += wrap(r.overall.why, 5, o_.width);
    for (const explain::EvidenceLine& e : r.overall.evidence) {
      out_ += style_(Tone::faint, wrap(explain::place_of(e), 7, o_.width));
      out_ += style_(Tone::faint, wrap(e.text, 9, o_.width, o_.verbose ? 0 : 3));
    }
    if (r.cases.size() > 1)
      for (std::size_t i = 0; i < r.cases.size(); ++i)
        if (const CaseReport& c = r.cases[i]; c.judgement.holds != true || o_.verbose)
          out_ +=
              wrap(fmt::format("{} {} to {}{}", word(c.judgement), c.from, c.to, known.has(i) ? " (known)" : ""), 5, o_.width);
  }

  const TextOptions& o_;
  const BaselineComparison* baseline_;
  Style style_;
  std::string out_;
};

}  // namespace

std::string check_text(const std::vector<ExpectationReport>& reports, const TextOptions& options,
                       const BaselineComparison* baseline) {
  return Page(options, baseline).print(reports);
}

}  // namespace egt::render
