// egtrace inspect SNAPSHOT: what was found, what was not understood, what is missing.
#include <memory>

#include "command.h"
#include "egtrace/render/inspect.h"
#include "snapshot_options.h"

namespace egt::cli {
namespace {

constexpr const char* kInspectFooter =
    "Examples:\n"
    "  egtrace inspect ./dumps\n"
    "  egtrace inspect ./dumps --format json | jq '.gaps[].command'\n";

struct InspectOptions {
  CommonOptions common;
  SnapshotOptions snapshot;
};

ExitStatus run_inspect(const InspectOptions& o) {
  const parsers::Snapshot snapshot = open_collection(o.snapshot, o.common);
  const explain::Inspection inspection = explain::inspect(snapshot.cluster, snapshot.collection);
  if (o.common.format == "json") {
    write_output(o.common, render::inspect_json(inspection));
    return ExitStatus::done;
  }
  render::TextOptions text;
  text.colour = use_color(o.common);
  text.verbose = o.common.verbose;
  write_output(o.common, render::inspect_text(inspection, text));
  return ExitStatus::done;
}

}  // namespace

void add_inspect(CLI::App& app, ExitStatus& status) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* verb = app.add_subcommand("inspect", "tell what a snapshot holds: machines, dumps, counts, gaps");
  add_snapshot_options(*verb, options->snapshot);
  add_common_options(*verb, options->common, {"text", "json"});
  verb->footer(kInspectFooter);
  verb->callback([options, &status] { status = run_inspect(*options); });
}

}  // namespace egt::cli
