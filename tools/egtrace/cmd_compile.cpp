// `egtrace compile`: a snapshot as one file that opens in milliseconds.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "command.h"
#include "egtrace/explain/agreement.h"
#include "egtrace/parsers/compile.h"
#include "snapshot_options.h"

namespace egt::cli {

namespace {

constexpr const char* kCompileFooter =
    "Examples:\n"
    "  egtrace compile must-gather.tar.gz -o case.egt\n"
    "  egtrace explain case.egt --from shop/cart-7d4b --to 192.0.2.10:443\n"
    "\n"
    "FILE holds what a dump of a known kind says, with secrets masked, and is readable by its owner alone.\n";

std::string listing(const parsers::Compiled& done) {
  std::string packed, left_out;
  for (const parsers::CompiledEntry& file : done.files) {
    if (file.left_out) {
      left_out += fmt::format("left out  {}\n", file.path);
      continue;
    }
    packed += fmt::format("packed    {}  {} bytes{}{}{}\n", file.path, file.bytes, file.indexed ? ", indexed" : "",
                          file.masked ? ", secrets masked" : "", file.from_outside ? ", by a link from outside" : "");
  }
  return packed + left_out;
}

}  // namespace

void add_compile(CLI::App& app, ExitStatus& status) {
  struct CompileOptions {
    CommonOptions common;
    SnapshotOptions snapshot;
  };
  auto options = std::make_shared<CompileOptions>();
  CLI::App* verb = app.add_subcommand("compile", "write a snapshot as one indexed file, which opens in milliseconds");
  add_snapshot_arguments(*verb, options->snapshot);
  add_common_options(*verb, options->common, {"text"});
  verb->footer(kCompileFooter);
  verb->callback([options, &status] {
    const std::string& path = options->common.output;
    if (path.empty()) throw CommandError("no file to write to; give one with -o FILE.egt");
    refuse_inside(options->snapshot, path);
    const auto done = parsers::compile_snapshot({snapshot_path(options->snapshot), options->snapshot.dumps, options->common.jobs},
                                                path, explain::agreement_of);
    if (!done) throw CommandError(done.error().message);
    CommonOptions listed = options->common;
    listed.output.clear();
    if (!listed.quiet) write_output(listed, listing(*done));
    status = ExitStatus::done;
  });
}

}  // namespace egt::cli
