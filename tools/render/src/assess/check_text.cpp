#include <fmt/format.h>

#include "egtrace/render/check.h"
#include "style.h"

namespace egt::render {
namespace {

using namespace assess;

const char* word(const Judgement& j) { return !j.holds ? "OPEN" : *j.holds ? "ok" : "FAIL"; }
Tone tone(const Judgement& j) { return !j.holds ? Tone::doubtful : *j.holds ? Tone::good : Tone::bad; }

class Page {
 public:
  explicit Page(const TextOptions& o) : o_(o), style_(o.colour) {}

  std::string print(const std::vector<ExpectationReport>& reports) {
    std::size_t failed = 0, open = 0;
    for (const ExpectationReport& r : reports) {
      failed += r.overall.holds == false;
      open += !r.overall.holds;
      if (!o_.quiet || r.overall.holds != true) expectation(r);
    }
    if (reports.size() > 1 || failed + open > 0)
      out_ += fmt::format("{} expectation{}: {} hold, {} fail, {} undecided\n", reports.size(),
                          reports.size() == 1 ? "" : "s", reports.size() - failed - open, failed, open);
    return out_;
  }

 private:
  void expectation(const ExpectationReport& r) {
    const std::string label = fmt::format("{:<4}", word(r.overall));
    out_ += style_(tone(r.overall), label) + wrap_behind(label + " ", r.name, o_.width).substr(label.size());
    if (r.overall.holds == true && !o_.verbose) return;
    std::string expected;
    for (const Property& p : r.expected)
      expected += fmt::format("{}{} {}", expected.empty() ? "" : ", ", p.name, p.value);
    out_ += wrap("expected: " + expected, 5, o_.width);
    out_ += wrap(r.overall.why, 5, o_.width);
    for (const explain::EvidenceLine& e : r.overall.evidence) {
      out_ += style_(Tone::faint, wrap(explain::place_of(e), 7, o_.width));
      out_ += style_(Tone::faint, wrap(e.text, 9, o_.width, o_.verbose ? 0 : 3));
    }
    if (r.cases.size() > 1)
      for (const CaseReport& c : r.cases)
        if (c.judgement.holds != true || o_.verbose)
          out_ += wrap(fmt::format("{} {} to {}", word(c.judgement), c.from, c.to), 5, o_.width);
  }

  const TextOptions& o_;
  Style style_;
  std::string out_;
};

}  // namespace

std::string check_text(const std::vector<ExpectationReport>& reports, const TextOptions& options) {
  return Page(options).print(reports);
}

}  // namespace egt::render
