#include "assess/difference_order.h"

#include <algorithm>

namespace egt::render {

DifferenceOrder::DifferenceOrder(const std::vector<assess::Difference>& all) : paths_(all.size()), others_(all.size()) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].cause)
      (all[i].topic == "paths" ? paths_ : others_)[*all[i].cause].push_back(i);
    else
      roots_.push_back(i);
  }
  std::stable_partition(roots_.begin(), roots_.end(), [&](std::size_t i) { return changes_paths(i); });
}

}  // namespace egt::render
