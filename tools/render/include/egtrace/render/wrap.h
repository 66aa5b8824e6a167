// Line breaking of text for terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace egt::render {

// Breaks at blanks and behind commas, each line indented; ends with a newline. Paths longer than a line lose their
// middle. `most_lines` 0: no limit; otherwise the rest is cut and marked "...".
std::string wrap(std::string_view text, std::size_t indent, std::size_t width, std::size_t most_lines = 0);
// The same behind a label ("    - "), the lines that follow under the first one's text.
std::string wrap_behind(std::string_view label, std::string_view text, std::size_t width, std::size_t most_lines = 0);

}  // namespace egt::render
