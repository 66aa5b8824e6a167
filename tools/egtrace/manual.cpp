#include "manual.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "arguments.h"
#include "egtrace/base/text.h"

namespace egt::cli {
namespace {

// What Markdown would take for markup.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>#|~-").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string bold(std::string_view text) { return "**" + plain(text) + "**"; }
std::string italic(std::string_view text) { return "*" + plain(text) + "*"; }

// "{text,json}" of a check of values, "FILE" of a type name, without what CLI11 prints of types and ranges besides.
std::string value_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  if (open == std::string::npos) return italic(type.substr(0, type.find(':')));
  std::string values = type.substr(open + 1, type.find('}', open) - open - 1);
  for (char& c : values)
    if (c == ',') c = '|';
  return plain(values);
}

std::string definition(const std::string& term, std::string text) {
  if (text.empty()) text = "see above";
  return fmt::format("{}\n:   {}\n\n", term, plain(text));
}

bool is_shown(const CLI::Option& option) { return !option.get_group().empty(); }

std::string option_term(const CLI::Option& option) {
  std::string term;
  for (const std::string& name : names_of(option)) term += (term.empty() ? "" : ", ") + bold(name);
  if (takes_value(&option)) term += " " + value_of(option);
  if (option.get_required()) term += " (required)";
  return term;
}

std::string options_section(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : app.get_options())
    if (is_shown(*option) && option->nonpositional()) {
      std::string text = option->get_description();
      if (const std::string value = option->get_default_str(); !value.empty() && takes_value(option))
        text += fmt::format(" (default: {})", value);
      if (!option->get_envname().empty()) text += fmt::format("; also by ${}", option->get_envname());
      out += definition(option_term(*option), text);
    }
  return out;
}

std::string arguments_of(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : app.get_options())
    if (is_shown(*option) && option->get_positional())
      out += definition(italic(option->get_name(true)), option->get_description());
  return out;
}

std::string synopsis(const CLI::App& verb) {
  std::string line = bold("egtrace " + verb.get_name());
  for (const CLI::Option* option : verb.get_options())
    if (is_shown(*option) && option->get_required() && option->nonpositional())
      line += fmt::format(" {} {}", bold(names_of(*option).back()), value_of(*option));
  line += " \\[" + italic("OPTION") + "\\]...";
  for (const CLI::Option* option : verb.get_options())
    if (is_shown(*option) && option->get_positional()) {
      const std::string word = italic(option->get_name(true)) + (option->get_expected_max() > 1 ? "..." : "");
      line += option->get_required() ? " " + word : " \\[" + word + "\\]";
    }
  return line;
}

struct Footer {
  std::string prose, examples, behind;  // what follows the examples
};

// Paragraphs as they stand, of what is indented a block of its own.
std::string paragraphs(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    out += line.starts_with("  ") ? fmt::format("    {}\n", line) : fmt::format("{}\n", plain(line));
  }
  return out;
}

Footer footer_of(const CLI::App& app) {
  const std::string text = app.get_footer();
  constexpr std::string_view kExamples = "Examples:\n";
  const std::size_t at = text.find(kExamples);
  if (at == std::string::npos) return {paragraphs(text), {}, {}};
  std::string_view rest = std::string_view(text).substr(at + kExamples.size());
  Footer footer{paragraphs(text.substr(0, at)), {}, {}};
  while (rest.starts_with("  ")) footer.examples += fmt::format("    {}\n", trim(next_line(rest)));
  footer.behind = paragraphs(trim(rest));
  return footer;
}

std::string section(std::string_view title, const std::string& text) {
  return text.empty() ? std::string() : fmt::format("# {}\n\n{}\n\n", title, text);
}

// The first sentence of a description, as the line of whatis(1).
std::string name_line(const std::string& name, const std::string& description) {
  return fmt::format("{} \\- {}", plain(name), plain(description));
}

constexpr const char* kStatuses =
    "0\n:   done\n\n1\n:   an expectation does not hold, or findings of the level asked for\n\n"
    "2\n:   the call or an input is unusable\n\n3\n:   inconclusive: what is missing decides\n";

constexpr const char* kEnvironment =
    "**EGTRACE\\_SNAPSHOT**\n:   the snapshot where the command line names none; the file **.egtrace** in the directory of the "
    "call holds one as well\n\n"
    "**EGTRACE\\_FOLLOW\\_LINKS**\n:   as **\\-\\-follow\\-links**\n\n"
    "**NO\\_COLOR**, **CLICOLOR\\_FORCE**\n:   no colours, colours; the option **\\-\\-color** wins\n\n"
    "**PAGER**\n:   shows what is longer than the terminal\n";

}  // namespace

std::string manual_of_verb(const CLI::App& app, const CLI::App& verb) {
  const Footer footer = footer_of(verb);
  std::string others;
  for (const std::string& name : verb_names(app))
    if (name != verb.get_name()) others += fmt::format("{}, ", bold("egtrace-" + name) + "(1)");
  return section("NAME", name_line("egtrace-" + verb.get_name(), verb.get_description())) + section("SYNOPSIS", synopsis(verb)) +
         section("ARGUMENTS", arguments_of(verb)) + section("OPTIONS", options_section(verb)) +
         section("DESCRIPTION", footer.prose + "\n" + footer.behind) + section("EXAMPLES", footer.examples) +
         section("EXIT STATUS", kStatuses) +
         section("SEE ALSO",
                 bold("egtrace") + "(1), " + others + bold("egtrace-expectations") + "(5), " + bold("egtrace-snapshot") + "(5)");
}

std::string manual_of_program(const CLI::App& app) {
  const Footer footer = footer_of(app);
  std::string verbs;
  for (const std::string& name : verb_names(app))
    verbs += definition(bold("egtrace " + name), verb_named(app, name)->get_description());
  return section("NAME",
                 name_line("egtrace", "explains, from dumps alone, what happens to a packet in an OVN-Kubernetes cluster")) +
         section("SYNOPSIS", bold("egtrace") + " " + italic("COMMAND") + " \\[" + italic("OPTION") + "\\]... \\[" +
                                 italic("ARGUMENT") + "\\]...") +
         section("DESCRIPTION", plain(app.get_description())) + section("COMMANDS", verbs) +
         section("OPTIONS", options_section(app)) + section("EXAMPLES", footer.examples) + section("ENVIRONMENT", kEnvironment) +
         section("EXIT STATUS", kStatuses) +
         section("SEE ALSO", bold("egtrace-expectations") + "(5), " + bold("egtrace-snapshot") + "(5), " + bold("ovs-appctl") +
                                 "(8), " + bold("ovn-trace") + "(8), " + bold("nft") + "(8)");
}

}  // namespace egt::cli
