// egtrace shell SNAPSHOT: many questions about one snapshot, which stays open.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include "arguments.h"
#include "command.h"
#include "completion.h"
#include "history_file.h"
#include "line_reader.h"
#include "line_runner.h"
#include "line_words.h"
#include "program.h"
#include "snapshot_options.h"
#include "snapshot_store.h"

namespace egt::cli {
namespace {

constexpr const char* kShellFooter =
    "Each line is a command of egtrace without its snapshot: `explain --from shop/cart-7d4b --to 192.0.2.10:443`, `lookup "
    "EgressIP/billing-out`, "
    "`triage -v`. Words are split at blanks, '…' and \"…\" hold them together, # begins a comment. `help` and `help COMMAND` "
    "print help; "
    "`exit`, `quit` or ^D end the shell. ^C ends the line that runs. A line that fails does not end the shell.\n"
    "Where standard input is no terminal it is a script: its lines run in order, a line that fails is named on standard error "
    "with its number, and "
    "the exit status is that of the first line that failed.\n"
    "\n"
    "Examples:\n"
    "  egtrace shell ./dumps\n"
    "  egtrace shell must-gather.tar.gz < questions.txt\n"
    "  echo 'lookup 10.133.0.9' | egtrace shell ./dumps\n"
    "\n"
    "Exit status: 0 done, 2 the call or the snapshot is unusable, of a script that of its first line that failed.\n";

struct ShellOptions {
  CommonOptions common;
  SnapshotOptions snapshot;
};

enum class Next { line, end };

struct LineOutcome {
  Next next = Next::line;
  int status = 0;
};

int complain_of(const std::string& what) {
  print_error(fmt::format("egtrace: {}\n", what));
  return static_cast<int>(ExitStatus::unusable);
}

// "help", "help explain" as options of the program.
std::vector<std::string> with_help(std::vector<std::string> words) {
  if (words.front() == "egtrace" && words.size() > 1) words.erase(words.begin());  // pasted
  if (words.front() != "help") return words;
  words.erase(words.begin());
  words.resize(std::min<std::size_t>(words.size(), 1));
  words.emplace_back("--help");
  return words;
}

LineOutcome run_line(const std::string& text, Keyboard keyboard) {
  const LineWords line = split_line(text);
  if (line.open_quote) return {Next::line, complain_of("the line lacks a second quote")};
  if (line.words.empty()) return {};
  const std::vector<std::string> words = with_help(line.words);
  if (words.front() == "exit" || words.front() == "quit") return {Next::end, 0};
  for (const char* session : {"shell", "serve"})
    if (words.front() == session) return {Next::line, complain_of(fmt::format("`{}` does not run within the shell", session))};
  return {Next::line, run_line_apart(words, keyboard)};
}

std::vector<std::string> candidates(std::vector<std::string> words) {
  ExitStatus unused = ExitStatus::done;
  const auto program = make_program(unused);
  if (words.size() == 2 && words.front() == "help") return complete(*program, {words.back()}).words;
  if (words.size() > 1 && words.front() == "egtrace") words.erase(words.begin());
  std::vector<std::string> all = complete(*program, words).words;
  if (words.size() > 1) return all;
  for (const char* own : {"exit", "help", "quit"})
    if (std::string_view(own).starts_with(words.empty() ? "" : words.front())) all.emplace_back(own);
  return all;
}

void run_at_terminal() {
  const CountedInterrupts counted;
  LineReader reader(candidates);
  const HistoryFile history;
  for (const std::string& line : history.lines()) reader.remember(line);
  std::string before;
  while (true) {
    CountedInterrupts::forget();  // before the line is read: what comes from then on is meant for it
    const auto text = reader.read("egtrace> ");
    if (!text) break;
    if (split_line(*text).words.empty()) continue;
    if (*text != before) {
      reader.remember(*text);
      history.append(*text);
      before = *text;
    }
    if (run_line(*text, Keyboard::line).next == Next::end) return;
  }
  std::fputs("\n", stderr);
}

// A line of standard input, whatever its length; none at the end.
std::optional<std::string> next_line_of_script() {
  char* line = nullptr;
  std::size_t room = 0;
  const ssize_t length = ::getline(&line, &room, stdin);
  std::optional<std::string> text;
  if (length >= 0) text.emplace(line, static_cast<std::size_t>(length));
  std::free(line);
  if (text && text->ends_with('\n')) text->pop_back();
  return text;
}

int run_script() {
  int first = 0;
  std::size_t number = 0;
  while (const auto text = next_line_of_script()) {
    ++number;
    const LineOutcome line = run_line(*text, Keyboard::script);
    if (line.status != 0) print_error(fmt::format("egtrace: line {}: exit status {}\n", number, line.status));
    if (first == 0) first = line.status;
    if (line.next == Next::end) break;
  }
  return first;
}

void open_for_session(const ShellOptions& o) {
  SessionSnapshot session{snapshot_path(o.snapshot), o.snapshot.dumps, o.snapshot.at, o.snapshot.follow_links};
  if (session.path == "-") throw CommandError("the shell reads lines from standard input; name a file for the snapshot");
  SnapshotStore::process().begin_session(std::move(session));
  const parsers::Snapshot& snapshot = open_for_walks({}, o.common);  // what most questions are about
  print_warnings();
  if (o.common.quiet || ::isatty(STDIN_FILENO) == 0) return;
  print_error(fmt::format("egtrace {}: {} nodes, {} pods, {} dumps. `help` lists commands, ^D ends.\n", EGTRACE_VERSION,
                          snapshot.cluster.nodes.size(), snapshot.cluster.objects.pods.size(), snapshot.cluster.dumps.size()));
}

ExitStatus run_shell(const ShellOptions& o) {
  open_for_session(o);
  if (::isatty(STDIN_FILENO) == 0) return static_cast<ExitStatus>(run_script());
  run_at_terminal();
  return ExitStatus::done;
}

}  // namespace

void add_shell(CLI::App& app, ExitStatus& status) {
  auto o = std::make_shared<ShellOptions>();
  CLI::App* verb = app.add_subcommand("shell", "ask many questions about one snapshot, which stays open");
  add_snapshot_options(*verb, o->snapshot);
  add_at_option(*verb, o->snapshot);
  verb->add_flag("-q,--quiet", o->common.quiet, "no warnings, no greeting");
  verb->footer(kShellFooter);
  verb->callback([o, &status] { status = run_shell(*o); });
}

}  // namespace egt::cli
