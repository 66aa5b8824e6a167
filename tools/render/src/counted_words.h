// The hint that a rule on the path has never counted.
#pragma once

#include <string>

#include "egtrace/explain/explanation.h"

namespace egt::render {

// Of a hop with Counted::never().
std::string never_counted_words(const explain::Hop& hop);

}  // namespace egt::render
