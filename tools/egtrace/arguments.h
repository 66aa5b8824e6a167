// The words of a command line before they are parsed: options may stand before the verb.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace egt::cli {

const CLI::App* verb_named(const CLI::App& app, const std::string& name);
std::vector<std::string> verb_names(const CLI::App& app);  // those that --help lists
// "--output", "-o"
std::vector<std::string> names_of(const CLI::Option& option);
const CLI::Option* option_named(const CLI::App& verb, const std::string& name);
bool takes_value(const CLI::Option* option);

// With the verb in front of the options that were given before it. Without a verb those that some verb knows are left
// out: they are not what is wrong with the line.
std::vector<std::string> verb_first(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace egt::cli
