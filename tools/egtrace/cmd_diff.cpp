// egtrace diff SNAPSHOT SNAPSHOT: what differs in meaning.
#include <memory>

#include "command.h"
#include "egtrace/assess/difference.h"
#include "egtrace/assess/names.h"
#include "egtrace/render/difference.h"
#include "packet_options.h"
#include "page.h"
#include "snapshot_options.h"
#include "text_options.h"

namespace egt::cli {
namespace {

constexpr const char* kDiffFooter =
    "Counters, ages, handles, UUIDs and spelling are no differences: flows and rules are compared by what they do. "
    "Flows with a logical flow are counted by it. What follows from another difference stands below it.\n"
    "\n"
    "Examples:\n"
    "  egtrace diff before.tar.gz after.tar.gz\n"
    "  egtrace diff ./before ./after --only paths --to 192.0.2.10:443\n"
    "  egtrace diff ./before ./after --format json | jq '.differences[] | select(.topic == \"rules\")'\n"
    "  egtrace diff ./before ./after --format html -o changes.html\n"
    "\n"
    "Exit status: 0 nothing differs, 1 something does, 2 the call or an input is unusable, 3 nothing differs as "
    "far as both snapshots show.\n";

struct DiffOptions {
  CommonOptions common;
  std::string before, after;
  bool follow_links = false;
  assess::DifferenceOptions compare;
};

SnapshotOptions one_of(const std::string& path, const DiffOptions& o) {
  SnapshotOptions one;
  one.path = path;
  one.follow_links = o.follow_links;
  return one;
}

// A name that one of them has is a difference.
void refuse_unknown_names(const assess::DifferenceOptions& o, const cluster::Cluster& before, const cluster::Cluster& after) {
  const assess::NameChecker then(before), now(after);
  if (const auto unknown = now.unknown_namespace(o.namespaces); unknown && then.unknown_namespace(o.namespaces))
    throw CommandError(unknown->message);
  if (const auto unknown = now.unknown_place(o.to); unknown && then.unknown_place(o.to)) throw CommandError(unknown->message);
}

ExitStatus run_diff(const DiffOptions& o) {
  if (o.before == "-" && o.after == "-") throw CommandError("standard input holds one snapshot; name a file for the other");
  const SnapshotOptions of_before = one_of(o.before, o), of_after = one_of(o.after, o);
  const parsers::Snapshot &before = open_collection(of_before, o.common), &after = open_collection(of_after, o.common);
  refuse_unknown_names(o.compare, before.cluster, after.cluster);
  const explain::Explainer then(before.cluster, &before.collection), now(after.cluster, &after.collection);
  assess::DifferenceOptions options = o.compare;
  options.jobs = o.common.jobs;
  const auto differences = assess::compare(then, now, options);
  if (!differences) throw CommandError(differences.error().message);
  if (o.common.format == "json")
    write_output(o.common, render::diff_json(*differences));
  else if (o.common.format == "html")
    write_page_of_two("diff", {.differences = &*differences}, {before, of_before}, {after, of_after}, o.common);
  else
    write_output(o.common, render::diff_text(*differences, text_options(o.common)));
  if (!differences->all.empty()) return ExitStatus::failed;
  return differences->not_compared.empty() ? ExitStatus::done : ExitStatus::inconclusive;
}

}  // namespace

void add_diff(CLI::App& app, ExitStatus& status) {
  auto o = std::make_shared<DiffOptions>();
  CLI::App* verb = app.add_subcommand("diff", "show what differs in meaning between two snapshots");
  verb->add_option("before", o->before, "directory, archive or file that holds the dumps")->required();
  verb->add_option("after", o->after, "the other one")->required();
  verb->add_option("--only", o->compare.topics, "compare only this; repeatable")
      ->allow_extra_args(false)
      ->check(CLI::IsMember(assess::difference_topics()));
  verb->add_option("--to", o->compare.to, "destination (POINT) of the paths; repeatable")->allow_extra_args(false);
  verb->add_option("-n,--namespace", o->compare.namespaces, "paths of pods of this namespace (a pattern); repeatable")
      ->allow_extra_args(false);
  add_follow_links(*verb, o->follow_links);
  add_common_options(*verb, o->common, {"text", "json", "html"});
  verb->footer(std::string(kPointForms) + "\n\n" + kDiffFooter);
  verb->callback([o, &status] { status = run_diff(*o); });
}

}  // namespace egt::cli
