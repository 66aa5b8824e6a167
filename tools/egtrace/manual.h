// Manual pages out of what the command line prints of itself, as Markdown for lowdown(1).
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace egt::cli {

std::string manual_of_program(const CLI::App& app);                     // egtrace(1)
std::string manual_of_verb(const CLI::App& app, const CLI::App& verb);  // egtrace-VERB(1)

}  // namespace egt::cli
