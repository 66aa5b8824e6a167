// What is to be shown first: how many findings, which connections leak, fail or are undecided, of what dumps.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "html_text.h"
#include "report/parts.h"

namespace egt::render::report {
namespace {

std::string tile(std::string_view href, std::size_t count, std::string_view label, std::string_view tone) {
  return fmt::format("<a class=\"tile {}\" href=\"#{}\"><b>{}</b> {}</a>\n", count == 0 ? "none" : tone, href, count, label);
}

std::string finding_tiles(const assess::Triage& triage) {
  std::array<std::size_t, 3> counts{};
  for (const assess::Finding& f : triage.findings) ++counts[static_cast<std::size_t>(f.severity)];
  return tile("findings", counts[2], counts[2] == 1 ? "error" : "errors", "bad") +
         tile("findings", counts[1], counts[1] == 1 ? "warning" : "warnings", "doubtful") +
         tile("findings", counts[0], counts[0] == 1 ? "note" : "notes", "plain");
}

std::string audit_tiles(const std::vector<assess::AuditRow>& rows) {
  std::size_t leaks = 0, failed = 0, undecided = 0;
  for (const assess::AuditRow& r : rows) {
    leaks += r.leak ? 1 : 0;
    failed += assess::is_failure(r) ? 1 : 0;
    undecided += r.outcome == explain::Outcome::undecided ? 1 : 0;
  }
  return tile("audit", rows.size(), "paths audited", "plain") + tile("audit", leaks, leaks == 1 ? "leaks" : "leak", "bad") +
         tile("audit", failed, failed == 1 ? "fails" : "fail", "bad") + tile("audit", undecided, "undecided", "doubtful");
}

std::string expectation_tiles(const std::vector<assess::ExpectationReport>& all, const assess::BaselineComparison* baseline) {
  std::size_t fail = 0, undecided = 0;
  for (const assess::ExpectationReport& r : all) {
    fail += r.overall.holds == false ? 1 : 0;
    undecided += r.overall.holds ? 0 : 1;
  }
  return tile("expectations", all.size(), "expectations", "plain") +
         tile("expectations", fail, fail == 1 ? "does not hold" : "do not hold", "bad") +
         tile("expectations", undecided, "undecided", "doubtful") +
         (baseline == nullptr
              ? std::string()
              : tile("expectations", baseline->fresh, baseline->fresh == 1 ? "new failure" : "new failures", "bad"));
}

std::string difference_tiles(const assess::Differences& differences) {
  std::size_t paths = 0;
  for (const assess::Difference& d : differences.all) paths += d.topic == "paths" ? 1 : 0;
  const std::size_t all = differences.all.size();
  return tile("differences", all, all == 1 ? "difference" : "differences", "plain") +
         tile("differences", paths, paths == 1 ? "path changed" : "paths changed", "doubtful") +
         tile("differences", differences.not_compared.size(), "not compared", "doubtful");
}

// Of each fate, those that are shown once for many counted.
std::string capture_tiles(const explain::CaptureAnalysis& analysis) {
  using explain::Fate;
  std::string out;
  for (const Fate fate : {Fate::lost, Fate::rejected, Fate::unexplained, Fate::delivered, Fate::answered}) {
    std::uint64_t n = 0;
    for (const explain::FlowReport& f : analysis.flows) n += f.fate == fate ? 1 + f.alike.flows : 0;
    const bool bad = fate == Fate::lost || fate == Fate::rejected;
    out += tile("captured", n, name_of(fate), bad ? "bad" : fate == Fate::unexplained ? "doubtful" : "plain");
  }
  return out;
}

std::string flow_tiles(const explain::FlowListing& listing) {
  if (!listing.sums.empty()) return tile("flows", listing.sums.size(), listing.sums.size() == 1 ? "sum" : "sums", "plain");
  std::size_t found = 0, shown = 0, marked = 0, fresh = 0, gone = 0;
  for (const explain::FlowGroup& group : listing.groups) {
    found += group.found;
    shown += group.flows.size();
    for (const explain::ListedFlow& flow : group.flows) marked += flow.highlighted ? 1 : 0;
    fresh += group.compared ? group.compared->here_alone : 0;
    gone += group.compared ? group.compared->there_alone.size() : 0;
  }
  std::string out = tile("flows", found, found == 1 ? "flow" : "flows", "plain");
  if (shown < found) out += tile("flows", shown, "shown", "plain");
  if (marked > 0) out += tile("flows", marked, "highlighted", "doubtful");
  if (listing.has_rates)
    out += tile("flows", fresh, "in this dump alone", "plain") + tile("flows", gone, "in the other dump alone", "plain");
  return out;
}

void fact(std::string& out, std::string_view name, const std::string& html) {
  if (!html.empty()) out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, html);
}

std::string times_of(const explain::Inspection& i) {
  std::string first, last;
  const auto look = [&](const std::vector<explain::DumpReport>& dumps) {
    for (const explain::DumpReport& d : dumps) {
      if (d.time.empty()) continue;
      if (first.empty() || d.time < first) first = d.time;
      if (d.time > last) last = d.time;
    }
  };
  for (const explain::NodeReport& n : i.nodes) look(n.dumps);
  look(i.objects);
  if (first.empty()) return "no dump shows when it was printed";
  return first == last ? escape_html(first) : escape_html(fmt::format("{} to {}", first, last));
}

std::string inspection_facts(const explain::Inspection& i) {
  std::string out;
  std::size_t dumps = i.objects.size(), odd = 0;
  for (const explain::NodeReport& n : i.nodes) {
    dumps += n.dumps.size();
    for (const explain::DumpReport& d : n.dumps) odd += d.not_understood.size();
  }
  fact(out, "holds",
       fmt::format("{}, {}{}", counted(i.nodes.size(), "node"), counted(dumps, "dump"),
                   odd == 0 ? "" : ", " + counted(odd, "line") + " not understood"));
  fact(out, "printed", times_of(i));
  std::string by;
  for (const std::string& tool : i.collected_by) by += (by.empty() ? "" : ", ") + tool;
  fact(out, "collected by", escape_html(by));
  if (!i.obfuscated_by.empty())
    fact(out, "obfuscated by", escape_html(i.obfuscated_by) + (i.translated_back ? ", translated back by its private map" : ""));
  fact(out, "OVN", escape_html(i.ovn_candidates.empty() ? "unknown" : fmt::format("{}", fmt::join(i.ovn_candidates, " or "))));
  return out;
}

}  // namespace

