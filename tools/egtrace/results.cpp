#include "results.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/parsers/content.h"
#include "egtrace/render/audit.h"
#include "egtrace/render/baseline.h"
#include "egtrace/render/check.h"
#include "text_options.h"

namespace egt::cli {
namespace {

std::string kept(bool value) { return value ? "yes" : ""; }

std::string of(const KeptOptions& all, const std::string& name) {
  const auto found = all.find(name);
  return found == all.end() ? std::string() : found->second;
}

bool is_wanted(const assess::AuditRow& row, const std::string& only) {
  if (only == "leaks") return row.leak;
  if (only == "undecided") return row.outcome == explain::Outcome::undecided;
  return only != "failed" || assess::is_failure(row);
}

void write_file(const std::string& path, const std::string& text) {
  CommonOptions to_file;
  to_file.output = path;
  write_output(to_file, text);
}

// Objects that imply nothing hold; where there are none, nothing shows.
ExitStatus nothing_to_check(bool has_objects, bool quiet) {
  const Gap missing = assess::missing_objects();
  if (!quiet)
    print_error(
        has_objects
            ? "egtrace: no EgressIP, EgressService, AdminPolicyBasedExternalRoute, Service, EgressFirewall or policy of the "
              "snapshot implies anything that its dumps could hold\n"
            : fmt::format("egtrace: the snapshot has no {}; add `{}`\n", missing.what, missing.command));
  return has_objects ? ExitStatus::done : ExitStatus::inconclusive;
}

// `failures_count`: whether what fails does.
ExitStatus status_of(const std::vector<assess::ExpectationReport>& reports, bool failures_count) {
  ExitStatus status = ExitStatus::done;
  for (const assess::ExpectationReport& r : reports) {
    if (r.overall.holds == false && failures_count) return ExitStatus::failed;
    if (!r.overall.holds) status = ExitStatus::inconclusive;
    for (const assess::CaseReport& c : r.cases)
      if (!c.judgement.holds) status = ExitStatus::inconclusive;
  }
  return status;
}

}  // namespace

KeptOptions AuditResultOptions::kept() const { return {{"only", only}, {"fail-on-leak", cli::kept(fail_on_leak)}}; }
AuditResultOptions AuditResultOptions::from(const KeptOptions& all) {
  return {of(all, "only"), !of(all, "fail-on-leak").empty()};
}

ExitStatus write_audit(std::vector<assess::AuditRow> rows, const AuditResultOptions& options, const CommonOptions& common,
                       const std::function<void(const std::vector<assess::AuditRow>&)>& page) {
  std::erase_if(rows, [&](const assess::AuditRow& r) { return !is_wanted(r, options.only); });
  if (common.format == "json")
    write_output(common, render::audit_json(rows));
  else if (common.format == "csv")
    write_output(common, render::audit_csv(rows));
  else if (common.format == "html" && page)
    page(rows);
  else
    write_output(common, render::audit_table(rows, text_options(common)));
  const bool leak = std::any_of(rows.begin(), rows.end(), [](const assess::AuditRow& r) { return r.leak; });
  return leak && options.fail_on_leak ? ExitStatus::failed : ExitStatus::done;
}

KeptOptions CheckResultOptions::kept() const {
  return {{"file", file}, {"from-objects", cli::kept(from_objects)}, {"has-objects", cli::kept(has_objects)}};
}
CheckResultOptions CheckResultOptions::from(const KeptOptions& all) {
  return {of(all, "file"), {}, !of(all, "from-objects").empty(), !of(all, "has-objects").empty()};
}

void add_check_files(CLI::App& verb, CheckFiles& files) {
  const auto file = [&](const char* name, std::string& value, const char* what) {
    verb.add_option(name, value, what)->type_name("FILE");
  };
  file("--junit", files.junit, "write a JUnit XML report to FILE");
  file("--sarif", files.sarif, "write a SARIF 2.1.0 report to FILE");
  file("--codequality", files.codequality, "write a Code Quality report of GitLab to FILE");
  file("--baseline", files.baseline, "failures that FILE lists are known: only new ones fail");
  file("--write-baseline", files.write_baseline, "write what fails now to FILE, for --baseline");
}

std::optional<assess::Baseline> read_baseline(const CheckFiles& files) {
  if (files.baseline.empty()) return std::nullopt;
  const auto content = parsers::read_content(files.baseline);
  if (!content)
    throw CommandError(
        fmt::format("{}: {}; `--write-baseline {}` writes one", files.baseline, content.error().message, files.baseline));
  auto baseline = render::read_baseline(content->text);
  if (!baseline) throw CommandError(fmt::format("{}: {}", files.baseline, baseline.error().message));
  return *std::move(baseline);
}

ExitStatus write_check(const std::vector<assess::ExpectationReport>& reports, const CheckResultOptions& options,
                       const render::SourcePlaces& sources, const std::optional<assess::Baseline>& baseline,
                       const CommonOptions& common, const std::function<void(const assess::BaselineComparison*)>& page) {
  std::optional<assess::BaselineComparison> compared;
  if (baseline) compared = assess::compare(reports, *baseline);
  const assess::BaselineComparison* beside = compared ? &*compared : nullptr;
  const CheckFiles& files = options.files;
  if (!files.junit.empty()) write_file(files.junit, render::check_junit(reports, beside));
  if (!files.sarif.empty()) write_file(files.sarif, render::check_sarif(reports, sources, EGTRACE_VERSION, beside));
  if (!files.codequality.empty()) write_file(files.codequality, render::check_gitlab(reports, sources, beside));
  if (!files.write_baseline.empty()) write_file(files.write_baseline, render::baseline_json(assess::baseline_of(reports)));
  std::vector<Gap> gaps;
  if (reports.empty() && options.from_objects && !options.has_objects) gaps.push_back(assess::missing_objects());
  if (common.format == "json")
    write_output(common, render::check_json(reports, beside, gaps));
  else if (common.format == "github")
    write_output(common, render::check_github(reports, sources, beside, gaps));
  else if (common.format == "gitlab")
    write_output(common, render::check_gitlab(reports, sources, beside));
  else if (common.format == "html" && page)
    page(beside);
  else
    write_output(common, render::check_text(reports, text_options(common), beside));
  if (reports.empty() && options.from_objects) return nothing_to_check(options.has_objects, common.quiet);
  return status_of(reports, beside != nullptr ? beside->fresh > 0 : files.write_baseline.empty());
}

}  // namespace egt::cli
