// Ways that differ only in what was chosen (a group's bucket, an ECMP next hop) and not in what the packet meets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egtrace/explain/explanation.h"

namespace egt::explain {

struct WayGroup {
  std::vector<std::size_t> ways;         // indices, ascending; the first one stands for all
  std::optional<double> weight;          // of all together; absent where one of them is not known
};

// In the order of the first way of each group.
std::vector<WayGroup> fold_ways(const std::vector<WayReport>& ways);

// "group 133: bucket 0 or bucket 1": what the ways of a group chose, one line for each place of choice.
std::vector<std::string> choices_of(const std::vector<WayReport>& ways, const WayGroup& group);

}  // namespace egt::explain
