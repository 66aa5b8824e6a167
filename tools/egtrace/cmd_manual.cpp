// egtrace manual [VERB]: a manual page as Markdown, for the packages (tools/packaging/manual-pages). Not listed by --help.
#include <memory>

#include "arguments.h"
#include "command.h"
#include "manual.h"

namespace egt::cli {
namespace {

struct ManualOptions {
  CommonOptions common;
  std::string verb;
};

ExitStatus run_manual(const CLI::App& app, const ManualOptions& o) {
  const CLI::App* verb = o.verb.empty() ? nullptr : verb_named(app, o.verb);
  if (!o.verb.empty() && verb == nullptr) throw CommandError("no such command: " + o.verb);
  write_bytes(o.common, verb != nullptr ? manual_of_verb(app, *verb) : manual_of_program(app));
  return ExitStatus::done;
}

}  // namespace

void add_manual(CLI::App& app, ExitStatus& status) {
  auto o = std::make_shared<ManualOptions>();
  CLI::App* verb = app.add_subcommand("manual", "print a manual page as Markdown")->group("");
  verb->add_option("verb", o->verb, "the command; without it the program's own page");
  verb->callback([&app, o, &status] { status = run_manual(app, *o); });
}

}  // namespace egt::cli
