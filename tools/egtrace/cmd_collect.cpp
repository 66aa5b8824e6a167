// egtrace collect: prints the shell script that gathers the dumps of a node.
#include <memory>

#include "collect_script.h"
#include "command.h"

namespace egt::cli {
namespace {

constexpr const char* kCollectFooter =
    "The script is POSIX sh, changes nothing on the node, and takes options of its own (sh -s -- -h).\n"
    "egtrace-collect-cluster runs it on all nodes of a cluster.\n"
    "\n"
    "Examples:\n"
    "  egtrace collect | ssh root@worker-1 sh -s -- -o - > worker-1.tar.gz\n"
    "  egtrace collect | oc debug -q node/worker-1 -- chroot /host sh -s -- -o - > worker-1.tar.gz\n"
    "  egtrace collect | sh -s -- -k -o - > objects.tar.gz\n"
    "  mkdir case && mv *.tar.gz case && egtrace inspect case\n";

}  // namespace

void add_collect(CLI::App& app, ExitStatus& status) {
  auto options = std::make_shared<CommonOptions>();
  CLI::App* verb = app.add_subcommand("collect", "print a shell script that gathers the dumps of a node");
  verb->add_option("-o,--output", options->output, "write to FILE instead of standard output")->type_name("FILE");
  verb->footer(kCollectFooter);
  verb->callback([options, &status] {
    options->no_pager = true;
    write_output(*options, collect_script());
    status = ExitStatus::done;
  });
}

}  // namespace egt::cli
