#include "arguments.h"

#include <algorithm>

namespace egt::cli {
namespace {

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// "--output" of "--output=FILE", "-o" of "-oFILE"
std::string option_in(const std::string& word) {
  return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

const CLI::Option* option_of_any_verb(const CLI::App& app, const std::string& name) {
  for (const CLI::App* verb : verbs_of(app))
    if (const CLI::Option* option = option_named(*verb, name)) return option;
  return nullptr;
}

// Whether the option's value is the next word.
bool is_followed_by_value(const CLI::Option* option, const std::string& word) {
  return takes_value(option) && word == option_in(word);
}

}  // namespace

const CLI::App* verb_named(const CLI::App& app, const std::string& name) {
  for (const CLI::App* verb : verbs_of(app))
    if (verb->get_name() == name) return verb;
  return nullptr;
}

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : verbs_of(app))
    if (!verb->get_group().empty()) names.push_back(verb->get_name());
  return names;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

const CLI::Option* option_named(const CLI::App& verb, const std::string& name) {
  for (const CLI::Option* option : verb.get_options()) {
    const auto names = names_of(*option);
    if (std::find(names.begin(), names.end(), name) != names.end()) return option;
  }
  return nullptr;
}

bool takes_value(const CLI::Option* option) { return option != nullptr && option->get_items_expected_max() > 0; }

std::vector<std::string> verb_first(const CLI::App& app, const std::vector<std::string>& words) {
  std::size_t i = 0;
  while (i < words.size() && words[i].size() > 1 && words[i].front() == '-') {
    const std::string name = option_in(words[i]);
    const CLI::Option* option = option_of_any_verb(app, name);
    if (option == nullptr || option_named(app, name) != nullptr) return words;  // --version, --help, or a mistake
    i += is_followed_by_value(option, words[i]) ? 2 : 1;
  }
  if (i >= words.size()) return {};
  std::vector<std::string> sorted(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  if (verb_named(app, words[i]) != nullptr)
    sorted.insert(sorted.begin() + 1, words.begin(), words.begin() + static_cast<std::ptrdiff_t>(i));
  return sorted;
}

}  // namespace egt::cli
