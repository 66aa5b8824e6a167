// egtrace completion bash|zsh|fish: what makes a shell complete verbs, options and names of the snapshot.
#include <algorithm>
#include <memory>

#include "command.h"
#include "completion.h"

namespace egt::cli {
namespace {

constexpr const char* kCompletionFooter =
    "Verbs, options and their values are completed, and names of pods, services, nodes, bridges and namespaces "
    "that the snapshot holds which the line names.\n"
    "\n"
    "Examples:\n"
    "  source <(egtrace completion bash)                  # in ~/.bashrc for good\n"
    "  egtrace completion zsh > ~/.zfunc/_egtrace         # a folder of $fpath\n"
    "  egtrace completion fish > ~/.config/fish/completions/egtrace.fish\n";

struct CompletionOptions {
  CommonOptions common;
  std::vector<std::string> words;
  bool candidates = false;
};

ExitStatus run_completion(const CLI::App& app, const CompletionOptions& o) {
  std::string text;
  if (o.candidates) {
    const Completion all = complete(app, o.words);
    for (const std::string& word : all.words) text += word + "\n";
    if (all.files) text += ":files\n";
  } else {
    const std::vector<std::string> shells = {"bash", "fish", "zsh"};
    const std::string shell = o.words.size() == 1 ? o.words.front() : "";
    if (std::find(shells.begin(), shells.end(), shell) == shells.end())
      throw CommandError("which shell? " + did_you_mean(shell, shells, "bash, zsh or fish"));
    text = completion_script(shell);
  }
  CommonOptions plain = o.common;
  plain.no_pager = true;
  write_output(plain, text);
  return ExitStatus::done;
}

}  // namespace

void add_completion(CLI::App& app, ExitStatus& status) {
  auto o = std::make_shared<CompletionOptions>();
  CLI::App* verb = app.add_subcommand("completion", "print what makes a shell complete verbs, options and names");
  verb->add_option("shell", o->words, "bash, zsh or fish")->type_name("");
  // Asked by the scripts: what may stand where the last of the words does. `:files` means that names of files may.
  verb->add_flag("--candidates", o->candidates, "")->group("");
  verb->add_option("-o,--output", o->common.output, "write to FILE")->type_name("FILE");
  verb->footer(kCompletionFooter);
  verb->callback([&app, o, &status] { status = run_completion(app, *o); });
}

}  // namespace egt::cli
