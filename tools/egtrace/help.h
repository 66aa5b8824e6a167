// The text of --help, as wide as the terminal.
#pragma once

#include <cstddef>
#include <string>

namespace egt::cli {

// Where the descriptions of options begin.
constexpr std::size_t kHelpColumn = 32;

// Lines that are too long go on under their descriptions, others under themselves.
std::string fit_help(const std::string& text, std::size_t width);

}  // namespace egt::cli
