#include "results.h"

#include <algorithm>

#include "egtrace/render/audit.h"
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

// Objects that promise nothing hold; where there are none, nobody can tell.
ExitStatus nothing_to_check(bool has_objects, bool quiet) {
  if (!quiet)
    print_error(has_objects ? "egtrace: no EgressIP, EgressService, AdminPolicyBasedExternalRoute, Service, EgressFirewall or policy of the "
                              "snapshot promises anything that its dumps could hold\n"
                            : "egtrace: the snapshot has no Kubernetes objects to make expectations of; add `oc get "
                              "egressips,egressservices,services,pods,namespaces -A -o yaml`\n");
  return has_objects ? ExitStatus::done : ExitStatus::inconclusive;
}

ExitStatus status_of(const std::vector<assess::ExpectationReport>& reports) {
  ExitStatus status = ExitStatus::done;
  for (const assess::ExpectationReport& r : reports) {
    if (r.overall.holds == false) return ExitStatus::failed;
    if (!r.overall.holds) status = ExitStatus::inconclusive;
  }
  return status;
}

}  // namespace

KeptOptions AuditResultOptions::kept() const { return {{"only", only}, {"fail-on-leak", cli::kept(fail_on_leak)}}; }
AuditResultOptions AuditResultOptions::from(const KeptOptions& all) { return {of(all, "only"), !of(all, "fail-on-leak").empty()}; }

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
  return {of(all, "file"), {}, {}, !of(all, "from-objects").empty(), !of(all, "has-objects").empty()};
}

ExitStatus write_check(const std::vector<assess::ExpectationReport>& reports, const CheckResultOptions& options, const CommonOptions& common,
                       const std::function<void()>& page) {
  if (!options.junit.empty()) write_file(options.junit, render::check_junit(reports));
  if (!options.sarif.empty()) write_file(options.sarif, render::check_sarif(reports, options.file, EGTRACE_VERSION));
  if (common.format == "json")
    write_output(common, render::check_json(reports));
  else if (common.format == "html" && page)
    page();
  else
    write_output(common, render::check_text(reports, text_options(common)));
  return reports.empty() && options.from_objects ? nothing_to_check(options.has_objects, common.quiet) : status_of(reports);
}

}  // namespace egt::cli
