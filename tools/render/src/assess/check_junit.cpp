// JUnit XML as Jenkins, GitLab and the GitHub reporters read it. There is no time in it: the same input gives the same
// bytes. The attributes are those that the schema of Jenkins' xUnit plugin (junit-10.xsd) allows where they stand.
#include <fmt/format.h>

#include <algorithm>

#include "assess/known_cases.h"
#include "egtrace/render/check.h"
#include "egtrace/render/printable.h"

namespace egt::render {
namespace {

using namespace assess;

// The bytes of the UTF-8 character with which the text begins; 0: none that XML 1.0 allows.
std::size_t character(std::string_view text) {
  const std::size_t size = utf8_length(text);
  const bool control = size == 1 && static_cast<unsigned char>(text.front()) < 0x20;
  const bool no_character = size == 3 && (text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf"));
  return control || no_character ? 0 : size;
}

// Control characters, which XML 1.0 does not allow, are left out; what is no character at all is replaced.
std::string escape(std::string_view dumped) {
  const std::string visible = with_visible(dumped);
  std::string_view text = visible;
  std::string out;
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t size = character(text);
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      case '\t': out += ' '; break;
      default:
        if (size > 0)
          out += text.substr(0, size);
        else if (static_cast<unsigned char>(c) >= 0x80)
          out += "\uFFFD";
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

struct Totals {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
};

void count(const ExpectationReport& r, const KnownCases& known, Totals& t) {
  for (std::size_t i = 0; i < r.cases.size(); ++i) {
    const Judgement& j = r.cases[i].judgement;
    ++t.tests;
    t.skipped += known.has(i);
    t.failures += j.holds == false && !known.has(i);
    t.errors += !j.holds;
  }
}

std::string body(const ExpectationReport& r, const Judgement& j) {
  std::string text;
  for (const Property& p : r.expected) text += fmt::format("expected {}: {}\n", p.name, p.value);
  for (const Property& p : j.seen) text += fmt::format("seen {}: {}\n", p.name, p.value);
  for (const explain::EvidenceLine& e : j.evidence) text += fmt::format("{}: {}\n", explain::place_of(e), e.text);
  for (const Gap& g : j.gaps) text += fmt::format("missing: {} {}: {}\n", g.node, g.what, g.command);
  return text;
}

void testcase(const ExpectationReport& r, const CaseReport& c, bool known, std::string& out) {
  out += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"0\"", escape(r.name), escape(c.from + " to " + c.to));
  if (c.judgement.holds == true) {
    out += "/>\n";
    return;
  }
  if (known) {
    out += fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n",
                       escape("known, by the baseline: " + c.judgement.why));
    return;
  }
  const char* tag = c.judgement.holds ? "failure" : "error";
  out += fmt::format(">\n      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n    </testcase>\n", tag,
                     c.judgement.holds ? "expectation" : "inconclusive", escape(c.judgement.why), escape(body(r, c.judgement)));
}

std::string totals(const Totals& t) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", t.tests, t.failures, t.errors);
}

}  // namespace

std::string check_junit(const std::vector<ExpectationReport>& reports, const BaselineComparison* baseline) {
  const Fingerprints known_as = fingerprints(reports);
  Totals all;
  for (std::size_t i = 0; i < reports.size(); ++i) count(reports[i], KnownCases(reports[i], known_as[i], baseline), all);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format("<testsuites name=\"egtrace\" {} time=\"0\">\n", totals(all));
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const ExpectationReport& r = reports[i];
    const KnownCases known(r, known_as[i], baseline);
    Totals one;
    count(r, known, one);
    out += fmt::format("  <testsuite name=\"{}\" {} skipped=\"{}\" time=\"0\">\n", escape(r.name), totals(one), one.skipped);
    for (std::size_t k = 0; k < r.cases.size(); ++k) testcase(r, r.cases[k], known.has(k), out);
    out += "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace egt::render
