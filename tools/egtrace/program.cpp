#include "program.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <new>
#include <string_view>
#include <utility>

#include "arguments.h"
#include "egtrace/parsers/content.h"
#include "egtrace/parsers/out_of_memory.h"
#include "help.h"
#include "memory.h"

namespace egt::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  egtrace explain ./dumps --from shop/cart-7d4b --to 192.0.2.10:443\n"
    "  egtrace inspect ./dumps\n"
    "  egtrace lookup ./dumps 0x93f7000b\n"
    "  egtrace decode 0x64580003\n"
    "  egtrace parse ovs-ofctl_dump-flows_br-int\n"
    "  ip rule | egtrace parse --format json -\n"
    "  egtrace shell ./dumps\n"
    "\n"
    "Options may stand before the command or behind it.\n"
    "Exit status: 0 done, 1 an expectation does not hold, 2 the call or an input is unusable, 3 inconclusive.\n";

struct Verb {
  std::string_view name;
  void (*add)(CLI::App& app, ExitStatus& status);
  bool shows_all = false;  // what it prints is of all verbs
};
// In the order of the help text.
constexpr Verb kVerbs[] = {
    {"assert", add_assert},   {"audit", add_audit},     {"check", add_check},
    {"collect", add_collect}, {"compile", add_compile}, {"completion", add_completion, true},
    {"decode", add_decode},   {"diff", add_diff},       {"explain", add_explain},
    {"export", add_export},   {"flows", add_flows},     {"inspect", add_inspect},
    {"lookup", add_lookup},   {"ltrace", add_ltrace},   {"manual", add_manual, true},
    {"merge", add_merge},     {"parse", add_parse},     {"report", add_report},
    {"serve", add_serve},     {"shell", add_shell},     {"sql", add_sql},
    {"triage", add_triage},   {"pcap", add_pcap},       {"trace", add_trace},
};

// What is typed first is, as a rule, the verb, and then the options of others are not needed: they take 3 ms to make.
const Verb* verb_alone(std::string_view first_word) {
  const auto* verb = std::find_if(std::begin(kVerbs), std::end(kVerbs), [&](const Verb& v) { return v.name == first_word; });
  return verb == std::end(kVerbs) || verb->shows_all ? nullptr : verb;
}

// One line whatever the message held, so that scripts and logs can rely on it.
int complain(std::string message) {
  while (!message.empty() && message.back() == '\n') message.pop_back();
  for (char& c : message) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  print_error(fmt::format("egtrace: {}\n", message));
  return static_cast<int>(ExitStatus::unusable);
}

std::string more_than_allowed(std::string_view instead) {
  return fmt::format("needs more memory than the {} MB that --max-memory allows; give {}, or allow more", memory_limit() >> 20,
                     instead);
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// What is wrong with the first argument that no option or command took.
std::string explain_extra(const CLI::App& app, const CLI::App& verb, const std::string& extra) {
  const bool in_verb = &verb != &app;
  const std::string help = in_verb ? fmt::format("see `egtrace {} --help`", verb.get_name()) : "see `egtrace --help`";
  if (extra.starts_with("-") && extra.size() > 1) {
    const std::string name = extra.substr(0, extra.find('='));
    return fmt::format("unknown option `{}`; {}", name, did_you_mean(name, options_of(verb), help));
  }
  if (!in_verb) return fmt::format("unknown command `{}`; {}", extra, did_you_mean(extra, verb_names(app), help));
  return fmt::format("`{}` is one argument too many for `{}`; {}", extra, verb.get_name(), help);
}

int explain_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> used = app.get_subcommands();
  const CLI::App& verb = used.empty() ? app : *used.front();
  for (const CLI::App* level : {&verb, &app}) {
    const std::vector<std::string> extras = level->remaining();
    if (!extras.empty()) return complain(explain_extra(app, verb, extras.front()));
  }
  const std::string help = used.empty() ? "see `egtrace --help`" : fmt::format("see `egtrace {} --help`", verb.get_name());
  if (used.empty() && error.get_name() == "RequiredError") return complain("no command given; " + help);
  const std::string message = error.what();
  return complain(message.find(';') == std::string::npos ? message + "; " + help : message);
}

int parse_and_run(std::vector<std::string> given) {
  ExitStatus status = ExitStatus::done;
  const std::unique_ptr<CLI::App> made = make_program(status, given.empty() ? std::string_view() : given.front());
  CLI::App& app = *made;
  try {
    std::vector<std::string> words = verb_first(app, given);
    std::reverse(words.begin(), words.end());  // as parse() takes them
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    write_output({}, fit_help(app.help(), text_width({})));
    return static_cast<int>(ExitStatus::done);
  } catch (const CLI::Success& asked) {  // --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return explain_parse_error(app, error);
  }
  print_warnings();
  if (const auto changed = parsers::changed_file()) return complain(*changed);
  return static_cast<int>(status);
}

}  // namespace

std::unique_ptr<CLI::App> make_program(ExitStatus& status, std::string_view first_word) {
  const Verb* alone = verb_alone(first_word);
  auto made = std::make_unique<CLI::App>(
      "egtrace explains, from dumps alone, what happens to a packet in an OVN-Kubernetes cluster.", "egtrace");
  CLI::App& app = *made;
  app.set_version_flag("--version", "egtrace " EGTRACE_VERSION);
  app.set_help_flag("-h,--help", "print this help");
  app.require_subcommand(1);
  app.footer(kFooter);
  app.get_formatter()->column_width(kHelpColumn);

  for (const Verb& verb : kVerbs)
    if (!alone || &verb == alone) verb.add(app, status);
  return made;
}

int run_program(std::vector<std::string> words) {
  try {
    return parse_and_run(std::move(words));
  } catch (const parsers::OutOfMemory& dump) {
    return complain(dump.path + ": " + more_than_allowed("an excerpt of it"));
  } catch (const std::bad_alloc&) {
    return complain(more_than_allowed("a smaller snapshot or excerpt"));
  } catch (const std::exception& error) {
    return complain(error.what() + what_may_be_why());
  }
}

}  // namespace egt::cli
