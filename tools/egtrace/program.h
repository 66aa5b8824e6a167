// The command line as a whole: by main(), and line by line by `egtrace shell`.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"

namespace egt::cli {

// With all verbs, or, where the first word of a command line is one, with this alone; `status` outlives it.
std::unique_ptr<CLI::App> make_program(ExitStatus& status, std::string_view first_word = {});

// Runs one command, prints in one line on standard error what is wrong with it, and hands back its exit status. Only what is no
// std::exception gets out.
int run_program(std::vector<std::string> words);

}  // namespace egt::cli