std::string summary_part(const Report& report) {
  std::string out = "<header id=\"summary\">\n";
  out += fmt::format("<h1>{}</h1>\n<div class=\"tiles\">\n", escape_html(name_of(report)));
  if (report.differences != nullptr) out += difference_tiles(*report.differences);
  if (report.capture != nullptr) out += capture_tiles(*report.capture);
  if (report.flows != nullptr) out += flow_tiles(*report.flows);
  if (report.triage != nullptr) out += finding_tiles(*report.triage);
  if (report.rows != nullptr) out += audit_tiles(*report.rows);
  if (report.expectations != nullptr) out += expectation_tiles(*report.expectations, report.baseline);
  out += "</div>\n<dl class=\"facts\">\n";
  const auto facts_of = [&](const DumpedSnapshot& dumped, const char* which) {
    if (report.before != nullptr) fact(out, which, escape_html(dumped.name));
    if (dumped.inspection != nullptr) out += inspection_facts(*dumped.inspection);
  };
  if (report.before != nullptr) facts_of(*report.before, "before");
  facts_of(report.dumped, "after");
  fact(out, "made by", fmt::format("egtrace {} {}", escape_html(report.version), escape_html(report.verb)));
  return out + "</dl>\n</header>\n";
}

}  // namespace egt::render::report
