// What several paths have in common: those that differ only in what was chosen (a group's bucket, an ECMP next hop) and not
// in what the packet meets, and the steps before the first branch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egtrace/explain/explanation.h"

namespace egt::explain {

struct PathGroup {
  std::vector<std::size_t> paths;  // indices, ascending; the first one stands for all
  std::optional<double> weight;    // of all together; absent where one of them is not known
};

// In the order of the first path of each group.
std::vector<PathGroup> fold_paths(const std::vector<PathReport>& paths);

// "group 133: bucket 0 or bucket 1": what the paths of a group chose, one line for each place of choice.
std::vector<std::string> choices_of(const std::vector<PathReport>& paths, const PathGroup& group);

// The steps and sightings that all groups begin with, up to the branch; none where there is one group only.
struct CommonPrefix {
  std::size_t hops = 0, sightings = 0;
};
CommonPrefix common_prefix(const std::vector<PathReport>& paths, const std::vector<PathGroup>& groups);
// A path's steps and sightings up to the branch, and from there on.
PathReport before_branch(const PathReport& path, const CommonPrefix& common);
PathReport after_branch(const PathReport& path, const CommonPrefix& common);

}  // namespace egt::explain
