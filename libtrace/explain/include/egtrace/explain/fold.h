// Paths that differ only in what was chosen (a group's bucket, an ECMP next hop) and not in what the packet meets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egtrace/explain/explanation.h"

namespace egt::explain {

struct PathGroup {
  std::vector<std::size_t> paths;         // indices, ascending; the first one stands for all
  std::optional<double> weight;          // of all together; absent where one of them is not known
};

// In the order of the first path of each group.
std::vector<PathGroup> fold_paths(const std::vector<PathReport>& paths);

// "group 133: bucket 0 or bucket 1": what the paths of a group chose, one line for each place of choice.
std::vector<std::string> choices_of(const std::vector<PathReport>& paths, const PathGroup& group);

}  // namespace egt::explain
