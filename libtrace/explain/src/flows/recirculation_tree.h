// Datapath flows that were asked for, as a tree by recirculation.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "egtrace/explain/flows.h"

namespace egt::explain {

struct RecirculationTree {
  std::vector<std::size_t> shown;                         // of the flows that were asked for, in their order
  std::vector<std::vector<std::size_t>> recirculates_to;  // of each of these, indices of `blocks`
  std::vector<bool> is_reached;                           // of each, whether some flow of the dump leads to it
  std::vector<RecirculationBlock> blocks;                 // with indices of `shown`
};

// `found`: indices of Datapath::flows. `top`: so many trees at most. Flows that lead to each other in a circle, to which none leads from
// outside, are a tree of which the first is the root.
RecirculationTree recirculation_tree(const openflow::Datapath& datapath, const std::vector<std::size_t>& found,
                                     std::optional<std::size_t> top);

}  // namespace egt::explain
