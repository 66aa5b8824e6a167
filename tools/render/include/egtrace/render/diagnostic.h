// A diagnostic as compilers print it: where and what, the line, and a caret below the character that is meant.
#pragma once

#include <cstddef>
#include <string>

#include "egtrace/explain/inspect.h"

namespace egt::render {

// Lines of at most `width` columns, but for the first, which is not broken: scripts read it. Of a longer line of the
// dump what is around the caret.
std::string diagnostic_text(const explain::DiagnosticReport& diagnostic, std::size_t width);
// The line and the caret alone; empty where no line is meant.
std::string quoted_line(const explain::DiagnosticReport& diagnostic, std::size_t width);

}  // namespace egt::render
