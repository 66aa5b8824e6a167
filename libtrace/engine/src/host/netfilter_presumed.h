// Connections that are there only if a setting is as it usually is: which statements would do something else without.
#pragma once

#include <cstddef>

#include "netfilter_values.h"

namespace egt::engine {

// Of a test only where all others of its rule are met, or may be.
bool rests_on_presumption(const netfilter::Rule& rule, std::size_t at, const ReadFrom& with);

}  // namespace egt::engine
