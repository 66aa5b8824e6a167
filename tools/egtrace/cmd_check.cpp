// egtrace check SNAPSHOT EXPECTATIONS.yaml: a file of expectations, or those that the snapshot's objects make, for CI.
#include <fmt/format.h>

#include <memory>

#include "command.h"
#include "coverage.h"
#include "egtrace/assess/check.h"
#include "egtrace/assess/names.h"
#include "egtrace/parsers/content.h"
#include "egtrace/parsers/expectations.h"
#include "egtrace/render/check.h"
#include "page.h"
#include "results.h"
#include "shard_options.h"
#include "snapshot_options.h"
#include "source_places.h"
#include "text_options.h"

namespace egt::cli {
namespace {

constexpr const char* kCheckFooter =
    "A file of expectations:\n"
    "  version: 1\n"
    "  expect:\n"
    "    - name: the shop leaves as its egress IP\n"
    "      from: shop/*\n"
    "      to: 192.0.2.10:443/tcp\n"
    "      verdict: delivered\n"
    "      snat: 198.51.100.7\n"
    "      node: worker-1\n"
    "\n"
    "Examples:\n"
    "  egtrace check ./dumps expectations.yaml --junit report.xml --sarif report.sarif\n"
    "  egtrace check ./dumps expectations.yaml --write-baseline known.json\n"
    "  egtrace check ./dumps expectations.yaml --baseline known.json --format github\n"
    "  egtrace check ./dumps --from-objects\n"
    "\n"
    "Exit status: 0 all hold, 1 one does not (with --baseline: that is not known), 2 the call or an input is unusable, "
    "3 none fails but one is undecided.\n";

struct CheckOptions {
  CommonOptions common;
  SnapshotOptions snapshot;
  std::string file, shard;
  CheckFiles files;
  bool from_objects = false, assume_gaps = false;
};

std::vector<expect::Expectation> read_file(const std::string& path) {
  const auto content = parsers::read_content(path);
  if (!content) throw CommandError(fmt::format("{}: {}", path, content.error().message));
  auto all = parsers::parse_expectations(content->text, path);
  if (!all) throw CommandError(all.error().message);
  return std::move(*all);
}

std::vector<expect::Expectation> expectations(const CheckOptions& o, const cluster::Cluster& cluster,
                                              std::vector<expect::Expectation> all) {
  if (!o.from_objects) return all;
  std::vector<expect::Expectation> made = assess::expectations_from_objects(cluster);
  for (expect::Expectation& e : made) all.push_back(std::move(e));
  return all;
}

ExitStatus run_check(const CheckOptions& o) {
  if (o.file.empty() && !o.from_objects) throw CommandError("no expectations given; name a YAML file or use --from-objects");
  for (const std::string& report : {o.files.junit, o.files.sarif, o.files.codequality, o.files.write_baseline})
    refuse_inside(o.snapshot, report);
  if (!o.shard.empty() && !(o.files.baseline + o.files.write_baseline).empty())
    throw CommandError("a shard has no baseline; give it to `egtrace merge`");
  const std::optional<assess::Baseline> baseline = read_baseline(o.files);
  std::vector<expect::Expectation> given;
  if (!o.file.empty()) given = read_file(o.file);  // before the snapshot: a mistake in it shows at once
  const parsers::Snapshot& snapshot = open_for_walks(o.snapshot, o.common);
  warn_of_moment(snapshot, o.common);
  if (o.from_objects) warn_of_coverage(snapshot.cluster, o.common);
  const assess::NameChecker names(snapshot.cluster);
  for (const expect::Expectation& e : given)
    if (const auto mistake = names.mistake_in(e)) throw CommandError(fmt::format("{}:{}: {}", o.file, e.line, mistake->message));
  const explain::Explainer explainer(snapshot.cluster, &snapshot.collection);
  assess::CheckOptions options;
  options.assume_gaps = o.assume_gaps;
  const assess::Checker checker(explainer, options);
  const assess::Shard shard = shard_of(o.shard);
  const std::vector<expect::Expectation> all = expectations(o, snapshot.cluster, std::move(given));
  std::vector<expect::Expectation> own;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!shard.has(i)) continue;
    own.push_back(all[i]);
    places.push_back(i);
  }
  std::vector<assess::ExpectationReport> reports = checker.check(own, o.common.jobs);
  const CheckResultOptions result{o.file, o.files, o.from_objects, assess::has_objects(snapshot.cluster)};
  if (!o.shard.empty()) {
    KeptOptions kept = result.kept();
    kept["assume-gaps"] = o.assume_gaps ? "yes" : "";
    std::vector<render::PlacedReport> placed;
    for (std::size_t i = 0; i < places.size(); ++i) placed.push_back({places[i], std::move(reports[i])});
    write_output(o.common, render::shard_json(
                               {{"check", EGTRACE_VERSION, fingerprint(snapshot.cluster), kept, shard}, {}, std::move(placed)}));
    return ExitStatus::done;
  }
  const auto page = [&](const assess::BaselineComparison* beside) {
    write_page("check", {.expectations = &reports, .baseline = beside}, snapshot, o.snapshot, o.common);
  };
  return write_check(reports, result, source_places(o.file, &o.snapshot), baseline, o.common, page);
}

}  // namespace

void add_check(CLI::App& app, ExitStatus& status) {
  auto o = std::make_shared<CheckOptions>();
  CLI::App* verb = app.add_subcommand("check", "hold a file of expectations against a snapshot, for CI");
  add_snapshot_options(*verb, o->snapshot);
  add_at_option(*verb, o->snapshot);
  verb->add_option("expectations", o->file, "YAML file of expectations");
  verb->add_flag("--from-objects", o->from_objects,
                 "also what the EgressIP, EgressService, AdminPolicyBasedExternalRoute, Service, EgressFirewall, "
                 "NetworkPolicy and AdminNetworkPolicy objects imply");
  add_check_files(*verb, o->files);
  verb->add_flag("--assume-gaps", o->assume_gaps, "what the snapshot lacks changes nothing");
  add_shard_option(*verb, o->shard);
  add_common_options(*verb, o->common, {"text", "json", "html", "github", "gitlab"});
  verb->footer(kCheckFooter);
  verb->callback([o, &status] {
    if (!o->from_objects) take_argument_for(o->file, o->snapshot);
    status = run_check(*o);
  });
}

}  // namespace egt::cli
