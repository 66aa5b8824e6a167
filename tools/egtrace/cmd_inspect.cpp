// egtrace inspect SNAPSHOT: what was found, what was not understood, what is missing.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "egtrace/explain/history.h"
#include "egtrace/render/history.h"
#include "egtrace/render/inspect.h"
#include "page.h"
#include "snapshot_options.h"
#include "text_options.h"

namespace egt::cli {
namespace {

constexpr const char* kInspectFooter =
    "Examples:\n"
    "  egtrace inspect ./dumps\n"
    "  egtrace inspect ./dumps --format json | jq '.gaps[].command'\n"
    "  egtrace inspect ./dumps --history --since 2h --node worker-1\n";

struct InspectOptions {
  CommonOptions common;
  SnapshotOptions snapshot;
  std::string since, node;  // of --history
};

explain::HistoryQuestion question_of(const InspectOptions& o, const cluster::Cluster& cluster) {
  explain::HistoryQuestion question;
  if (!o.since.empty()) question.since = moment_of("--since", o.since);
  question.node = o.node;
  if (o.node.empty() || cluster.node(o.node) != nullptr) return question;
  std::vector<std::string> names;
  for (const auto& n : cluster.nodes) names.push_back(n->name);
  throw CommandError(
      fmt::format("the snapshot has no node {}; {}", o.node, did_you_mean(o.node, names, "`egtrace inspect` lists them")));
}

ExitStatus run_inspect(const InspectOptions& o) {
  if (!o.snapshot.history && !(o.since.empty() && o.node.empty()))
    throw CommandError("--since and --node go with --history; add it");
  if (!o.since.empty()) moment_of("--since", o.since);  // before a long reading
  SnapshotOptions read = o.snapshot;
  read.no_cache = true;  // files that no loader uses are shown as well
  const parsers::Snapshot& snapshot = open_collection(read, o.common);
  explain::HistoryReport history;
  if (o.snapshot.history) history = explain::report_history(snapshot.cluster, snapshot.history, question_of(o, snapshot.cluster));
  if (o.snapshot.history && o.common.format == "html") throw CommandError("--history has no page; use --format text or json");
  if (o.snapshot.history && o.common.format != "json") {
    write_output(o.common, render::history_text(history, text_options(o.common)));
    return ExitStatus::done;
  }
  explain::Inspection inspection = explain::inspect(snapshot.cluster, snapshot.collection);
  if (o.common.verbose) inspection.unconsidered = explain::report_unconsidered(snapshot.cluster);
  if (o.common.format == "json") {
    write_output(o.common, o.snapshot.history ? render::inspect_json(inspection, history) : render::inspect_json(inspection));
    return ExitStatus::done;
  }
  if (o.common.format == "html") {
    write_page("inspect", {.dumped = {.inspection = &inspection}, .whole_inspection = true}, snapshot, o.snapshot, o.common);
    return ExitStatus::done;
  }
  write_output(o.common, render::inspect_text(inspection, text_options(o.common)));
  return ExitStatus::done;
}

}  // namespace

void add_inspect(CLI::App& app, ExitStatus& status) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* verb = app.add_subcommand("inspect", "show what a snapshot holds: nodes, dumps, counts, gaps");
  add_snapshot_options(*verb, options->snapshot);
  add_at_option(*verb, options->snapshot);
  verb->add_flag("--history", options->snapshot.history, "what changed when, from the logs of database files");
  verb->add_option("--since", options->since, "only the history since this moment, written as for --at");
  verb->add_option("--node", options->node, "of the history what happened on this node");
  add_common_options(*verb, options->common, {"text", "json", "html"});
  verb->footer(kInspectFooter);
  verb->callback([options, &status] { status = run_inspect(*options); });
}

}  // namespace egt::cli
