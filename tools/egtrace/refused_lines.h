// Lines of a batch that could not be answered.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "command.h"

namespace egt::cli {

// Says on standard error which ones of `file` ("-": standard input), and that the input is unusable. There is at least
// one.
ExitStatus refuse_lines(const std::string& file, const std::vector<std::size_t>& lines);

}  // namespace egt::cli
