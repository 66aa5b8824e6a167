// A snapshot whose names and lines would be markup, script or another text where they were not escaped.
#pragma once

#include <string>

#include "support/run.h"

namespace egt::testing {

// Written into the folder `dumps` of that directory; its path.
std::string hostile_snapshot(const TemporaryDirectory& home);

}  // namespace egt::testing
