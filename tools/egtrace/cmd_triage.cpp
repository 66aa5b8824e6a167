// egtrace triage SNAPSHOT: what is wrong or suspicious, most serious first.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.h"
#include "counted.h"
#include "egtrace/assess/triage.h"
#include "egtrace/parsers/dump_copies.h"
#include "egtrace/render/triage.h"
#include "page.h"
#include "snapshot_options.h"
#include "source_places.h"
#include "text_options.h"

namespace egt::cli {
namespace {

constexpr const char* kTriageFooter =
    "Each finding has its dump lines and a next step; docs/triage/ has a page for each check. A check that lacks "
    "dumps says which (--verbose, or `skipped` in JSON).\n"
    "\n"
    "Examples:\n"
    "  egtrace triage ./dumps\n"
    "  egtrace triage ./dumps --fail-on warning --format json\n"
    "  egtrace triage ./dumps --only egressip-snat-missing --only stale-mac\n"
    "  egtrace triage --list\n"
    "\n"
    "Exit status: 0 nothing at or above --fail-on, 1 something, 2 the call or an input is unusable.\n";

struct TriageOptions {
  CommonOptions common;
  SnapshotOptions snapshot;
  std::string fail_on = "never", sarif, codequality;
  std::vector<std::string> only;
  bool list = false;
};

void refuse_unknown(const std::vector<std::string>& only) {
  std::vector<std::string> known;
  for (const assess::CatalogueEntry& e : assess::triage_catalogue()) known.push_back(e.id);
  for (const std::string& id : only)
    if (std::find(known.begin(), known.end(), id) == known.end())
      throw CommandError(
          fmt::format("there is no check `{}`; {}", id, did_you_mean(id, known, "`egtrace triage --list` names them")));
}

bool fails(const assess::Triage& triage, const std::string& level) {
  if (level == "never") return false;
  const auto least = level == "error"     ? assess::Severity::error
                     : level == "warning" ? assess::Severity::warning
                                          : assess::Severity::note;
  return std::any_of(triage.findings.begin(), triage.findings.end(),
                     [&](const assess::Finding& f) { return f.severity >= least; });
}

ExitStatus run_triage(const TriageOptions& o) {
  if (o.list) {
    write_output(o.common, render::catalogue_text(assess::triage_catalogue(), text_options(o.common)));
    return ExitStatus::done;
  }
  refuse_unknown(o.only);
  for (const std::string& report : {o.sarif, o.codequality}) refuse_inside(o.snapshot, report);
  SnapshotOptions with_logical_flows = o.snapshot;
  with_logical_flows.as_intended = true;
  const parsers::Snapshot& snapshot = open_for_walks(with_logical_flows, o.common);
  warn_of_moment(snapshot, o.common);
  const explain::Explainer explainer(snapshot.cluster, &snapshot.collection);
  assess::Triage triage = assess::triage(explainer, o.only, parsers::dump_copies(snapshot.cluster, snapshot.collection));
  Counted(snapshot.cluster).add_to(triage);
  const render::SourcePlaces sources = source_places("", &o.snapshot);
  const auto write_file = [](const std::string& path, const std::string& text) {
    CommonOptions to_file;
    to_file.output = path;
    write_output(to_file, text);
  };
  if (!o.sarif.empty()) write_file(o.sarif, render::triage_sarif(triage, sources, EGTRACE_VERSION));
  if (!o.codequality.empty()) write_file(o.codequality, render::triage_gitlab(triage, sources));
  if (o.common.format == "json")
    write_output(o.common, render::triage_json(triage));
  else if (o.common.format == "github")
    write_output(o.common, render::triage_github(triage, sources));
  else if (o.common.format == "gitlab")
    write_output(o.common, render::triage_gitlab(triage, sources));
  else if (o.common.format == "html")
    write_page("triage", {.triage = &triage}, snapshot, o.snapshot, o.common);
  else
    write_output(o.common, render::triage_text(triage, text_options(o.common)));
  return fails(triage, o.fail_on) ? ExitStatus::failed : ExitStatus::done;
}

}  // namespace

void add_triage(CLI::App& app, ExitStatus& status) {
  auto o = std::make_shared<TriageOptions>();
  CLI::App* verb = app.add_subcommand("triage", "report what is wrong or suspicious in a snapshot, most serious first");
  add_snapshot_options(*verb, o->snapshot);
  add_at_option(*verb, o->snapshot);
  verb->add_option("--fail-on", o->fail_on, "exit status 1 for a finding of this level: error, warning, note, never")
      ->check(CLI::IsMember({"error", "warning", "note", "never"}))
      ->capture_default_str();
  verb->add_option("--only", o->only, "run only the check ID; repeatable")->allow_extra_args(false)->type_name("ID");
  verb->add_option("--sarif", o->sarif, "write a SARIF 2.1.0 report to FILE")->type_name("FILE");
  verb->add_option("--codequality", o->codequality, "write a Code Quality report of GitLab to FILE")->type_name("FILE");
  verb->add_flag("--list", o->list, "list the catalogue of checks");
  add_common_options(*verb, o->common, {"text", "json", "html", "github", "gitlab"});
  verb->footer(kTriageFooter);
  verb->callback([o, &status] { status = run_triage(*o); });
}

}  // namespace egt::cli
