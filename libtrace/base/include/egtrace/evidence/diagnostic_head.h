// What a diagnostic prints before its line is shown.
#pragma once

#include <string>

#include "egtrace/evidence/evidence.h"

namespace egt {

// "PATH:LINE:COLUMN: warning: MESSAGE (HINT)"
std::string diagnostic_head(const Diagnostic& d, const SourceTable& sources);

}  // namespace egt
