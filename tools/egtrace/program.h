// The command line as a whole: by main(), and line by line by `egtrace shell`.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "command.h"

namespace egt::cli {

// With all verbs; `status` outlives it.
std::unique_ptr<CLI::App> make_program(ExitStatus& status);

// Runs one command, prints in one line on standard error what is wrong with it, and hands back its exit status. Only what is no
// std::exception gets out.
int run_program(std::vector<std::string> words);

}  // namespace egt::cli
