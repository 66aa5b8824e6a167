// The words about a dump.
#pragma once

#include <string>

#include "egtrace/explain/inspect.h"

namespace egt::render {

// "an excerpt: it has no flows of table 0"; empty where the dump is whole.
std::string excerpt_words(const explain::DumpReport& dump);

}  // namespace egt::render
