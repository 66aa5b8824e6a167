// Rules that a reader may expect to have decided, and why they did not.
#pragma once

#include <cstddef>
#include <string>

#include "netfilter_position.h"

namespace egt::engine {

// The rule at `at`, whose statement `failed` is a test that is not met: recorded where it has an effect, and its other tests
// are all met, one at least of those that show whose packets it is about.
void note_miss(const RulePosition& at, std::size_t failed, const std::string& node, Record& record);

}  // namespace egt::engine
