// The nodes that a packet came to.
#pragma once

#include <set>
#include <string_view>

#include "egtrace/engine/record.h"

namespace egt::engine {

// By name; the names are the record's.
std::set<std::string_view> visited_nodes(const Record& record);

}  // namespace egt::engine
