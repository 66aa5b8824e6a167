// Counters that count drops, as JSON and in words.
#pragma once

#include <string>
#include <vector>

#include "egtrace/explain/explanation.h"
#include "json_parts.h"

namespace egt::render {

Json counters_json(const std::vector<explain::CounterReport>& counters);
// "IPReversePathFilter 12 on worker-1: packets that … (worker-1/nstat:7)"
std::string counter_text(const explain::CounterReport& counter);

}  // namespace egt::render
