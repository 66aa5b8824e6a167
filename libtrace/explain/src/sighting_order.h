// Where among the steps of a walk each sighting falls.
#pragma once

#include <vector>

#include "egtrace/engine/record.h"

namespace egt::explain {

// For each sighting the index of the first step after it.
std::vector<std::size_t> sighting_order(const engine::Record& record);

}  // namespace egt::explain
